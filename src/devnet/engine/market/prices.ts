// The prices of a market other than those of orders: mark price, risk price, and the price band of aggressive orders.

import { divideCeil, divideFloor } from "../../../domain/rounding.ts";
import { BPS, NOTIONAL_DIVISOR, type Price, price, type Side } from "../../../domain/units.ts";
import type { Level } from "../book/order-book.ts";
import type { LiveOrder, MarketState } from "../records.ts";

/** Highest tick within `bps` above a price, 0 to 2^53 - 1. */
const ticksAbove = (center: Price, bps: number, tickSize: bigint): number =>
  Math.min(Number.MAX_SAFE_INTEGER, Number(divideFloor(center * (BPS + BigInt(bps)), BPS * tickSize)));

const ticksBelow = (center: Price, bps: number, tickSize: bigint): number =>
  bps >= 10_000
    ? 0
    : Math.min(Number.MAX_SAFE_INTEGER, Number(divideCeil(center * (BPS - BigInt(bps)), BPS * tickSize)));

/** Call after each print. */
export function setBand(market: MarketState): void {
  market.bandLow = ticksBelow(market.oraclePrice, market.spec.priceBandBps, market.tickSize);
  market.bandHigh = ticksAbove(market.oraclePrice, market.spec.priceBandBps, market.tickSize);
}

/**
 * Mean of both sides' impact prices at the depth threshold, rounded down, limited to the price band around the oracle price; the oracle
 * price if a side lacks that depth. Computed once per book version and oracle price.
 */
export function markPriceOf(market: MarketState): Price {
  const { book, markMemo, oraclePrice } = market;
  if (markMemo.version !== book.version || markMemo.oraclePrice !== oraclePrice) {
    market.markMemo = { version: book.version, oraclePrice, price: reckonMark(market) };
  }
  return market.markMemo.price;
}

function reckonMark(market: MarketState): Price {
  const bid = impactPrice(market.book.bestBid, market.depthThreshold);
  const ask = bid === null ? null : impactPrice(market.book.bestAsk, market.depthThreshold);
  if (bid === null || ask === null) return market.oraclePrice;
  return clampToBand(market, price((bid + ask) / 2n));
}

/** Mean price of filling `threshold` USDC from a side of the book, in whole size units, rounded down; null if the side has less. */
function impactPrice(best: Level<LiveOrder> | null, threshold: bigint): Price | null {
  const sought = threshold * NOTIONAL_DIVISOR;
  let value = 0n;
  let units = 0n;
  for (let level = best; level !== null; level = level.worse) {
    const at = level.first.price;
    const wanted = divideCeil(sought - value, at);
    const there = BigInt(level.units);
    const taken = there < wanted ? there : wanted;
    value += at * taken;
    units += taken;
    if (taken === wanted) return price(value / units);
  }
  return null;
}

/** Limits a price to the band; the edges are exact here, not rounded to the tick. */
function clampToBand(market: MarketState, at: Price): Price {
  const { oraclePrice, spec } = market;
  const width = (oraclePrice * BigInt(spec.priceBandBps)) / BPS;
  if (at > oraclePrice + width) return price(oraclePrice + width);
  if (at < oraclePrice - width) return price(oraclePrice - width);
  return at;
}

/** Worst tick for an order without a limit price: its slippage from the mark price, never beyond the band. */
export function slippageLimit(market: MarketState, side: Side, maxSlippageBps: number | null): number {
  const edge = side === "buy" ? market.bandHigh : market.bandLow;
  if (maxSlippageBps === null) return edge;
  const mark = markPriceOf(market);
  return side === "buy"
    ? Math.min(edge, ticksAbove(mark, maxSlippageBps, market.tickSize))
    : Math.max(edge, ticksBelow(mark, maxSlippageBps, market.tickSize));
}

/** True if margin, liquidation and triggers use the oracle price, which changes only with prints. */
export const followsOracle = (market: MarketState): boolean => market.spec.assetClass === "RealEstate";
