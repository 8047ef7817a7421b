// The exchange of a drill: the configuration's markets and accounts, at prices that change only when the drill moves them. An embedded
// exchange is used as configured; for any other, the shipped devnet is the pattern.

import { fileURLToPath } from "node:url";
import type { Configuration } from "../../configuration.ts";
import type { DevnetConfig, MarketConfig, OracleSource } from "../../devnet/config/config.ts";
import { loadDevnetConfig } from "../../devnet/config/load.ts";
import { type Price, usdc } from "../../domain/units.ts";
import type { Files } from "../../kernel/yaml/files.ts";

const PATTERN = fileURLToPath(new URL("../../../config/devnet.yaml", import.meta.url));
/** Longer than any drill. */
const VALID_SECS = 86_400;
const COLLATERAL = usdc(1_000_000_000_000n);

/** Throws ConfigError when the shipped pattern is wrong. */
export function drillExchange({ bot, devnet }: Configuration, files: Files): DevnetConfig {
  const base = devnet ?? patternFor(bot, loadDevnetConfig(PATTERN, files));
  return { ...base, clock: { mode: "real" }, markets: base.markets.map(standing) };
}

function patternFor({ venue, accounts }: Configuration["bot"], pattern: DevnetConfig): DevnetConfig {
  const [market, account] = [pattern.markets[0], pattern.accounts[0]];
  if (market === undefined || account === undefined)
    throw new RangeError("the shipped devnet has no market or account");
  const ids = new Set(accounts.flatMap(({ markets }) => markets.map(({ marketId }) => marketId)));
  return {
    ...pattern,
    chainId: venue.chainId,
    markets: [...ids].map((marketId) => ({ ...market, marketId, name: `MARKET-${marketId}` })),
    accounts: accounts.map(({ accountId }, index) => ({
      ...account,
      accountId,
      collateral: COLLATERAL,
      owner: `${index + 1}`.padStart(64, "0"),
      agents: [],
    })),
    apiKeys: [],
    sessions: [],
    users: [],
  };
}

const standing = (market: MarketConfig): MarketConfig => ({
  ...market,
  oracle: { source: "fixed", price: firstPrice(market.oracle), validForSecs: VALID_SECS },
});

function firstPrice(oracle: OracleSource): Price {
  if (oracle.source !== "csv") return oracle.price;
  const [first] = oracle.series.prints;
  if (first === undefined) throw new RangeError("an index without a print");
  return first.price;
}
