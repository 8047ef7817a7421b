// Liquidates positions below maintenance margin. They are closed through the book first, large ones in part; below two thirds of
// maintenance, or if the book has nothing acceptable, the market's backstop account takes them over.

import { divideCeil, divideFloor } from "../../../domain/rounding.ts";
import { NOTIONAL_DIVISOR } from "../../../domain/units.ts";
import { refillBucket } from "../margin/isolated.ts";
import { equityBehind, maintenanceOf, refresh } from "../margin/margin.ts";
import { cancelOrder, ordersIn } from "../orders/live-orders.ts";
import type { Account, MarketAccount } from "../records.ts";
import type { Step } from "../state.ts";
import { isBackstop, transferToBackstop } from "./backstop.ts";
import { closeThroughBook, firstPart, PAUSE_MS } from "./closing-order.ts";
import { coverIfFlat } from "./insurance.ts";

/** Checks every account whose margin may have run out, in account order within each market. */
export function runLiquidations(step: Step): void {
  const { core } = step;
  for (const market of core.markets.values()) {
    if (!market.healthDue) continue;
    market.healthDue = false;
    for (const marketAccount of market.accounts) if (marketAccount.units !== 0) core.watched.add(marketAccount.account);
  }
  for (const account of [...core.watched]) if (isSettled(step, account)) core.watched.delete(account);
}

/** Does what is possible for one account now; returns true if nothing is left to do. Backstop accounts are not liquidated. */
function isSettled(step: Step, account: Account): boolean {
  if (isBackstop(step.core, account)) return true;
  const positions = [...account.markets.values()].filter((marketAccount) => marketAccount.units !== 0);
  let settled = liquidate(
    step,
    positions.filter((marketAccount) => marketAccount.mode === "Cross"),
  );
  for (const marketAccount of positions) {
    if (marketAccount.mode === "Isolated") settled = liquidate(step, [marketAccount]) && settled;
  }
  coverIfFlat(step.core, account);
  return settled;
}

/** Liquidates positions that share the same equity; returns true if it covers what is left of them. */
function liquidate(step: Step, marketAccounts: readonly MarketAccount[]): boolean {
  const [first] = marketAccounts;
  if (first !== undefined) refillBucket(step.core, first);
  if (first === undefined || isCarried(marketAccounts)) {
    for (const marketAccount of marketAccounts) marketAccount.partialAtMs = 0;
    return true;
  }
  for (const marketAccount of marketAccounts) {
    for (const order of ordersIn(marketAccount)) cancelOrder(step, order, "Liquidation");
    refresh(marketAccount);
  }
  refillBucket(step.core, first);
  const lost = 3n * equityBehind(first) < 2n * maintenanceOfAll(marketAccounts);
  for (const marketAccount of marketAccounts) {
    if (!lost && isCarried(marketAccounts)) break;
    const outcome = lost ? "empty" : sendToBook(step, marketAccount);
    if (outcome === "waits" || (outcome === "empty" && isBacked(marketAccounts))) continue;
    if (outcome === "empty") transferToBackstop(step, marketAccount);
    emitLiquidation(step, marketAccount);
  }
  return isCarried(marketAccounts);
}

const maintenanceOfAll = (marketAccounts: readonly MarketAccount[]): bigint =>
  marketAccounts.reduce((sum, marketAccount) => sum + maintenanceOf(marketAccount), 0n);

/** A bucket that funding made negative must be refilled by closing, even if the position shows a profit. */
const isCarried = (marketAccounts: readonly MarketAccount[]): boolean =>
  isBacked(marketAccounts) && marketAccounts.every(({ bucket }) => bucket.balance >= 0n);

/** True if the equity covers at least the maintenance margin of the positions. */
function isBacked(marketAccounts: readonly MarketAccount[]): boolean {
  const open = marketAccounts.find((marketAccount) => marketAccount.units !== 0);
  return open === undefined || equityBehind(open) >= maintenanceOfAll(marketAccounts);
}

/** Sends a position to the book, a large one in part. `empty`: the book has nothing that leaves no debt. */
function sendToBook(step: Step, marketAccount: MarketAccount): "filled" | "waits" | "empty" {
  const { timeMs } = step.ctx;
  const held = Math.abs(marketAccount.units);
  const isPaused = marketAccount.partialAtMs !== 0;
  if (isPaused && timeMs - marketAccount.partialAtMs < PAUSE_MS) return "waits";
  const units = isPaused ? held : firstPart(marketAccount);
  if (!closeThroughBook(step, marketAccount, units, bankruptcyTicks(marketAccount))) return "empty";
  if (units < held) marketAccount.partialAtMs = timeMs;
  return "filled";
}

/** Worst tick at which closing the whole position leaves no debt, inside the price band. */
function bankruptcyTicks(marketAccount: MarketAccount): number {
  const { market, units } = marketAccount;
  const equity = equityBehind(marketAccount);
  const bearable = ((equity > 0n ? equity : 0n) * NOTIONAL_DIVISOR) / BigInt(Math.abs(units));
  if (units < 0) return Math.min(market.bandHigh, Number(divideFloor(market.risk.price + bearable, market.tickSize)));
  return Math.max(market.bandLow, Number(divideCeil(market.risk.price - bearable, market.tickSize)));
}

/** For readers of the stream: whether this position was closed, and how many positions the account has left. */
function emitLiquidation(step: Step, marketAccount: MarketAccount): void {
  const { account, market } = marketAccount;
  let left = 0;
  for (const other of account.markets.values()) if (other.units !== 0) left += 1;
  step.events.push({
    type: "Liquidation",
    accountId: account.id,
    marketId: market.id,
    positionsClosed: marketAccount.units === 0 ? 1 : 0,
    positionsRemaining: left,
  });
}
