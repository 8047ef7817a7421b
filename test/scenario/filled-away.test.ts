// What fills of resting orders earned while a killed daemon was down is PnL, fees included: the next run finds them and their money.

import { beforeAll, expect, test } from "vitest";
import { quoinDone } from "../support/quoin.ts";
import { until } from "../support/until.ts";
import { counterpartyRow, rest, take } from "./counterparty.ts";
import { openOrdersOf, startDaemonProcess } from "./daemon.ts";
import { statusOf } from "./operator.ts";
import { sceneForAll } from "./scene.ts";

const OPENING_USDC = 100_000;
const scene = sceneForAll({ accounts: counterpartyRow });

beforeAll(async () => {
  await rest(scene.validatorUrl, { side: "buy", contracts: 50, usd: 215 });
  await rest(scene.validatorUrl, { side: "sell", contracts: 50, usd: 219 });
});

test("a position that was opened, added to and reduced while away: its whole gain is PnL, and none of it a transfer", async () => {
  const quoted = () => until("four resting orders", async () => (await openOrdersOf(scene.validatorUrl)).length === 4);
  const first = await startDaemonProcess(scene);
  await quoted();
  await take(scene.validatorUrl, { side: "sell", contracts: 0.1 });
  const accountNow = async (url: string) => (await statusOf(url)).accounts[0];
  await until("the first fill", async () => (await accountNow(first.url))?.markets[0]?.fillCount === 1);
  await first.process.end("SIGKILL");
  await take(scene.validatorUrl, { side: "sell", contracts: 0.2 });
  await take(scene.validatorUrl, { side: "buy", contracts: 0.1 });

  const { process: daemon, url } = await startDaemonProcess(scene);
  const line = await daemon.seen("what changed", (text) => /start\.changedAway.*/.exec(text)?.[0]);
  expect(line).toMatch(
    /while the daemon was away the collateral changed by \+(0\.\d+) USDC, \+\1 of it by fills and funding"/,
  );
  await quoted();
  const account = await accountNow(url);
  const market = account?.markets[0];
  expect([market?.fillCount, market?.position]).toEqual([4, 0.2]);
  expect(market?.pnl.fees).toBeGreaterThan(0);
  expect(market?.pnl.total).toBeCloseTo((account?.equityUsdc ?? 0) - OPENING_USDC, 6);

  const ledger = (...words: readonly string[]) => quoinDone(["ledger", ...words, "--config", scene.botConfig]);
  const { stdout } = await ledger("export", "--table", "transfers", "--json");
  const reasons = stdout
    .trim()
    .split("\n")
    .map((row) => (JSON.parse(row) as { readonly reason: string }).reason);
  expect(reasons).toEqual(["opening", "fills"]);
  expect(await ledger("verify")).toMatchObject({ code: 0, stdout: expect.stringContaining("account 12: OK") });
});
