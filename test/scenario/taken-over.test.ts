// A position that the exchange ends, with real processes: the account of a daemon is liquidated and taken over by the backstop, or its market
// settles. The books come to what the exchange's history says, to the base unit, and nothing in them is unexplained.

import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { quoinDone } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { counterpartyRow, take } from "./counterparty.ts";
import { endScenes, type Scene, startDaemon, startScene } from "./daemon.ts";
import { ask } from "./devnet-set-up.ts";
import { exchangeRecord } from "./exchange-record.ts";
import { judge } from "./judge.ts";
import { resting, statusOf } from "./operator.ts";

let scene: Scene;
afterEach(endScenes);

/** A daemon on an account of `collateral` USDC that has bought 4 contracts, from 216.72 down. */
async function startLong(collateral: number): Promise<Awaited<ReturnType<typeof startDaemon>>> {
  scene = await startScene({
    params: "{ halfSpreadBps: 10, size: 2, levels: 2, stepBps: 5 }",
    limits: "maxPosition: 20, maxOrderSize: 2, maxOpenOrders: 20, maxLoss: 1000",
    accounts: counterpartyRow,
    collateral,
  });
  const daemon = await startDaemon(scene);
  await resting(scene, 4);
  await take(scene.validatorUrl, { side: "sell", contracts: 4 });
  await until("the position", async () => (await positionOf(daemon.url)) === 4);
  return daemon;
}

const positionOf = async (url: string) => (await statusOf(url)).accounts[0]?.markets[0]?.position;

async function control(method: "POST" | "PATCH", path: string, body: object): Promise<void> {
  const headers = { "content-type": "application/json" };
  const answer = await ask(`${scene.controlUrl}${path}`, { method, headers, body: JSON.stringify(body) });
  expect(answer).toMatchObject({ status: 200 });
}

/** What nothing explains the daemon calls foreign after two seconds. */
const FOREIGN_AFTER_MS = 4000;

/** Ends the daemon, flat, and compares: nothing foreign, no mismatch, each fill and every base unit as the exchange has them. */
async function expectBooked({ url, process }: Awaited<ReturnType<typeof startDaemon>>): Promise<void> {
  await until("no position", async () => (await positionOf(url)) === 0);
  await pause(FOREIGN_AFTER_MS);
  expect(await process.end()).toBe(0);
  expect(process.stdout()).not.toMatch(/reconcile\.mismatch|foreign/);
  const { account, fills } = await exchangeRecord(scene);
  const pnl = fills.reduce((sum, { realizedPnl, fee }) => sum + (realizedPnl ?? 0n) - (fee ?? 0n), 0n);
  const usdc = (units: bigint) => Number(units) / 1e6;
  const verify = await quoinDone(["ledger", "verify", "--config", scene.botConfig]);
  expect(verify).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`OK: collateral ${usdc(account.collateral)} `),
  });
  const { stdout: trades } = await quoinDone(["trades", "--config", scene.botConfig]);
  for (const { orderId, txHash, price } of fills) {
    expect(trades).toMatch(new RegExp(`${String(usdc(price / 100n)).replace(".", "\\.")} .* ${orderId}  ${txHash}`));
  }
  const { stdout: report } = await quoinDone(["pnl", "--config", scene.botConfig, "--by", "day"]);
  expect(report).toContain(`  ${usdc(pnl)}  `);
}

/** The order by which the exchange closes the position is in no journal. */
const faultsOf = async (of: Scene) =>
  (await judge(of)).faults.filter((fault) => !fault.includes("orders at the exchange"));

it("liquidated and taken over: one halt, and it says why", async () => {
  const daemon = await startLong(120);
  await control("POST", "/faults", { kind: "oracleJump", marketId: 1, bps: -1200 });
  await expectBooked(daemon);
  expect(await faultsOf(scene)).toEqual([expect.stringMatching(/^a halt was tripped: .*"kind":"liquidation"/)]);
});

it("settled: no halt", async () => {
  const daemon = await startLong(100_000);
  await control("PATCH", "/markets/1", { status: "Settling" });
  await control("PATCH", "/markets/1", { status: "Settled" });
  await expectBooked(daemon);
  expect(await faultsOf(scene)).toEqual([]);
});
