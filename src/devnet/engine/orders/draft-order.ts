// Drafts orders before they get a number: converts a transaction's fields to an order in ticks and units, or refuses it, with every check
// that needs neither the book nor the account's money; also drafts the exchange's own orders.

import type { OrderType } from "../../../domain/order.ts";
import { orderId, type Price, price, type Size, size } from "../../../domain/units.ts";
import { plainTerms } from "../../../wire/transaction/trading.ts";
import { marketAccountOf } from "../accounts/market-accounts.ts";
import type { Context, PlaceOrder, Refusal } from "../calls.ts";
import { keyOf, type LiveOrder, type MarketAccount, type MarketState } from "../records.ts";
import { type Core, refuse } from "../state.ts";

/** An order's terms without account and market. */
type Terms = Omit<PlaceOrder, "accountId" | "marketId">;

const MAX_BPS = 10_000;

/** The order of a transaction, or a refusal. Reduce-only orders are not clipped yet. */
export function draftOrder(core: Core, input: PlaceOrder, ctx: Context): LiveOrder | Refusal {
  const market = core.markets.get(input.marketId);
  if (market === undefined) return refuse("UnknownMarket", `market ${input.marketId} does not exist`);
  const account = core.accounts.get(keyOf(input.accountId));
  if (account === undefined) return refuse("UnknownAccount", `account ${input.accountId} does not exist`);
  const refusal = checkPrices(market, input) ?? checkExits(input) ?? checkTerms(market, input);
  if (refusal !== null) return refusal;
  const units = unitsOf(input.size);
  if (typeof units !== "number") return units;
  return unplaced(marketAccountOf(account, market), input, units, ctx.timeMs);
}

/** An order without a number, in no list yet. */
function unplaced(marketAccount: MarketAccount, terms: Terms, units: number, timeMs: number): LiveOrder {
  const above = terms.side === "buy" ? "above" : "below";
  return {
    id: 0,
    orderId: orderId(0n),
    marketAccount,
    side: terms.side,
    orderType: terms.orderType,
    price: terms.price,
    ticks: Number(terms.price / marketAccount.market.tickSize),
    size: terms.size,
    remaining: units,
    filled: 0,
    level: null,
    ahead: null,
    behind: null,
    listed: false,
    older: null,
    newer: null,
    triggerPrice: terms.triggerPrice,
    triggers: isConditional(terms) ? above : null,
    reduceOnly: terms.reduceOnly,
    postOnly: terms.postOnly,
    timeInForce: terms.timeInForce,
    maxSlippageBps: terms.maxSlippageBps,
    mode: terms.marginMode,
    leverage: terms.leverage,
    takeProfit: terms.takeProfit,
    stopLoss: terms.stopLoss,
    entryId: null,
    untriggered: false,
    createdAtMs: timeMs,
    updatedAtMs: timeMs,
  };
}

const isConditional = (input: Terms): boolean => input.orderType === "StopLimit" || input.orderType === "StopMarket";

/** Size in whole size units; the market counts exactly up to 2^53 - 1 of them. */
export function unitsOf(wanted: Size): number | Refusal {
  if (wanted <= 0n) return refuse("InvalidSize", "size must be above 0");
  const units = Number(wanted);
  return Number.isSafeInteger(units) ? units : refuse("SizeLimit", "size is beyond what this market can count exactly");
}

/** Null if the market can hold the limit price: above zero, on the tick, at most 2^53 - 1 ticks. */
export function checkLimitPrice(market: MarketState, limit: Price): Refusal | null {
  if (limit <= 0n) return refuse("InvalidPrice", "price must be above 0");
  if (limit % market.tickSize !== 0n) {
    return refuse("InvalidPrice", `price ${limit} is not a multiple of the tick size ${market.tickSize}`);
  }
  const countable = Number.isSafeInteger(Number(limit / market.tickSize));
  return countable ? null : refuse("InvalidPrice", "price is beyond what this market can count exactly");
}

function checkPrices(market: MarketState, input: PlaceOrder): Refusal | null {
  const { orderType, price, triggerPrice } = input;
  if (orderType === "Limit" || orderType === "StopLimit") {
    const refusal = checkLimitPrice(market, price);
    if (refusal !== null) return refusal;
  } else if (price !== 0n) {
    return refuse("InvalidPrice", "price of a market order must be 0");
  }
  if (!isConditional(input)) {
    return triggerPrice === null ? null : refuse("InvalidTrigger", `a ${orderType} order has no trigger price`);
  }
  if (triggerPrice === null) return refuse("InvalidTrigger", `a ${orderType} order needs a trigger price`);
  return triggerPrice > 0n ? null : refuse("InvalidTrigger", "trigger price must be above 0");
}

/** Exits must be on opposite sides: a long takes profit above its stop. */
function checkExits(input: PlaceOrder): Refusal | null {
  const { takeProfit, stopLoss, side } = input;
  if (takeProfit === null && stopLoss === null) return null;
  if (input.reduceOnly) return refuse("InvalidExit", "a reduce only order has no position to exit from");
  if ((takeProfit !== null && takeProfit <= 0n) || (stopLoss !== null && stopLoss <= 0n)) {
    return refuse("InvalidExit", "exit trigger price must be above 0");
  }
  if (takeProfit === null || stopLoss === null) return null;
  const ordered = side === "buy" ? takeProfit > stopLoss : takeProfit < stopLoss;
  return ordered ? null : refuse("InvalidExit", "take profit must lie on the profit side of the stop loss");
}

function checkTerms(market: MarketState, input: PlaceOrder): Refusal | null {
  const limitLike = input.orderType === "Limit" || input.orderType === "StopLimit";
  if (input.postOnly && (!limitLike || input.timeInForce !== "GTC")) {
    return refuse("InvalidPostOnly", "post only needs a limit order that is good till canceled");
  }
  if (input.maxSlippageBps !== null) {
    if (limitLike) return refuse("InvalidSlippage", "slippage caps market orders only");
    if (!Number.isInteger(input.maxSlippageBps) || input.maxSlippageBps < 0) {
      return refuse("InvalidSlippage", "slippage must be a whole number of basis points");
    }
  }
  const cap = Math.floor(MAX_BPS / market.initialMarginRatioBps);
  if (!Number.isInteger(input.leverage) || input.leverage < 0) {
    return refuse("InvalidLeverage", "leverage must be a whole number");
  }
  return input.leverage <= cap ? null : refuse("LeverageTooHigh", `leverage ${input.leverage} is above the cap ${cap}`);
}

/** An order by the exchange itself that only reduces the position, at any price. */
export function reducingOrder(
  marketAccount: MarketAccount,
  orderType: Extract<OrderType, "Market" | "StopMarket">,
  units: number,
  timeMs: number,
): LiveOrder {
  const { mode: marginMode, leverage } = marketAccount;
  const terms: Terms = {
    ...plainTerms,
    side: marketAccount.units > 0 ? "sell" : "buy",
    orderType,
    price: price(0n),
    size: size(BigInt(units)),
    reduceOnly: true,
    postOnly: false,
    timeInForce: "IOC",
    marginMode,
    leverage,
  };
  return unplaced(marketAccount, terms, units, timeMs);
}
