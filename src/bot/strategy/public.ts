// Everything that a file in strategies/ may import: what a strategy is, what it reads, and helpers for quoting.

export { type Book, bestAsk, bestBid, isCrossed } from "../../domain/book.ts";
export { bookWeight, closingPrice, depthMicroprice, depthMid } from "../../domain/depth.ts";
export type { Oracle } from "../../domain/market.ts";
export { othersBook } from "../../domain/others-book.ts";
export type { Quote, Quotes } from "../../domain/quotes.ts";
export { noQuotes } from "../../domain/quotes.ts";
export { contractsOf, priceFromUsd, scaled, sizeFromContracts, usdOf } from "../../domain/rounding.ts";
export { bps, contracts, count, fraction, positive } from "../../domain/scalars.ts";
export type { Price, Side, Size } from "../../domain/units.ts";
export { price, size } from "../../domain/units.ts";
export { fresh, lastKnown, type Signals, type View } from "../../domain/view.ts";
export { withAllowed } from "../../kernel/nearest.ts";
export { exp, ln } from "../../kernel/real.ts";
export { type Carry, carryFairValue, settlementsBetween } from "./carry.ts";
export { type Center, centerParam, centerReads, centers, fairValueUsd, reduceWhileThin } from "./fair-value.ts";
export {
  boundedHalfSpread,
  type FillModel,
  type FillModelParams,
  fillModel,
  fillModelParams,
  fillModelRules,
  inventoryLots,
  inventoryStdLots,
  leanOf,
  modelDrifts,
  modelParams,
  modelReads,
} from "./fill-model.ts";
export { skewInventory } from "./inventory.ts";
export { type Ladder, type Level, type Levels, ladderQuotes, levelQuotes } from "./ladder.ts";
export {
  breakEvenWidth,
  type GuardTimes,
  guardPhase,
  guardQuotes,
  recoveryWidth,
  timesFor,
  windowShare,
} from "./print-guard.ts";
export { defineStrategy, type Strategy } from "./strategy.ts";
export { reduction } from "./target-quotes.ts";
export { towardOutside, untilPrint, type Worth, worthIn } from "./worth.ts";
