// Isolated margin: a bucket of USDC that backs only one position. It is filled from the cross collateral as the position
// grows, and gives back its share, with the profit or less the loss, as the position shrinks.

import { divideFloor } from "../../../domain/rounding.ts";
import type { AccountId, MarketId, Usdc } from "../../../domain/units.ts";
import type { Receipt } from "../../event.ts";
import { post } from "../accounts/postings.ts";
import type { Context } from "../calls.ts";
import { coverDeficit } from "../liquidation/insurance.ts";
import { keyOf, type MarketAccount } from "../records.ts";
import { beginStep, type Core, failed, refuse, succeeded } from "../state.ts";
import { availableCollateral, equityBehind, initialOf, refresh, valueAtRisk } from "./margin.ts";

/** Units that were closed of a position of `held` units when a trade left `units` of it. */
export const closedUnits = (held: number, units: number): number =>
  held > 0 !== units > 0 ? Math.abs(held) : Math.max(0, Math.abs(held) - Math.abs(units));

/**
 * What closing `closed` of `held` units gives back of a bucket: their share of `balance`, with the profit or less the loss. Below zero
 * where a part is closed at a loss beyond the bucket, which only the profit of the rest carries: then the cross collateral pays it.
 */
export function releasedOf(balance: bigint, held: number, closed: number, realized: bigint): bigint {
  const after = balance + realized;
  if (balance < 0n) return after > 0n ? after : 0n;
  const released = divideFloor(balance * BigInt(closed), BigInt(Math.abs(held))) + realized;
  if (released > 0n) return released;
  return after < 0n && closed < Math.abs(held) ? after : 0n;
}

/** What a bucket lacks below zero, free cross collateral pays as far as there is any. */
export function refillBucket(core: Core, { account, bucket }: MarketAccount): void {
  if (bucket.balance >= 0n) return;
  const free = availableCollateral(account);
  post(core.log, account, bucket, free < -bucket.balance ? free : -bucket.balance);
}

/** A position as it stood before a trade. */
export type Before = Pick<MarketAccount, "units" | "cost" | "leverage">;

/**
 * Cross collateral that a trade takes which turned the position `before` into `after`: the margin of what it opened, or of the
 * whole at a leverage that it lowered, and the loss against the risk price that this starts with. 0 when it only closed.
 */
export function calledFor(
  after: Pick<MarketAccount, "market" | "leverage" | "units" | "cost">,
  before: Before,
): bigint {
  const { market, leverage, units, cost } = after;
  const closed = closedUnits(before.units, units) === Math.abs(before.units);
  const base = closed ? { units: 0, cost: 0n, leverage: 0 } : before;
  if (Math.abs(units) <= Math.abs(base.units)) return 0n;
  const margin = initialOf(market, units, leverage) - initialOf(market, base.units, base.leverage);
  const loss = cost - base.cost - (valueAtRisk(market, units) - valueAtRisk(market, base.units));
  return margin + (loss > 0n ? loss : 0n);
}

/**
 * Pays the profit that a trade realized to where it belongs, and moves the margin that the trade calls for. A loss beyond the
 * bucket is the insurance fund's.
 */
export function settleTrade(core: Core, marketAccount: MarketAccount, before: Before, realized: bigint): void {
  const { log, ledgers } = core;
  const { account, bucket, units } = marketAccount;
  if (marketAccount.mode === "Cross") {
    post(log, ledgers.clearing, account, realized);
    return;
  }
  const held = before.units;
  const closed = closedUnits(held, units);
  if (closed > 0) {
    const released = releasedOf(bucket.balance, held, closed, realized);
    post(log, ledgers.clearing, bucket, realized);
    post(log, bucket, account, released);
    if (closed === Math.abs(held)) coverDeficit(core, bucket);
  }
  post(log, account, bucket, calledFor(marketAccount, before));
}

/** Refused without an isolated position, beyond what is free in cross, and below the bucket's initial margin. */
export function adjustIsolatedMargin(
  core: Core,
  accountId: AccountId,
  marketId: MarketId,
  delta: Usdc,
  ctx: Context,
): Receipt {
  const account = core.accounts.get(keyOf(accountId));
  if (account === undefined) return failed(refuse("UnknownAccount", `account ${accountId} does not exist`));
  const marketAccount = account.markets.get(marketId);
  if (marketAccount === undefined || marketAccount.units === 0 || marketAccount.mode !== "Isolated") {
    return failed(refuse("NoIsolatedPosition", `account ${accountId} has no isolated position in market ${marketId}`));
  }
  if (delta === 0n) return failed(refuse("InvalidAmount", "delta must not be 0"));
  const free = availableCollateral(account);
  if (delta > free) {
    return failed(refuse("InsufficientCollateral", `delta ${delta} is beyond the free cross collateral ${free}`));
  }
  const needed = initialOf(marketAccount.market, marketAccount.units, marketAccount.leverage);
  if (delta < 0n && worthOf(marketAccount) + delta < needed) {
    return failed(refuse("IsolatedMarginTooLow", `the bucket would fall below its initial margin ${needed}`));
  }
  const step = beginStep(core, ctx);
  post(core.log, account, marketAccount.bucket, delta);
  refresh(marketAccount);
  step.events.push({ type: "MarginAdjusted", accountId, marketId, delta });
  return succeeded(step);
}

/** What the bucket is worth as margin: a loss that is not realized yet is gone from it, a profit is not in it. */
function worthOf(marketAccount: MarketAccount): bigint {
  const equity = equityBehind(marketAccount);
  return equity < marketAccount.bucket.balance ? equity : marketAccount.bucket.balance;
}
