// A daemon that is killed with unanswered transactions and comes back with another key: with the former key at hand they are fenced at once.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { operate } from "../support/operate.ts";
import { quoinDone } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { startDaemon, startDaemonProcess } from "./daemon.ts";
import { resting, statusOf } from "./operator.ts";
import { sceneForAll } from "./scene.ts";

const scene = sceneForAll();

const unknownAt = async (url: string): Promise<number | undefined> =>
  (await statusOf(url)).accounts[0]?.markets[0]?.unknownOrders;
const edit = (change: (yaml: string) => string): void =>
  writeFileSync(scene.botConfig, change(readFileSync(scene.botConfig, "utf8")));

async function lose(): Promise<() => Promise<void>> {
  const answer = await operate(scene, "POST", "/faults", { kind: "dropBefore", route: "POST /v1/tx" });
  expect(answer.status, await answer.text()).toBe(200);
  return async () => void (await operate(scene, "DELETE", "/faults"));
}

it("quotes return long before what the former key signed is too old to land", async () => {
  // Nothing but a fence can tell within the time of this test.
  edit((yaml) => yaml.replace("venue: { ", "venue: { landingBoundMs: 3600000, "));
  const end = await lose();
  const first = await startDaemonProcess(scene);
  await until("places that nobody answers", async () => ((await unknownAt(first.url)) ?? 0) > 0);
  await first.process.end("SIGKILL");
  await end();
  const { stdout } = await quoinDone(["keygen", "--out", join(scene.folder, "second.key")]);
  const agent = { pubkey: stdout.trim(), name: "bot", expiresAt: 4_102_444_800 };
  await operate(scene, "POST", "/accounts/12/agents", agent);
  edit((yaml) => yaml.replace("agentKeyFile: agent.key", "agentKeyFile: second.key\n    formerKeyFiles: [agent.key]"));
  expect((await quoinDone(["check", "--config", scene.botConfig])).code).toBe(0);
  const second = await startDaemon(scene);
  await resting(scene, 4);
  expect(await unknownAt(second.url)).toBe(0);
  expect(await second.process.end()).toBe(0);
});
