// Account reads that are seconds old while everything else is of now: once they agreed twice, live orders "vanished" and were placed again
// (10 resting where 4 are allowed at 2.5 s; a position of 3.31 where 1.5 is allowed at 3 s).

import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Running } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { counterpartyRow, take } from "./counterparty.ts";
import { endScenes, metricsOf, openOrdersOf, startDaemon } from "./daemon.ts";
import { type LateReads, startLateReads } from "./late-reads.ts";
import { positionsOf, resting, stateOf } from "./operator.ts";
import { sceneForAll } from "./scene.ts";

const scene = sceneForAll({
  accounts: counterpartyRow,
  params: "{ halfSpreadBps: 10, size: 0.5, levels: 2, stepBps: 5 }",
  limits: "maxPosition: 1.5, maxOrderSize: 1, maxOpenOrders: 4, maxLoss: 500",
});
let late: LateReads;
let daemon: Running;
let url: string;

beforeAll(async () => {
  late = await startLateReads(scene.validatorUrl, "/v1/accounts/12");
  const yaml = readFileSync(scene.botConfig, "utf8").replace("readLagMaxMs: 250", "readLagMaxMs: 3000");
  writeFileSync(scene.botConfig, yaml.replace(scene.validatorUrl, late.url));
  late.lag(2500);
  ({ process: daemon, url } = await startDaemon(scene));
});
afterAll(async () => {
  await endScenes();
  await late.close();
});

/** The most that rested and the largest position while `run` runs. */
async function mostDuring(run: Promise<unknown>): Promise<{ readonly orders: number; readonly position: number }> {
  let [orders, position, isOver] = [0, 0, false];
  void run.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    orders = Math.max(orders, (await openOrdersOf(scene.validatorUrl)).length);
    for (const { size } of await positionsOf(scene)) position = Math.max(position, Number(size) / 1e6);
    await pause(20);
  }
  await run;
  return { orders, position };
}

describe("reads of the account from seconds ago", () => {
  it("2.5 s: orders just placed do not vanish and are not placed again", async () => {
    const most = await mostDuring(resting(scene, 4).then(() => pause(4000)));
    expect(most).toEqual({ orders: 4, position: 0 });
    expect(await openOrdersOf(scene.validatorUrl)).toHaveLength(4);
  });

  it("3 s: fills are not forgotten, and the position stays within its limit", async () => {
    late.lag(3000);
    const sales = async (): Promise<void> => {
      for (let sale = 0; sale < 7; sale += 1) {
        await take(scene.validatorUrl, { side: "sell", contracts: 0.43 });
        await pause(800);
      }
    };
    const most = await mostDuring(sales());
    expect(most.orders).toBeLessThanOrEqual(4);
    expect(most.position).toBeGreaterThan(0.8);
    expect(most.position).toBeLessThanOrEqual(1.5);
    expect(await stateOf(url)).toBe("active");
    await until("quotes", async () => (await openOrdersOf(scene.validatorUrl)).length > 0);
    const told = [...(await metricsOf(url))].filter(([name]) => name.startsWith("quoin_reconcile_mismatches_total"));
    expect(told.filter(([, count]) => count > 0)).toEqual([]);
  });

  it("a stop is confirmed by the answers to its cancels, however old the reads", async () => {
    const startedMs = performance.now();
    expect(await daemon.end()).toBe(0);
    expect(performance.now() - startedMs).toBeLessThan(10_000);
    expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
  });
});
