// Prints and their immediate effects: the price band, and the value of every position that is valued at the oracle price.

import type { OracleStatus } from "../../../domain/market.ts";
import type { MarketId, Price } from "../../../domain/units.ts";
import type { Receipt } from "../../event.ts";
import { dayOf } from "../accounts/volume.ts";
import type { Context } from "../calls.ts";
import { rateAt } from "../exact.ts";
import { revalue } from "../margin/margin.ts";
import type { MarketState } from "../records.ts";
import { beginStep, type Core, failed, refuse, succeeded } from "../state.ts";
import { startFunding } from "./funding.ts";
import { followsOracle, markPriceOf, setBand } from "./prices.ts";

/** Days of history kept: ten years of daily prints. */
const PRINTS_KEPT = 3660;

export function publishPrint(core: Core, id: MarketId, at: Price, validUntilMs: number, ctx: Context): Receipt {
  const market = core.markets.get(id);
  if (market === undefined) return failed(refuse("UnknownMarket", `market ${id} does not exist`));
  if (at <= 0n) return failed(refuse("InvalidPrice", "oracle price must be above 0"));
  const step = beginStep(core, ctx);
  /** The first print counts as its own predecessor, because 0 is not a price (S2.2). */
  const previousPrice = market.oraclePrice === 0n ? at : market.oraclePrice;
  market.lastOraclePrice = previousPrice;
  market.oraclePrice = at;
  market.lastPrintMs = ctx.timeMs;
  market.validUntilMs = validUntilMs;
  if (market.oracleStatus !== "Halted") market.oracleStatus = statusAt(market, ctx.timeMs);
  keepPrint(market, at, ctx.timeMs);
  startFunding(market, ctx.timeMs);
  setBand(market);
  if (followsOracle(market) || market.risk.price === 0n) setRiskPrice(market, at);
  core.log.market(market);
  step.events.push({
    type: "OracleUpdated",
    marketId: id,
    price: at,
    previousPrice,
    positionsUpdated: market.accounts.filter((marketAccount) => marketAccount.units !== 0).length,
    validUntilSec: Math.ceil(validUntilMs / 1000),
  });
  return succeeded(step);
}

/** A print is valid strictly before its end (S3). */
const statusAt = (market: MarketState, timeMs: number): OracleStatus =>
  timeMs < market.validUntilMs ? "Active" : "Stale";

/** Real-estate markets have one point per day (S2.10): the day's last print is kept. */
function keepPrint(market: MarketState, at: Price, timeMs: number): void {
  const last = market.prints.at(-1);
  if (last !== undefined && dayOf(last.timeMs) === dayOf(timeMs)) market.prints.pop();
  market.prints.push({ timeMs, price: at });
  if (market.prints.length > PRINTS_KEPT) market.prints.shift();
}

/** Changes the valuation price of positions; triggers and liquidations are checked when the next block begins. */
function setRiskPrice(market: MarketState, at: Price): void {
  if (market.risk.price === at) return;
  market.risk = rateAt(at);
  market.triggersDue = true;
  market.healthDue = true;
  for (const marketAccount of market.accounts) revalue(marketAccount);
}

export function setOracle(
  core: Core,
  id: MarketId,
  change: { readonly status?: OracleStatus; readonly validUntilMs?: number },
  ctx: Context,
): Receipt {
  const market = core.markets.get(id);
  if (market === undefined) return failed(refuse("UnknownMarket", `market ${id} does not exist`));
  const step = beginStep(core, ctx);
  if (change.validUntilMs !== undefined) {
    market.validUntilMs = change.validUntilMs;
    if (market.oracleStatus !== "Halted") market.oracleStatus = statusAt(market, ctx.timeMs);
  }
  if (change.status !== undefined) market.oracleStatus = change.status;
  market.triggersDue = true;
  core.log.market(market);
  return succeeded(step);
}

/** At the start of a block: marks an expired print as stale; a market valued at its mark price takes the current mark. */
export function ageOracle(core: Core, market: MarketState, timeMs: number): void {
  const before = market.risk.price;
  const expired = market.oracleStatus === "Active" && timeMs >= market.validUntilMs;
  if (expired) market.oracleStatus = "Stale";
  if (!followsOracle(market) && market.oraclePrice !== 0n) setRiskPrice(market, markPriceOf(market));
  if (expired || market.risk.price !== before) core.log.market(market);
}
