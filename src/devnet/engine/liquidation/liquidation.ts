// Positions that their margin no longer carries. They are taken to the book first, large ones in part; below two thirds of
// maintenance, or where the book has nothing acceptable, the market's backstop account takes them over.

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

/** Looks at everybody whose margin may have run out, in order of account within each market. */
export function runLiquidations(step: Step): void {
  const { core } = step;
  for (const market of core.markets.values()) {
    if (!market.healthDue) continue;
    market.healthDue = false;
    for (const marketAccount of market.accounts) if (marketAccount.units !== 0) core.watched.add(marketAccount.account);
  }
  for (const account of [...core.watched]) if (isSettled(step, account)) core.watched.delete(account);
}

/** Does what can be done for one account now; true when nothing is left to do. A backstop account is not liquidated. */
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

/** Positions that stand on the same equity; true when it carries what is left of them. */
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

/** A bucket that funding brought below zero is filled again by closing, however much profit the position shows. */
const isCarried = (marketAccounts: readonly MarketAccount[]): boolean =>
  isBacked(marketAccounts) && marketAccounts.every(({ bucket }) => bucket.balance >= 0n);

/** What stands behind the positions is their maintenance margin at least. */
function isBacked(marketAccounts: readonly MarketAccount[]): boolean {
  const open = marketAccounts.find((marketAccount) => marketAccount.units !== 0);
  return open === undefined || equityBehind(open) >= maintenanceOfAll(marketAccounts);
}

/** Takes a position to the book, a large one in part. `empty`: the book has nothing that the equity could bear. */
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

/** Worst tick at which closing the whole position still leaves no debt, inside the price band. */
function bankruptcyTicks(marketAccount: MarketAccount): number {
  const { market, units } = marketAccount;
  const equity = equityBehind(marketAccount);
  const bearable = ((equity > 0n ? equity : 0n) * NOTIONAL_DIVISOR) / BigInt(Math.abs(units));
  if (units < 0) return Math.min(market.bandHigh, Number(divideFloor(market.risk.price + bearable, market.tickSize)));
  return Math.max(market.bandLow, Number(divideCeil(market.risk.price - bearable, market.tickSize)));
}

/** Counts for whoever watches: was this position closed, and how many has the account left? */
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
