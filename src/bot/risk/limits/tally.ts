// Counts all orders that may be live in a market while a batch is judged: those of the view and those approved earlier in the batch. A
// cancel reduces nothing until the exchange confirms it.

import type { ModifyCommand, PlaceCommand } from "../../../domain/command.ts";
import type { TrackedOrder } from "../../../domain/order.ts";
import { opposite, type Price, price, type Side, type Size, size } from "../../../domain/units.ts";
import type { View } from "../../../domain/view.ts";
import type { MarginBase } from "./margin.ts";

type SideTally = {
  /** Contracts of orders that may add to the position. */
  adding: bigint;
  /** Contracts of reduce-only orders. */
  reducing: bigint;
  /** The price closest to the other side at which one of our orders may be. */
  nearest: Price | null;
  /** Levels with an unanswered place; null is for orders without a quote. */
  readonly unanswered: Set<number | null>;
};

export type Tally = {
  readonly buy: SideTally;
  readonly sell: SideTally;
  /** Live orders in this market, and in the whole account. */
  orders: number;
  accountOrders: number;
  /** Commands that add risk, allowed in this batch. */
  adds: number;
  /** Computed for the first command that needs it. */
  margin: MarginBase | undefined;
};

/** Above every price of the exchange, which are u64. */
const HIGHEST = price(1n << 64n);
const LOWEST = price(0n);

const emptySide = (): SideTally => ({ adding: 0n, reducing: 0n, nearest: null, unanswered: new Set() });

export function tallyOf(view: View): Tally {
  const tally: Tally = {
    buy: emptySide(),
    sell: emptySide(),
    orders: view.orders.length,
    accountOrders: view.accountOrderCount,
    adds: 0,
    margin: undefined,
  };
  for (const order of view.orders) {
    // An order that waits for a trigger has no price in the book yet, and reduces only what is left of the position by then.
    if (order.isConditional && order.reduceOnly) continue;
    count(tally[order.side], order.reduceOnly, order.remainingSize);
    if (order.isConditional) continue;
    standAt(tally, order.side, order.price);
    if (order.pending !== null) standAt(tally, order.side, order.pending.price);
    if (order.state === "inFlight" || order.state === "unknown") tally[order.side].unanswered.add(order.level);
  }
  return tally;
}

/** Adds an allowed place. `at`: the worst price at which it may trade; null (unknown) conflicts with every price of the other side. */
export function tallyPlace(tally: Tally, command: PlaceCommand, at: Price | null): void {
  count(tally[command.side], command.reduceOnly, command.size);
  standAt(tally, command.side, at ?? (command.side === "buy" ? HIGHEST : LOWEST));
  tally[command.side].unanswered.add(command.level);
  tally.orders += 1;
  tally.accountOrders += 1;
}

/** Adds an allowed modify: counts the larger of the old and new size, at both prices. */
export function tallyModify(tally: Tally, command: ModifyCommand, order: TrackedOrder): void {
  count(tally[order.side], order.reduceOnly, growth(command, order));
  if (command.newPrice !== null) standAt(tally, order.side, command.newPrice);
}

/** Contracts of the order that may fill once the modify has executed: its new total size minus the filled part. */
export function remainingAfter({ newSize }: ModifyCommand, order: TrackedOrder): Size {
  return newSize === null ? order.remainingSize : size(newSize - (order.size - order.remainingSize));
}

/** Contracts by which a modify may increase what can fill; never negative, because it may not execute. */
export function growth(command: ModifyCommand, order: TrackedOrder): Size {
  const grown = remainingAfter(command, order) - order.remainingSize;
  return size(grown > 0n ? grown : 0n);
}

/** Removes one live order from the counts. */
export function uncount(tally: Tally): void {
  tally.orders -= 1;
  tally.accountOrders -= 1;
}

/** The price of our own orders that an order of `side` would meet. */
export const ownAgainst = (tally: Tally, side: Side): Price | null => tally[opposite(side)].nearest;

function count(side: SideTally, reduceOnly: boolean, contracts: Size): void {
  if (reduceOnly) side.reducing += contracts;
  else side.adding += contracts;
}

function standAt(tally: Tally, side: Side, at: Price): void {
  const { nearest } = tally[side];
  if (nearest === null || (side === "buy" ? at > nearest : at < nearest)) tally[side].nearest = at;
}
