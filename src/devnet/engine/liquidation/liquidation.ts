// Positions that their margin no longer carries. They are taken to the book first, large ones in part; below two thirds of
// maintenance, or where the book has nothing acceptable, the market's backstop account takes them over.

import { divideCeil, divideFloor, notional } from "../../../domain/rounding.ts";
import { NOTIONAL_DIVISOR, opposite, type Side, size } from "../../../domain/units.ts";
import { assert } from "../../../kernel/assert.ts";
import { keepMarketAccount, marketAccountOf } from "../accounts/market-accounts.ts";
import { planMatch } from "../book/match-plan.ts";
import { tradePosition } from "../clearing.ts";
import { orderOf } from "../describe.ts";
import { equityBehind, maintenanceOf, notionalAtRisk, refresh } from "../margin/margin.ts";
import { reducingOrder } from "../orders/draft-order.ts";
import { enter, judgeMaker } from "../orders/entry.ts";
import { dropIdleExits } from "../orders/exits.ts";
import { cancelOrder, numberOrder, ordersIn } from "../orders/live-orders.ts";
import { type Account, keyOf, type MarketAccount } from "../records.ts";
import type { Core, Step } from "../state.ts";
import { coverDeficit, keepMaintenance } from "./insurance.ts";

/** Positions above this go to the book by a fifth first, and whole after the pause. */
const LARGE_NOTIONAL = 100_000_000_000n;
const PAUSE_MS = 30_000;

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
  for (const market of step.core.markets.values()) if (market.spec.backstopAccountId === account.id) return true;
  const positions = [...account.markets.values()].filter((marketAccount) => marketAccount.units !== 0);
  let settled = liquidate(
    step,
    positions.filter((marketAccount) => marketAccount.mode === "Cross"),
  );
  for (const marketAccount of positions) {
    if (marketAccount.mode === "Isolated") settled = liquidate(step, [marketAccount]) && settled;
  }
  coverFlat(step.core, account);
  return settled;
}

/** Positions that stand on the same equity; true when it carries what is left of them. */
function liquidate(step: Step, marketAccounts: readonly MarketAccount[]): boolean {
  const [first] = marketAccounts;
  if (first === undefined || isCarried(marketAccounts)) {
    for (const marketAccount of marketAccounts) marketAccount.partialAtMs = 0;
    return true;
  }
  for (const marketAccount of marketAccounts) {
    for (const order of ordersIn(marketAccount)) cancelOrder(step, order, "Liquidation");
    refresh(marketAccount);
  }
  const lost = 3n * equityBehind(first) < 2n * maintenanceOfAll(marketAccounts);
  for (const marketAccount of marketAccounts) {
    if (!lost && isCarried(marketAccounts)) break;
    const outcome = lost ? "empty" : sendToBook(step, marketAccount);
    if (outcome === "empty") transferToBackstop(step, marketAccount);
    if (outcome !== "waits") emitLiquidation(step, marketAccount);
  }
  return isCarried(marketAccounts);
}

const maintenanceOfAll = (marketAccounts: readonly MarketAccount[]): bigint =>
  marketAccounts.reduce((sum, marketAccount) => sum + maintenanceOf(marketAccount), 0n);

function isCarried(marketAccounts: readonly MarketAccount[]): boolean {
  const open = marketAccounts.find((marketAccount) => marketAccount.units !== 0);
  return open === undefined || equityBehind(open) >= maintenanceOfAll(marketAccounts);
}

/** Takes a position to the book, a large one in part. `empty`: the book has nothing that the equity could bear. */
function sendToBook(step: Step, marketAccount: MarketAccount): "filled" | "waits" | "empty" {
  const { core, ctx } = step;
  const held = Math.abs(marketAccount.units);
  let units = held;
  if (marketAccount.partialAtMs !== 0) {
    if (ctx.timeMs - marketAccount.partialAtMs < PAUSE_MS) return "waits";
  } else if (notionalAtRisk(marketAccount.market, held) > LARGE_NOTIONAL) {
    units = Math.ceil(held / 5);
  }
  const order = reducingOrder(marketAccount, "Market", units, ctx.timeMs);
  planMatch(marketAccount.market.book, order, bankruptcyTicks(marketAccount), judgeMaker, core.plan);
  if (core.plan.filled === 0) return "empty";
  if (units < held) marketAccount.partialAtMs = ctx.timeMs;
  numberOrder(core, order);
  step.events.push({ type: "OrderPlaced", order: orderOf(order) });
  enter(step, order);
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

/** What fees left below zero after the last position is not the account's to pay. */
function coverFlat(core: Core, account: Account): void {
  const marketAccounts = [...account.markets.values()];
  const [first] = marketAccounts;
  if (first !== undefined && marketAccounts.every((marketAccount) => marketAccount.units === 0))
    coverDeficit(core, account, first.market);
}

/** The account keeps what is left beyond the maintenance margin of the position, which goes to the insurance fund. */
function transferToBackstop(step: Step, marketAccount: MarketAccount): void {
  const { core } = step;
  const { account, market } = marketAccount;
  const backstop = core.accounts.get(keyOf(market.spec.backstopAccountId));
  assert(backstop !== undefined, `market ${market.id} has a backstop account`);
  const receiving = marketAccountOf(backstop, market);
  keepMarketAccount(receiving);
  const held = Math.abs(marketAccount.units);
  const side: Side = marketAccount.units > 0 ? "buy" : "sell";
  const equity = equityBehind(marketAccount);
  const maintenance = maintenanceOf(marketAccount);
  const value = notional(market.risk.price, size(BigInt(held)));
  tradePosition(step, marketAccount, { side: opposite(side), leverage: 0 }, held, value);
  tradePosition(step, receiving, { side, leverage: 0 }, held, value);
  keepMaintenance(core, account, equity < maintenance ? equity : maintenance);
  refresh(marketAccount);
  refresh(receiving);
  dropIdleExits(step, marketAccount);
  step.events.push({
    type: "BackstopTransfer",
    accountId: account.id,
    marketId: market.id,
    side,
    size: size(BigInt(held)),
    price: market.risk.price,
  });
}
