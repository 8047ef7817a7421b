// Operator changes to a market: its status (Active trades; Paused only reduces; Settling also only reduces and cancels all other orders;
// Settled closes every position at the last oracle price), and its tick size.

import { divideCeil, divideFloor } from "../../../domain/rounding.ts";
import { type MarketId, NOTIONAL_DIVISOR, type Price, usdc } from "../../../domain/units.ts";
import type { MarketConfig } from "../../config/config.ts";
import type { Receipt } from "../../event.ts";
import { post } from "../accounts/postings.ts";
import type { Context } from "../calls.ts";
import { rateAt } from "../exact.ts";
import { coverIfFlat } from "../liquidation/insurance.ts";
import { refresh } from "../margin/margin.ts";
import { cancelOrder, ordersIn } from "../orders/live-orders.ts";
import { backstopOf, closeOutsideBook } from "../outside-book.ts";
import type { LiveOrder, MarketAccount, MarketState } from "../records.ts";
import { beginStep, type Core, failed, refuse, type Step, succeeded } from "../state.ts";
import { setBand } from "./prices.ts";

export function setMarketStatus(core: Core, id: MarketId, status: MarketConfig["status"], ctx: Context): Receipt {
  const market = core.markets.get(id);
  if (market === undefined) return failed(refuse("UnknownMarket", `market ${id} does not exist`));
  if (market.status === "Settled" && status !== "Settled") {
    return failed(refuse("MarketSettled", `market ${id} is settled for good`));
  }
  const step = beginStep(core, ctx);
  if (market.status === status) return succeeded(step);
  market.status = status;
  if (status === "Settling") cancelIn(step, market, ({ reduceOnly }) => !reduceOnly);
  if (status === "Settled") cancelIn(step, market);
  if (status === "Settled") settlePositions(step, market);
  market.triggersDue = true;
  core.log.market(market);
  step.events.push({ type: "MarketStatusChanged", marketId: id, status });
  return succeeded(step);
}

function cancelIn(step: Step, market: MarketState, goes: (order: LiveOrder) => boolean = () => true): void {
  for (const marketAccount of market.accounts) {
    for (const order of ordersIn(marketAccount)) if (goes(order)) cancelOrder(step, order, "MarketClosed");
    refresh(marketAccount);
  }
}

/**
 * Closes every position at the last oracle price, without fees, by fills outside the book against the backstop account, whose own position
 * closes with them. Longs receive rounded down, shorts pay rounded up; the difference goes to the rounding ledger.
 */
function settlePositions(step: Step, market: MarketState): void {
  const { core } = step;
  const backstop = backstopOf(core, market);
  /** Amount that the backstop receives beyond the value of its own position: the rounding difference. */
  let residue = -divideFloor(
    BigInt(backstop.markets.get(market.id)?.units ?? 0) * market.oraclePrice,
    NOTIONAL_DIVISOR,
  );
  for (const marketAccount of [...market.accounts]) {
    if (marketAccount.units === 0 || marketAccount.account === backstop) continue;
    residue += settle(step, marketAccount);
    coverIfFlat(core, marketAccount.account);
  }
  post(core.log, backstop, core.ledgers.rounding, residue);
  coverIfFlat(core, backstop);
}

/** Closes one position; returns the amount that the backstop account received, negative if it paid. */
function settle(step: Step, marketAccount: MarketAccount): bigint {
  const { market, units } = marketAccount;
  const exact = BigInt(Math.abs(units)) * market.oraclePrice;
  const value = units > 0 ? divideFloor(exact, NOTIONAL_DIVISOR) : divideCeil(exact, NOTIONAL_DIVISOR);
  closeOutsideBook(step, marketAccount, { price: market.oraclePrice, value, fee: usdc(0n) });
  return units > 0 ? -value : value;
}

/** Cancels resting orders, because their prices are in the old tick; positions stay. */
export function setTickSize(core: Core, id: MarketId, tickSize: Price, ctx: Context): Receipt {
  const market = core.markets.get(id);
  if (market === undefined) return failed(refuse("UnknownMarket", `market ${id} does not exist`));
  if (tickSize <= 0n) return failed(refuse("InvalidPrice", "a tick is above zero"));
  const step = beginStep(core, ctx);
  if (market.tickSize === tickSize) return succeeded(step);
  cancelIn(step, market);
  takeTickSize(market, tickSize);
  core.log.tickSize(market);
  return succeeded(step);
}

/** Call only if no order rests. */
export function takeTickSize(market: MarketState, tickSize: Price): void {
  market.tickSize = tickSize;
  market.tickRate = rateAt(tickSize);
  if (market.oraclePrice !== 0n) setBand(market);
}
