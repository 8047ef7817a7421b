// Longer storms, one after another on one ledger: `STORMS=20 npm run test:long`. And a stream that goes silent while requests work.

import { afterEach, expect, it } from "vitest";
import {
  type ChaosScene,
  endFaults,
  failRequests,
  removeChaosScene,
  startChaosScene,
  storm,
} from "../scenario/chaos-run.ts";
import { metricsOf } from "../scenario/daemon.ts";
import { accountAt } from "../scenario/exchange-record.ts";
import { judge } from "../scenario/judge.ts";
import { isQuoting, startLife } from "../scenario/kill-run.ts";
import { endAll } from "../support/quoin.ts";
import { until } from "../support/until.ts";

const STORMS = Number(process.env.STORMS ?? 20);
const SEED = BigInt(process.env.SEED ?? 1);
/** With the cool-down of too many refusals (30 s) as in production, and the 30 s in which quotes must be back (liveness). */
const RECOVERED_MS = 60_000;
/** A stream without a frame or pong for 15 s is not live. */
const STREAM_DEAD_MS = 16_000;
const CANCELED_MS = 5000;

let scene: ChaosScene;

const addingOrders = async () => (await accountAt(scene)).openOrders.filter(({ reduceOnly }) => !reduceOnly).length;

afterEach(async () => {
  await endAll();
  await removeChaosScene(scene);
});

it(`${STORMS} storms: quoting after each, and a ledger that agrees with the exchange`, async () => {
  scene = await startChaosScene({ takersPerSec: 5, seed: SEED });
  for (let count = 1; count <= STORMS; count += 1) {
    const { process, url } = await startLife(scene);
    await storm(scene, { durationMs: 10_000 });
    await until(`quoting after storm ${count}`, () => isQuoting(scene, url), RECOVERED_MS);
    await failRequests(scene, 0.3);
    expect(await process.end("SIGTERM"), `the stop after storm ${count}`).toBe(0);
    await endFaults(scene);
    expect((await judge(scene)).faults, `after storm ${count}`).toEqual([]);
  }
});

it("a stream that goes silent both ways pulls every quote, whatever requests say; with it they come back", async () => {
  scene = await startChaosScene({ takersPerSec: 0.5, seed: SEED });
  const { process, url } = await startLife(scene);
  for (const direction of ["up", "down"] as const) scene.stream.set(direction, { blackhole: true });
  const gate = 'quoin_gate_open{account="12",market="1",gate="stream"}';
  await until("the stream counts as dead", async () => (await metricsOf(url)).get(gate) === 0, STREAM_DEAD_MS);
  await until("no order that adds rests", async () => (await addingOrders()) === 0, CANCELED_MS);
  scene.stream.calm();
  await until("quoting again", () => isQuoting(scene, url), RECOVERED_MS);
  expect(await process.end("SIGTERM")).toBe(0);
  expect((await judge(scene)).faults).toEqual([]);
});
