// All orders that may be live in a market while a batch is judged: those of the view and those approved earlier in the batch. A cancel
// takes nothing off until the exchange confirms it.

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
  /** The price nearest the other side at which one of ours may be. */
  nearest: Price | null;
  /** Levels with a place whose answer is out; null is the slot of orders that no quote asked for. */
  readonly unanswered: Set<number | null>;
};

export type Tally = {
  readonly buy: SideTally;
  readonly sell: SideTally;
  /** Live orders in this market, and of the account in all. */
  orders: number;
  accountOrders: number;
  /** Commands that add risk, allowed in this batch. */
  adds: number;
  /** Worked out for the first command that needs it. */
  margin: MarginBase | undefined;
};

/** Beyond every price of the exchange, which are u64. */
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
    // What waits for a trigger stands at no price yet, and may take from the position only what is left of it by then.
    if (order.isConditional && order.reduceOnly) continue;
    count(tally[order.side], order.reduceOnly, order.remainingSize);
    if (order.isConditional) continue;
    standAt(tally, order.side, order.price);
    if (order.pending !== null) standAt(tally, order.side, order.pending.price);
    if (order.state === "inFlight" || order.state === "unknown") tally[order.side].unanswered.add(order.level);
  }
  return tally;
}

/** Adds an allowed place. `at` is the worst price that it may trade at; null, unknown, lets nothing stand against it. */
export function tallyPlace(tally: Tally, command: PlaceCommand, at: Price | null): void {
  count(tally[command.side], command.reduceOnly, command.size);
  standAt(tally, command.side, at ?? (command.side === "buy" ? HIGHEST : LOWEST));
  tally[command.side].unanswered.add(command.level);
  tally.orders += 1;
  tally.accountOrders += 1;
}

/** Adds an allowed modify: the larger of what it was and what it will be counts, at both prices. */
export function tallyModify(tally: Tally, command: ModifyCommand, order: TrackedOrder): void {
  count(tally[order.side], order.reduceOnly, growth(command, order));
  if (command.newPrice !== null) standAt(tally, order.side, command.newPrice);
}

/** What may fill of the order once the modify has landed, contracts: its new whole size less what is filled. */
export function remainingAfter({ newSize }: ModifyCommand, order: TrackedOrder): Size {
  return newSize === null ? order.remainingSize : size(newSize - (order.size - order.remainingSize));
}

/** Contracts by which a modify may raise what can fill; never below zero, since it may not land. */
export function growth(command: ModifyCommand, order: TrackedOrder): Size {
  const grown = remainingAfter(command, order) - order.remainingSize;
  return size(grown > 0n ? grown : 0n);
}

/** One live order less. */
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
