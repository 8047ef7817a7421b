// Computes what a series of fills would do to a market account's position, orders and money, without changing them. Isolated margin moves
// fill by fill, as in real fills.

import type { LiveOrder, MarketAccount } from "../records.ts";
import { calledFor, closedUnits, releasedOf } from "./isolated.ts";
import { adverseOf, type Carried, requirementOf, valueAtRisk } from "./margin.ts";
import { bookTrade, leverageAfter } from "./position.ts";

export type Trial = { -readonly [K in keyof Carried]: Carried[K] } & {
  readonly marketAccount: MarketAccount;
  cost: bigint;
  /** Balance of the isolated bucket, USDC base units. */
  bucket: bigint;
  /** Change of the account's cross collateral, negative for a loss. */
  gained: bigint;
  /** Debt that a fill would have left in the bucket, or 0. */
  debt: bigint;
};

/** The trial before its first fill. `mode`: margin mode of the fills. */
export function beginTrial(marketAccount: MarketAccount, mode: MarketAccount["mode"]): Trial {
  const { leverage, asked, units, buyUnits, sellUnits, adverse, cost, bucket } = marketAccount;
  const carried = { mode, leverage, asked, units, buyUnits, sellUnits, adverse };
  return { marketAccount, ...carried, cost, bucket: bucket.balance, gained: 0n, debt: 0n };
}

/** A fill of `units` for `value` USDC base units by an order with this leverage. The caller handles fees. */
export function fillInTrial(
  trial: Trial,
  { side, leverage }: Pick<LiveOrder, "side" | "leverage">,
  units: number,
  value: bigint,
): void {
  const { market } = trial.marketAccount;
  const before = { units: trial.units, cost: trial.cost, leverage: trial.leverage };
  const realized = bookTrade(trial, side, units, value);
  trial.leverage = leverageAfter(before, trial.units, leverage);
  if (trial.mode === "Cross") {
    trial.gained += realized;
    return;
  }
  const closed = closedUnits(before.units, trial.units);
  if (closed > 0) {
    const isWhole = closed === Math.abs(before.units);
    const left = trial.bucket + realized + (isWhole ? 0n : valueAtRisk(market, trial.units) - trial.cost);
    if (left < 0n) trial.debt -= left;
    const released = releasedOf(trial.bucket, before.units, closed, realized);
    trial.bucket += realized - released;
    trial.gained += released;
  }
  const called = calledFor({ market, leverage: trial.leverage, units: trial.units, cost: trial.cost }, before);
  trial.bucket += called;
  trial.gained -= called;
}

/** `units` of a resting order no longer rest. */
export function releaseInTrial(trial: Trial, { side, price, reduceOnly }: LiveOrder, units: number): void {
  trial.adverse -= adverseOf(side, price, units, trial.marketAccount.market);
  if (reduceOnly) return;
  if (side === "buy") trial.buyUnits -= units;
  else trial.sellUnits -= units;
}

/** Cross collateral plus profit after the trial. */
export function equityIn(trial: Trial): bigint {
  const { account, market, unrealized } = trial.marketAccount;
  const cross = trial.mode === "Cross" && trial.units !== 0;
  const next = cross ? valueAtRisk(market, trial.units) - trial.cost : 0n;
  return account.balance + trial.gained + account.unrealized - unrealized + next;
}

/** Equity after the trial minus all margin it must cover. */
export function freeMarginIn(trial: Trial): bigint {
  const { account, initial } = trial.marketAccount;
  return equityIn(trial) - (account.initial - initial) - requirementOf(trial.marketAccount, trial);
}
