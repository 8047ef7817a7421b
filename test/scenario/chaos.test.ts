// A bad network between a real daemon and a real devnet, and an exchange that fails 30 % of what arrives: when it ends the bot trades
// again automatically, a stop ends clean all the same, and no fill is lost or counted twice.

import { afterEach, expect, it } from "vitest";
import { endAll, type Running } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { type ChaosScene, endFaults, failRequests, removeChaosScene, startChaosScene, storm } from "./chaos-run.ts";
import { fillsIn, metricsOf } from "./daemon.ts";
import { accountAt } from "./exchange-record.ts";
import { judge } from "./judge.ts";
import { isQuoting, startLife } from "./kill-run.ts";

let scene: ChaosScene;

afterEach(async () => {
  await endAll();
  await removeChaosScene(scene);
});

/** Too many refusals pause quoting; not as long as they would in production. */
const limits = ", rejectCoolDownMs: 2000";

/** By the disagreement of its book, by its silence, or because it was reset. */
const gaveUpStream = /"event":"stream\.(unconfirmed|streamEnded)"/;

/** A stop that fails says what the daemon told. */
async function stop(process: Running): Promise<void> {
  const code = await process.end("SIGTERM");
  expect(code, `${process.stdout()}${process.stderr()}`).toBe(0);
}

it("a storm passes: reconciled and quoting again, and the ledger agrees with the exchange", async () => {
  // The exchange keeps a hundred trades: at this rate they reach back further than the storm, on a busy machine too.
  scene = await startChaosScene({ takersPerSec: 2, seed: 21n, limits });
  const { process, url } = await startLife(scene);
  await storm(scene, { durationMs: 5000 });
  await until("the half-open stream is given up", () => gaveUpStream.test(process.stdout()));
  await until("reconciled and quoting", () => isQuoting(scene, url));
  await until("a fill", async () => fillsIn(await metricsOf(url)) > 0);
  await stop(process);
  const { faults, fillCount } = await judge(scene);
  expect(faults).toEqual([]);
  expect(fillCount).toBeGreaterThan(0);
});

it("SIGTERM while 30 % of requests fail: exit 0, and nothing rests", async () => {
  scene = await startChaosScene({ takersPerSec: 8, seed: 22n, limits });
  const { process } = await startLife(scene);
  await failRequests(scene, 0.3);
  await stop(process);
  await endFaults(scene);
  expect((await accountAt(scene)).openOrders).toEqual([]);
  expect((await judge(scene)).faults).toEqual([]);
});
