// The prices a market goes by, besides those of its orders: mark, risk, the band that aggressive orders may trade in.

import { divideCeil, divideFloor } from "../../../domain/rounding.ts";
import { BPS, type Price, price, type Side } from "../../../domain/units.ts";
import type { MarketState } from "../records.ts";

/** Ticks inside `bps` of a price, at most 2^53 - 1 and at least 0. */
const ticksAbove = (center: Price, bps: number, tickSize: bigint): number =>
  Math.min(Number.MAX_SAFE_INTEGER, Number(divideFloor(center * (BPS + BigInt(bps)), BPS * tickSize)));

const ticksBelow = (center: Price, bps: number, tickSize: bigint): number =>
  bps >= 10_000
    ? 0
    : Math.min(Number.MAX_SAFE_INTEGER, Number(divideCeil(center * (BPS - BigInt(bps)), BPS * tickSize)));

/** To be called after each print. */
export function setBand(market: MarketState): void {
  market.bandLow = ticksBelow(market.oraclePrice, market.spec.priceBandBps, market.tickSize);
  market.bandHigh = ticksAbove(market.oraclePrice, market.spec.priceBandBps, market.tickSize);
}

/** Mid held inside the price band around the oracle price; the oracle price while a side is empty. */
export function markPriceOf(market: MarketState): Price {
  const { bestBid, bestAsk } = market.book;
  if (bestBid === null || bestAsk === null) return market.oraclePrice;
  const doubled = (BigInt(bestBid.ticks) + BigInt(bestAsk.ticks)) * market.tickSize;
  return clampToBand(market, price(doubled / 2n));
}

/** Holds a price inside the band, whose edges are exact here, not on the tick. */
function clampToBand(market: MarketState, at: Price): Price {
  const { oraclePrice, spec } = market;
  const width = (oraclePrice * BigInt(spec.priceBandBps)) / BPS;
  if (at > oraclePrice + width) return price(oraclePrice + width);
  if (at < oraclePrice - width) return price(oraclePrice - width);
  return at;
}

/** Worst tick for an order without a limit price: its slippage from the mark price, and never beyond the band. */
export function slippageLimit(market: MarketState, side: Side, maxSlippageBps: number | null): number {
  const edge = side === "buy" ? market.bandHigh : market.bandLow;
  if (maxSlippageBps === null) return edge;
  const mark = markPriceOf(market);
  return side === "buy"
    ? Math.min(edge, ticksAbove(mark, maxSlippageBps, market.tickSize))
    : Math.max(edge, ticksBelow(mark, maxSlippageBps, market.tickSize));
}

/** True where margin, liquidation and triggers use the oracle price, which moves only with prints. */
export const followsOracle = (market: MarketState): boolean => market.spec.assetClass === "RealEstate";
