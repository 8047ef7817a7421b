// Account reads that are seconds old while everything else is of now: once they agreed twice, live orders "vanished" and were placed again
// (10 resting where 4 are allowed at 2.5 s; a position of 3.31 where 1.5 is allowed at 3 s).

import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endAll, type Running } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { counterpartyRow, take } from "./counterparty.ts";
import { metricsOf, openOrdersOf, removeScene, type Scene, startDaemon, startScene } from "./daemon.ts";
import { type LateReads, startLateReads } from "./late-reads.ts";
import { positionsOf, resting, stateOf } from "./operator.ts";

let scene: Scene;
let late: LateReads;
let daemon: Running;
let url: string;

const print = (price: string) =>
  fetch(`${scene.controlUrl}/oracle/1`, { method: "PATCH", body: JSON.stringify({ price }) });

beforeAll(async () => {
  scene = await startScene({
    oracle: "{ source: fixed, price: 216.94, validForSecs: 86400 }",
    accounts: counterpartyRow,
    params: "{ halfSpreadBps: 10, size: 0.5, levels: 2, stepBps: 5 }",
    limits: "maxPosition: 1.5, maxOrderSize: 1, maxOpenOrders: 4, maxLoss: 500",
  });
  late = await startLateReads(scene.validatorUrl, "/v1/accounts/12");
  writeFileSync(scene.botConfig, readFileSync(scene.botConfig, "utf8").replace(scene.validatorUrl, late.url));
  ({ process: daemon, url } = await startDaemon(scene));
  await resting(scene, 4);
});
afterAll(async () => {
  await endAll();
  await late.close();
  removeScene(scene);
});

/** Prints and takers for some seconds; the most that rested and the largest position. */
async function trade(seconds: number): Promise<{ readonly orders: number; readonly position: number }> {
  let [orders, position] = [0, 0];
  const look = async (): Promise<void> => {
    orders = Math.max(orders, (await openOrdersOf(scene.validatorUrl)).length);
    for (const { size } of await positionsOf(scene)) position = Math.max(position, Number(size) / 1e6);
  };
  for (let turn = 0; turn < seconds * 5; turn += 1) {
    await print((216.94 + 0.12 * (turn % 4)).toFixed(2));
    if (turn % 6 === 5) await take(scene.validatorUrl, { side: "sell", contracts: 0.4 });
    for (let nth = 0; nth < 4; nth += 1) {
      await look();
      await pause(50);
    }
  }
  return { orders, position };
}

describe("reads of the account from seconds ago", () => {
  it.each([2500, 3000])(
    "%d ms: no more orders than allowed, no more position, and the bot quotes on",
    async (lagMs) => {
      late.lag(lagMs);
      const most = await trade(8);
      expect(most.orders).toBeLessThanOrEqual(4);
      expect(most.orders).toBeGreaterThan(0);
      expect(most.position).toBeLessThanOrEqual(1.5);
      expect(await stateOf(url)).toBe("active");
      await until("quotes", async () => (await openOrdersOf(scene.validatorUrl)).length > 0);
      const mismatches = [...(await metricsOf(url))].filter(([name]) =>
        name.startsWith("quoin_reconcile_mismatches_total"),
      );
      expect(mismatches.filter(([, count]) => count > 0)).toEqual([]);
    },
  );

  it("a stop is confirmed by the answers to its cancels, however old the reads", async () => {
    const startedMs = performance.now();
    expect(await daemon.end()).toBe(0);
    expect(performance.now() - startedMs).toBeLessThan(10_000);
    expect(await openOrdersOf(scene.validatorUrl)).toEqual([]);
  });
});
