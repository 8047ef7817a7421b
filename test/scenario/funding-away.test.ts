// A position that is held over a stop pays funding meanwhile: the next start books it as PnL of its market, to the base unit.

import { expect, it } from "vitest";
import { jsonLines } from "../support/json-lines.ts";
import { operate } from "../support/operate.ts";
import { quoinDone } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { counterpartyRow, take } from "./counterparty.ts";
import { startDaemon } from "./daemon.ts";
import { resting, statusOf } from "./operator.ts";
import { sceneForAll } from "./scene.ts";

/** Long enough for a start's first reads between two settlements. Interest of 2 % an hour is paid whatever the book is. */
const FUNDING = "fundingIntervalSecs: 15\n    interestRateMicroBps: 200000000";

const scene = sceneForAll({
  funding: FUNDING,
  params: "{ halfSpreadBps: 10, size: 1 }",
  accounts: counterpartyRow,
});

const read = async (path: string): Promise<Record<string, unknown>> =>
  (await (await fetch(`${scene.validatorUrl}${path}`)).json()) as Record<string, unknown>;
const settledSec = async (): Promise<number> => Number((await read("/v1/markets/1/funding")).lastFundingTimestamp);
const collateral = async (): Promise<bigint> => BigInt(`${(await read("/v1/accounts/12")).collateral}`);
const nextSettlement = async (): Promise<void> => {
  const before = await settledSec();
  await until("a settlement", async () => (await settledSec()) > before);
};
const exported = async (table: string): Promise<readonly Record<string, string>[]> => {
  const { stdout } = await quoinDone(["ledger", "export", "--table", table, "--json", "--config", scene.botConfig]);
  return jsonLines(stdout);
};

it("funding that settled while the daemon was down is PnL, and a deposit beside it is not", async () => {
  const { process, url } = await startDaemon(scene);
  await resting(scene, 2);
  await take(scene.validatorUrl, { side: "sell", contracts: 1 });
  await until("the fill", async () => (await statusOf(url)).accounts[0]?.markets[0]?.fillCount === 1);
  const booked = async () => (await exported("funding")).length;
  await until("funding that the daemon saw", async () => (await booked()) > 0);
  expect(await process.end()).toBe(0);

  const [rows, before] = [await booked(), await collateral()];
  await nextSettlement();
  const { process: second } = await startDaemon(scene);
  await resting(scene, 2);
  expect(await second.end()).toBe(0);
  const funding = await exported("funding");
  expect(funding.length).toBeGreaterThan(rows);
  expect((await exported("transfers")).map(({ reason }) => reason)).toEqual(["opening"]);
  expect(second.stdout()).toMatch(
    /while the daemon was away the collateral changed by (-0\.\d+) USDC, \1 of it by fills and funding"/,
  );
  expect(await collateral()).toBeLessThan(before);
  const { code, stdout } = await quoinDone(["ledger", "verify", "--config", scene.botConfig]);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^account 12: OK/m)]);

  await nextSettlement();
  await operate(scene, "POST", "/accounts/12/deposit", { usdc: "1500" });
  const { process: third } = await startDaemon(scene);
  await resting(scene, 2);
  expect(await third.end()).toBe(0);
  expect((await exported("transfers")).map(({ reason }) => reason)).toEqual(["opening", "whileAway"]);
});
