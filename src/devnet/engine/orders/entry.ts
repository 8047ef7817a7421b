// How an order enters the market: planned against the book, checked as a whole, then executed as planned. Used for new orders, modified
// orders and triggered stops.

import { size } from "../../../domain/units.ts";
import type { CancelReason } from "../../event.ts";
import { keepMarketAccount } from "../accounts/market-accounts.ts";
import { reaches } from "../book/match-plan.ts";
import type { Refusal } from "../calls.ts";
import { clearFill } from "../clearing.ts";
import { closableUnits, freeMargin, modeOf, refresh, refreshMargin } from "../margin/margin.ts";
import { slippageLimit } from "../market/prices.ts";
import type { LiveOrder } from "../records.ts";
import { type Core, markBook, refuse, type Step } from "../state.ts";
import { checkMargin } from "./entry-margin.ts";
import { activateExits, fitExits } from "./exits.ts";
import { cancelOrder, dropOrder, exitPlacesOf, reserve, restOrder } from "./live-orders.ts";
import { planOrder } from "./maker-margin.ts";
import { fitReduceOnly } from "./reduce-only.ts";

/**
 * Null if the order may execute as the core's plan says; changes nothing else. A reduce-only order is clipped to the position. `replaced`:
 * the resting order that it replaces.
 */
export function checkEntry(core: Core, order: LiveOrder, replaced: LiveOrder | null): Refusal | null {
  const { marketAccount } = order;
  const { market } = marketAccount;
  const closed = checkStatus(order) ?? checkOracle(order) ?? clipReduceOnly(order) ?? checkMode(order);
  if (closed !== null) return closed;
  const limit = isMarketKind(order) ? slippageLimit(market, order.side, order.maxSlippageBps) : order.ticks;
  const refusal = isMarketKind(order) ? null : checkCrossing(order);
  if (refusal !== null) return refusal;
  planOrder(core, order, limit);
  const { plan } = core;
  if (order.timeInForce === "FOK" && plan.filled < order.remaining) {
    return refuse("FokUnfilled", `fill or kill order can fill ${plan.filled} of ${order.remaining} size units`);
  }
  const resting = restsAfter(core, order) ? order.remaining - plan.filled : 0;
  const crowded = checkSlots(core, order, resting > 0 ? 1 : 0) ?? checkRoom(order, resting);
  return crowded ?? checkOpenInterest(order) ?? checkMargin(order, plan, resting, replaced);
}

/**
 * Executes the core's plan for a checked order. The unfilled part rests or is canceled with the reason; if the order still waits for its
 * trigger, that part keeps waiting.
 */
export function enter(step: Step, order: LiveOrder): void {
  const { core, ctx } = step;
  const { marketAccount } = order;
  const { plan } = core;
  keepMarketAccount(marketAccount);
  order.mode = modeOf(order);
  if (!order.reduceOnly) marketAccount.mode = order.mode;
  order.updatedAtMs = ctx.timeMs;
  const rests = restsAfter(core, order);
  const filledBefore = order.filled;
  for (let row = 0; row < plan.count; row += 1) takeMaker(step, order, row);
  if (order.remaining === 0) dropOrder(step, order);
  else if (rests) restOrder(step, order);
  else if (!order.untriggered) cancelOrder(step, order, plan.stopped ? "SelfTrade" : "IocRemainder");
  if (order.filled === filledBefore) refreshMargin(marketAccount);
  else afterFill(step, order, order.filled - filledBefore);
  fitReduceOnly(step, marketAccount);
  for (let row = 0; row < plan.count; row += 1) {
    const maker = plan.makers[row];
    if (maker !== undefined) fitReduceOnly(step, maker.marketAccount);
  }
}

/** Updates margin and exits after a fill; an account without free margin is checked for liquidation in the next block. */
function afterFill(step: Step, order: LiveOrder, units: number): void {
  const { marketAccount } = order;
  refresh(marketAccount);
  activateExits(step, order, units);
  fitExits(step, marketAccount);
  if (freeMargin(marketAccount.account) < 0n) step.core.watched.add(marketAccount.account);
}

/** Executes one row of the plan: the maker's fill, if any, and the maker's removal if it is filled or may not stay. */
function takeMaker(step: Step, taker: LiveOrder, row: number): void {
  const { plan } = step.core;
  const maker = plan.makers[row];
  const units = plan.units[row] ?? 0;
  if (maker === undefined || (units === 0 && plan.leaves[row] === false)) return;
  const { book } = maker.marketAccount.market;
  if (units > 0) {
    reserve(maker, -units);
    book.reduce(maker, units);
    maker.filled += units;
    maker.updatedAtMs = step.ctx.timeMs;
    taker.filled += units;
    taker.remaining -= units;
    clearFill(step, taker, maker, units);
  }
  if (maker.remaining === 0) dropOrder(step, maker);
  else if (plan.leaves[row]) cancelOrder(step, maker, "InsufficientMargin");
  else step.core.log.order(maker);
  markBook(step, maker.marketAccount.market);
  if (units > 0) afterFill(step, maker, units);
  else refreshMargin(maker.marketAccount);
}

