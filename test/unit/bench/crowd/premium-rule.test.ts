// The rule on the premium beside the crowd: it trades against the premium alone, and its hours add up to what the exchange has for it.

import { expect, it } from "vitest";
import { runMarket } from "../../../../bench/crowd/market-run.ts";
import { equityOf } from "../../../../bench/crowd/naive-maker.ts";
import { PremiumTrader } from "../../../../bench/crowd/premium-rule.ts";
import { loadDevnetConfig } from "../../../../src/devnet/config/load.ts";
import { systemFiles } from "../../../../src/kernel/yaml/files.ts";

it("earns in its hours what its account gains, and says apart what fills were worth at the mid", async () => {
  const loaded = loadDevnetConfig("config/devnet-daily.yaml", systemFiles);
  const clock = { mode: "manual", startMs: 1_790_000_000_000 } as const;
  const config = { ...loaded, blockTimeMs: 1000, clock };
  const [account] = config.accounts;
  if (account === undefined) throw new Error("the configuration has no account");
  const rule = { accountId: account.accountId, marketId: 1, halfSpreadBps: 2.1, perBp: 1 };
  const trader = new PremiumTrader(rule);
  const run = await runMarket(config, 1 / 3, { beside: trader.beside });
  const hours = trader.hours(run, 1);
  const sum = (of: "total" | "atMid" | "held") => hours.reduce((total, hour) => total + hour[of], 0);
  const traded = run.trades.flatMap(({ makers }) => makers.filter((fill) => fill.account === rule.accountId));
  const gained = equityOf(run.reads, rule) - Number(account.collateral) / 1e6;
  const turnover = traded.reduce((total, { size, price }) => total + size * Math.exp(price / 10_000), 0);
  expect(traded.length).toBeGreaterThan(10);
  // The exchange values the position at the mark, the rule at the mid: within five basis points of its turnover.
  expect(Math.abs(sum("total") - gained)).toBeLessThan(turnover * 0.0005);
  expect(sum("atMid")).toBeLessThan(sum("total"));
});
