// SIGTERM at the worst moments: while the daemon starts over what an earlier run left resting, and with an exchange that has frozen.

import { afterEach, beforeEach, expect, it } from "vitest";
import { hurriedClock } from "../support/hurried-clock.ts";
import { startProxy } from "../support/proxy.ts";
import { quoin } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import {
  type ApartScene,
  endScenes,
  openOrdersOf,
  startApartScene,
  startDaemon,
  startDaemonProcess,
} from "./daemon.ts";
import { configBeside, resting } from "./operator.ts";

let scene: ApartScene;

beforeEach(async () => {
  scene = await startApartScene();
});

afterEach(async () => {
  scene.devnet.child.kill("SIGCONT");
  await endScenes();
});

it("a stop that comes during the start is kept: what an earlier run left is canceled, and the exit is 0", async () => {
  const earlier = await startDaemonProcess(scene);
  await resting(scene, 4);
  await earlier.process.end("SIGKILL");
  const gate = await startProxy({ targetPort: Number(new URL(scene.validatorUrl).port), seed: 1n });
  gate.set("up", { blackhole: true });
  const throughGate = (yaml: string) => yaml.replace(scene.validatorUrl, `http://127.0.0.1:${gate.port}`);
  const daemon = quoin(["run", "--config", configBeside(scene, "http://127.0.0.1:0", throughGate)]);
  await until("the first request of the start", () => gate.connections() > 0);
  daemon.signal("SIGTERM");
  gate.calm();
  expect(await daemon.exit).toBe(0);
  expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
  await gate.close();
});

it("an exchange that does not answer: exit 3 after 25 s, with the orders that it was last known to have", async () => {
  const clock = hurriedClock(10);
  const { process: daemon } = await startDaemon(scene, { clock });
  await resting(scene, 4);
  const orders = (await openOrdersOf(scene.validatorUrl)) as unknown as readonly { readonly orderId: number }[];
  scene.devnet.child.kill("SIGSTOP");
  clock.hurry();
  const startedMs = clock.monotonicMs();
  expect(await daemon.end("SIGTERM")).toBe(3);
  expect(clock.monotonicMs() - startedMs).toBeGreaterThanOrEqual(25_000);
  for (const { orderId } of orders) expect(daemon.stderr()).toContain(`account 12 market 1 order ${orderId}: `);
  expect(daemon.stderr()).toContain("the exchange did not answer; what else rests is not known");
});