/** Orders without a limit price. */
export const isMarketKind = (order: LiveOrder): boolean =>
  order.orderType === "Market" || order.orderType === "StopMarket";

/** Market orders never rest, whatever their time in force; nor does an order that met one of its own account. */
const restsAfter = (core: Core, order: LiveOrder): boolean =>
  order.timeInForce === "GTC" && !isMarketKind(order) && !core.plan.stopped;

/** A market that is not Active accepts only reducing orders (S7); a settled market accepts none. */
export function checkStatus({ marketAccount: { market }, reduceOnly }: LiveOrder): Refusal | null {
  if (market.oraclePrice === 0n) return refuse("NoOraclePrice", "the market has no oracle price yet");
  if (market.status === "Active" || (reduceOnly && market.status !== "Settled")) return null;
  return refuse("MarketNotActive", `market ${market.id} is ${market.status}`);
}

/** While the oracle is halted, only reducing orders are accepted. */
function checkOracle({ marketAccount: { market }, reduceOnly }: LiveOrder): Refusal | null {
  if (reduceOnly || market.oracleStatus !== "Halted") return null;
  return refuse("OracleHalted", "the market's oracle is halted");
}

/** Shrinks a reduce-only order to the size of the position. */
function clipReduceOnly(order: LiveOrder): Refusal | null {
  if (!order.reduceOnly) return null;
  const closable = closableUnits(order.marketAccount, order.side);
  if (closable === 0) return refuse("ReduceOnly", "reduce only order would not reduce a position");
  if (order.remaining > closable) {
    order.remaining = closable;
    order.size = size(BigInt(order.filled + closable));
  }
  return null;
}

/** An account has one margin mode at a time per market. */
function checkMode(order: LiveOrder): Refusal | null {
  const { marketAccount } = order;
  const mode = modeOf(order);
  if (order.reduceOnly || mode === marketAccount.mode) return null;
  if (marketAccount.units === 0 && marketAccount.buyUnits === 0 && marketAccount.sellUnits === 0) return null;
  return refuse("MarginModeMismatch", `the position or its orders are ${marketAccount.mode}, the order is ${mode}`);
}

/** A limit order that would trade at once must not be post-only, and its limit must be in the price band. */
function checkCrossing(order: LiveOrder): Refusal | null {
  const { market } = order.marketAccount;
  const best = market.book.bestAgainst(order.side);
  if (best === null || !reaches(order.side, order.ticks, best.ticks)) return null;
  if (order.postOnly) return refuse("PostOnlyWouldCross", "post only order would cross");
  const outside = order.side === "buy" ? order.ticks > market.bandHigh : order.ticks < market.bandLow;
  return outside ? refuse("PriceBand", "price is outside the band around the oracle price") : null;
}

/** There must be room under the open-order cap for the order, if it stays, and for its exits. A listed order already has its places. */
export function checkSlots(core: Core, order: LiveOrder, staying: 0 | 1): Refusal | null {
  if (order.listed) return null;
  const { account } = order.marketAccount;
  const wanted = staying + exitPlacesOf(order);
  if (wanted === 0 || account.placesTaken + wanted <= core.openOrderCap) return null;
  const taken = `${account.placesTaken} of ${core.openOrderCap} places are taken`;
  return refuse("OpenOrderCap", `the order needs ${wanted} places, ${taken} by open orders and exits that may come`);
}

function checkRoom(order: LiveOrder, resting: number): Refusal | null {
  if (resting === 0) return null;
  const { market } = order.marketAccount;
  if (market.book.hasRoom(order.side, order.ticks, resting)) return null;
  return refuse("SizeLimit", "the price level is beyond what this market can count exactly");
}

/** Open interest grows only when a taker opens, so checking the taker's whole size keeps the limit. */
function checkOpenInterest(order: LiveOrder): Refusal | null {
  const { marketAccount } = order;
  const opening = order.remaining - closableUnits(marketAccount, order.side);
  if (order.reduceOnly || opening <= 0) return null;
  const { market } = marketAccount;
  if (BigInt(market.openInterest) + BigInt(opening) <= market.spec.maxOpenInterest) return null;
  return refuse("OpenInterestLimit", "order would pass the market's open interest limit");
}

/** Why an accepted order could not continue; `Refused` if no other name fits. */
export function reasonOf(refusal: Refusal): CancelReason {
  switch (refusal.code) {
    case "PostOnlyWouldCross":
    case "FokUnfilled":
    case "ReduceOnly":
    case "InsufficientMargin":
      return refusal.code;
    case "MarketNotActive":
    case "OracleHalted":
    case "NoOraclePrice":
      return "MarketClosed";
    default:
      return "Refused";
  }
}
