// Why nothing is quoted, in words that an operator need not look up.

import type { DenialReason } from "../../risk/guard.ts";

/** Each says what is wrong while it is named. The numbers are in the facts beside it. */
export const denialTexts: Readonly<Record<DenialReason, string>> = {
  halted: "halted until an operator lifts it",
  reducing: "asked to reduce only",
  journal: "the journal cannot be written",
  reconciled: "orders and position have not been agreed with the exchange's",
  exposure: "what is live already reaches a limit",
  stream: "the WebSocket is silent or gone",
  marketStatus: "the market is not known to be Active",
  oracleStatus: "the oracle is not known to be Active",
  oracleExpiry: "the print has expired, or is about to",
  printMove: "the last print moved too far",
  book: "the book is not known, crossed, or far from the oracle price",
  volatility: "the market moves too fast",
  clock: "our clock and the chain's differ, or the chain stands still",
  funds: "collateral and margin are not known",
  agentKey: "the agent key is not known to be approved, or is about to end",
  eventLoop: "the process stalled",
  rejectRatio: "the exchange turned down too many orders",
  budget: "what is left of the request budget is kept for cancels",
  dailyPnl: "the day's result is not known, or near its limit",

  scope: "a command was for another account or market",
  wellFormed: "an order was not well formed",
  tick: "a price was off the market's tick, or the tick is not known",
  orderSize: "an order was larger than its limit",
  orderNotional: "an order was worth more than its limit",
  priceBand: "a price was outside the exchange's band",
  oraclePriceCollar: "a price was too far from the oracle price",
  fairValueCollar: "a price was too far through the fair value",
  selfTrade: "an order would have met one of our own",
  duplicate: "an order of the same slot is unanswered",
  openOrders: "there are as many open orders as there may be",
  cancelCapacity: "more would rest than can be canceled in time",
  orderRate: "orders were added as fast as they may be",
  worstPosition: "the position might have passed its limit",
  grossNotional: "the account's notional might have passed its limit",
  margin: "margin would not have carried the worst case",
  guardFault: "judging an order failed",
};
