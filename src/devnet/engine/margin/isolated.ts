// Isolated margin: a bucket of USDC that backs only one position. It takes margin from the cross collateral when the position grows, and
// returns its share plus profit or minus loss when the position shrinks.

import { divideFloor } from "../../../domain/rounding.ts";
import type { AccountId, MarketId, Usdc } from "../../../domain/units.ts";
import type { Receipt } from "../../event.ts";
import { post } from "../accounts/postings.ts";
import type { Context } from "../calls.ts";
import { coverDeficit } from "../liquidation/insurance.ts";
import { keyOf, type MarketAccount } from "../records.ts";
import { beginStep, type Core, failed, refuse, succeeded } from "../state.ts";
import { availableCollateral, equityBehind, initialOf, refresh, valueAtRisk } from "./margin.ts";

/** Units closed by a trade that changed the position from `held` to `units`. */
export const closedUnits = (held: number, units: number): number =>
  held > 0 !== units > 0 ? Math.abs(held) : Math.max(0, Math.abs(held) - Math.abs(units));

/**
 * Amount that a bucket returns when `closed` of `held` units close: their share of `balance` plus profit or minus loss. Negative if a
 * partial close loses more than the bucket, which only the profit of the rest covers: then the cross collateral pays.
 */
export function releasedOf(balance: bigint, held: number, closed: number, realized: bigint): bigint {
  const after = balance + realized;
  if (balance < 0n) return after > 0n ? after : 0n;
  const released = divideFloor(balance * BigInt(closed), BigInt(Math.abs(held))) + realized;
  if (released > 0n) return released;
  return after < 0n && closed < Math.abs(held) ? after : 0n;
}

/** Refills a negative bucket from free cross collateral, as far as there is any. */
export function refillBucket(core: Core, { account, bucket }: MarketAccount): void {
  if (bucket.balance >= 0n) return;
  const free = availableCollateral(account);
  post(core.log, account, bucket, free < -bucket.balance ? free : -bucket.balance);
}

/** A position before a trade. */
export type Before = Pick<MarketAccount, "units" | "cost" | "leverage">;

/**
 * Cross collateral needed by a trade that changed `before` into `after`: the margin of what it opened, or of the whole position if it
 * lowered the leverage, plus the initial loss against the risk price. 0 if it only closed.
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
 * Pays out the profit that a trade realized, and moves the margin that the trade needs. The insurance fund pays a loss beyond the bucket.
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

/** Refused without an isolated position, for more than the free cross collateral, and below the bucket's initial margin. */
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

/** Value of the bucket as margin: unrealized loss counts, unrealized profit does not. */
function worthOf(marketAccount: MarketAccount): bigint {
  const equity = equityBehind(marketAccount);
  return equity < marketAccount.bucket.balance ? equity : marketAccount.bucket.balance;
}
