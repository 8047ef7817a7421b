// Equity and margin of market accounts at the market's risk price. `refresh` keeps the sums of an account up to date, so a check costs the
// same with one market as with two hundred.

import { leverageCap, maintenanceMargin } from "../../../domain/margin.ts";
import type { MarginMode } from "../../../domain/order.ts";
import { divideCeil } from "../../../domain/rounding.ts";
import { NOTIONAL_DIVISOR, type Side, type Usdc, usdc } from "../../../domain/units.ts";
import { partCeil, valueCeil, valueFloor } from "../exact.ts";
import type { Account, LiveOrder, MarketAccount, MarketState } from "../records.ts";
import { lowerLeverage } from "./position.ts";

/** Value of signed units at the risk price, rounded down, against the holder: a long is worth less, a short owes more. */
export const valueAtRisk = (market: MarketState, units: number): bigint => valueFloor(units, market.risk);

/** Notional of a position in USDC at the risk price, rounded up. */
export const notionalAtRisk = (market: MarketState, units: number): Usdc =>
  usdc(valueCeil(Math.abs(units), market.risk));

/** Loss against the risk price if `units` fill at `price`, in price scale x size units; 0 for a better price. */
export function adverseOf(side: Side, price: bigint, units: number, market: MarketState): bigint {
  const risk = market.risk.price;
  if (side === "buy" ? price <= risk : price >= risk) return 0n;
  return (side === "buy" ? price - risk : risk - price) * BigInt(units);
}

export const adverseUsdc = (adverse: bigint): bigint => (adverse === 0n ? 0n : divideCeil(adverse, NOTIONAL_DIVISOR));

/** The leverage used for `selected` at a notional: at most what its tier allows. */
export const effectiveLeverage = (market: MarketState, selected: number, notional: Usdc): number =>
  lowerLeverage(selected, leverageCap(market, notional));

/** Initial margin of a position of this size. The tier depends on this size, so call it with the worst size. */
export function initialOf(market: MarketState, units: number, leverage: number): bigint {
  if (units === 0) return 0n;
  const notional = notionalAtRisk(market, units);
  return partCeil(notional, effectiveLeverage(market, leverage, notional));
}

export const maintenanceOf = (marketAccount: MarketAccount): bigint =>
  marketAccount.units === 0
    ? 0n
    : maintenanceMargin(marketAccount.market.marginTiers, notionalAtRisk(marketAccount.market, marketAccount.units));

/** Largest position to which the open orders can lead. */
export const worstUnits = (units: number, buyUnits: number, sellUnits: number): number =>
  Math.max(Math.abs(units), Math.abs(units + buyUnits), Math.abs(units - sellUnits));

/** Everything on which the margin of a market account depends, current or hypothetical. */
export type Carried = Pick<
  MarketAccount,
  "mode" | "leverage" | "asked" | "units" | "buyUnits" | "sellUnits" | "adverse"
>;

/**
 * Amount that the account's cross collateral must cover: all margin of a cross market account, only the further margin of an isolated one.
 * The worst position is valued at the lowest leverage that any fill could select, so that no order of fills needs more.
 */
export function requirementOf(marketAccount: MarketAccount, carried: Carried): bigint {
  const { units, leverage } = carried;
  const lowest = lowerLeverage(leverage, carried.asked);
  const worst = worstMargin(marketAccount, worstUnits(units, carried.buyUnits, carried.sellUnits), lowest);
  if (carried.mode === "Cross" && carried.adverse === 0n) return worst;
  const inBucket = carried.mode === "Isolated" ? initialOf(marketAccount.market, units, leverage) : 0n;
  return worst - inBucket + adverseUsdc(carried.adverse);
}

/** Cached, because a check and the refresh after it need the same margin, and most fills leave the worst size unchanged. */
function worstMargin(marketAccount: MarketAccount, units: number, leverage: number): bigint {
  const { memo, market } = marketAccount;
  if (memo.units !== units || memo.leverage !== leverage || memo.rate !== market.risk) {
    memo.margin = initialOf(market, units, leverage);
    memo.units = units;
    memo.leverage = leverage;
    memo.rate = market.risk;
  }
  return memo.margin;
}

/** Updates a market account's derived amounts and its account's sums. */
export function refresh(marketAccount: MarketAccount): void {
  const { account, market, units } = marketAccount;
  const cross = marketAccount.mode === "Cross" && units !== 0;
  const unrealized = cross ? valueAtRisk(market, units) - marketAccount.cost : 0n;
  if (unrealized !== marketAccount.unrealized) {
    account.unrealized += unrealized - marketAccount.unrealized;
    marketAccount.unrealized = unrealized;
  }
  refreshMargin(marketAccount);
}

/** Like `refresh`, for when only orders changed, not the position. */
export function refreshMargin(marketAccount: MarketAccount): void {
  const { account } = marketAccount;
  const initial = requirementOf(marketAccount, marketAccount);
  if (initial === marketAccount.initial) return;
  account.initial += initial - marketAccount.initial;
  marketAccount.initial = initial;
}

/** Recomputes what depends on each open order's price, after the risk price moved. */
export function revalue(marketAccount: MarketAccount): void {
  marketAccount.adverse = 0n;
  for (let order = marketAccount.oldest; order !== null; order = order.newer) {
    if (order.level !== null)
      marketAccount.adverse += adverseOf(order.side, order.price, order.remaining, marketAccount.market);
  }
  refresh(marketAccount);
}

/** Cross collateral plus profit minus all margin it must cover; below zero the account may open nothing new. */
export const freeMargin = (account: Account): bigint => account.balance + account.unrealized - account.initial;

/**
 * Equity behind a market account's position: its bucket with the position's profit, or all of the account's cross collateral and profit.
 */
export function equityBehind(marketAccount: MarketAccount): bigint {
  const { account, bucket, market, units, cost } = marketAccount;
  if (marketAccount.mode === "Isolated" && units !== 0) return bucket.balance + valueAtRisk(market, units) - cost;
  return account.balance + account.unrealized;
}

/** Amount that may leave the account: unrealized losses count, unrealized profit does not. Never below zero. */
export function availableCollateral(account: Account): Usdc {
  const loss = account.unrealized < 0n ? account.unrealized : 0n;
  const available = account.balance + loss - account.initial;
  return usdc(available > 0n ? available : 0n);
}

/** Units of the position that an order of `side` could close. */
export const closableUnits = (marketAccount: MarketAccount, side: Side): number =>
  side === "buy" ? Math.max(0, -marketAccount.units) : Math.max(0, marketAccount.units);

/** Margin mode of an order that gives none (S4.6): the position's mode if the order could only close it; else Cross. */
export const modeOf = ({ mode, side, remaining, marketAccount }: LiveOrder): MarginMode =>
  mode ?? (remaining <= closableUnits(marketAccount, side) ? marketAccount.mode : "Cross");
