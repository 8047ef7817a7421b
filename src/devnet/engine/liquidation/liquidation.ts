// Positions that their margin no longer carries. They are taken to the book first, large ones in part; below two thirds of
// maintenance, or where the book has nothing acceptable, the market's backstop account takes them over.

import { divideCeil, divideFloor, notional } from "../../../domain/rounding.ts";
import { type Side, size } from "../../../domain/units.ts";
import { assert } from "../../../kernel/assert.ts";
import { holdingOf, keepHolding } from "../accounts/holdings.ts";
import { planMatch } from "../book/match-plan.ts";
import { tradePosition } from "../clearing.ts";
import { orderOf } from "../describe.ts";
import { equityBehind, maintenanceOf, notionalAtRisk, refresh } from "../margin/margin.ts";
import { reducingOrder } from "../orders/draft-order.ts";
import { enter, judgeMaker } from "../orders/entry.ts";
import { dropIdleExits } from "../orders/exits.ts";
import { cancelOrder, numberOrder, ordersIn } from "../orders/live-orders.ts";
import { type Account, type Holding, keyOf } from "../records.ts";
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
    for (const holding of market.holdings) if (holding.units !== 0) core.watched.add(holding.account);
  }
  for (const account of [...core.watched]) if (isSettled(step, account)) core.watched.delete(account);
}

/** Does what can be done for one account now; true when nothing is left to do. A backstop account is not liquidated. */
function isSettled(step: Step, account: Account): boolean {
  for (const market of step.core.markets.values()) if (market.spec.backstopAccountId === account.id) return true;
  const positions = [...account.holdings.values()].filter((holding) => holding.units !== 0);
  let settled = liquidate(
    step,
    positions.filter((holding) => holding.mode === "Cross"),
  );
  for (const holding of positions) {
    if (holding.mode === "Isolated") settled = liquidate(step, [holding]) && settled;
  }
  coverFlat(step.core, account);
  return settled;
}

/** Positions that stand on the same equity; true when it carries what is left of them. */
function liquidate(step: Step, holdings: readonly Holding[]): boolean {
  const [first] = holdings;
  if (first === undefined || isCarried(holdings)) {
    for (const holding of holdings) holding.partialAtMs = 0;
    return true;
  }
  for (const holding of holdings) {
    for (const order of ordersIn(holding)) cancelOrder(step, order, "Liquidation");
    refresh(holding);
  }
  const lost = 3n * equityBehind(first) < 2n * maintenanceOfAll(holdings);
  for (const holding of holdings) {
    if (!lost && isCarried(holdings)) break;
    const outcome = lost ? "empty" : sendToBook(step, holding);
    if (outcome === "empty") transferToBackstop(step, holding);
    if (outcome !== "waits") tell(step, holding);
  }
  return isCarried(holdings);
}

const maintenanceOfAll = (holdings: readonly Holding[]): bigint =>
  holdings.reduce((sum, holding) => sum + maintenanceOf(holding), 0n);

function isCarried(holdings: readonly Holding[]): boolean {
  const open = holdings.find((holding) => holding.units !== 0);
  return open === undefined || equityBehind(open) >= maintenanceOfAll(holdings);
}

/** Takes a position to the book, a large one in part. `empty`: the book has nothing that the equity could bear. */
function sendToBook(step: Step, holding: Holding): "filled" | "waits" | "empty" {
  const { core, ctx } = step;
  const held = Math.abs(holding.units);
  let units = held;
  if (holding.partialAtMs !== 0) {
    if (ctx.timeMs - holding.partialAtMs < PAUSE_MS) return "waits";
  } else if (notionalAtRisk(holding.market, held) > LARGE_NOTIONAL) {
    units = Math.ceil(held / 5);
  }
  const order = reducingOrder(holding, "Market", units, ctx.timeMs);
  planMatch(holding.market.book, order, bankruptcyTicks(holding), judgeMaker, core.plan);
  if (core.plan.filled === 0) return "empty";
  if (units < held) holding.partialAtMs = ctx.timeMs;
  numberOrder(core, order);
  step.events.push({ type: "OrderPlaced", order: orderOf(order) });
  enter(step, order);
  return "filled";
}

/** Worst tick at which closing the whole position still leaves no debt, inside the price band. */
function bankruptcyTicks(holding: Holding): number {
  const { market, units } = holding;
  const equity = equityBehind(holding);
  const bearable = ((equity > 0n ? equity : 0n) * 100_000_000n) / BigInt(Math.abs(units));
  if (units < 0) return Math.min(market.bandHigh, Number(divideFloor(market.risk.price + bearable, market.tickSize)));
  return Math.max(market.bandLow, Number(divideCeil(market.risk.price - bearable, market.tickSize)));
}

/** Counts for whoever watches: was this position closed, and how many has the account left? */
function tell(step: Step, holding: Holding): void {
  const { account, market } = holding;
  let left = 0;
  for (const other of account.holdings.values()) if (other.units !== 0) left += 1;
  step.events.push({
    type: "Liquidation",
    accountId: account.id,
    marketId: market.id,
    positionsClosed: holding.units === 0 ? 1 : 0,
    positionsRemaining: left,
  });
}

/** What fees left below zero after the last position is not the account's to pay. */
function coverFlat(core: Core, account: Account): void {
  const holdings = [...account.holdings.values()];
  const [first] = holdings;
  if (first !== undefined && holdings.every((holding) => holding.units === 0))
    coverDeficit(core, account, first.market);
}

/** The account keeps what is left beyond the maintenance margin of the position, which goes to the insurance fund. */
function transferToBackstop(step: Step, holding: Holding): void {
  const { core } = step;
  const { account, market } = holding;
  const backstop = core.accounts.get(keyOf(market.spec.backstopAccountId));
  assert(backstop !== undefined, `market ${market.id} has a backstop account`);
  const receiving = holdingOf(backstop, market);
  keepHolding(receiving);
  const held = Math.abs(holding.units);
  const side: Side = holding.units > 0 ? "buy" : "sell";
  const closing: Side = side === "buy" ? "sell" : "buy";
  const equity = equityBehind(holding);
  const maintenance = maintenanceOf(holding);
  const value = notional(market.risk.price, size(BigInt(held)));
  tradePosition(step, holding, closing, held, value);
  tradePosition(step, receiving, side, held, value);
  keepMaintenance(core, account, equity < maintenance ? equity : maintenance);
  refresh(holding);
  refresh(receiving);
  dropIdleExits(step, holding);
  step.events.push({
    type: "BackstopTransfer",
    accountId: account.id,
    marketId: market.id,
    side,
    size: size(BigInt(held)),
    price: market.risk.price,
  });
}
