// INCREASE or REDUCE: what an order or its change can do to the worst case. What is in doubt increases; cancels are not asked.

import type { ActionClass, ModifyCommand, PlaceCommand } from "../../domain/command.ts";
import type { TrackedOrder } from "../../domain/order.ts";
import type { Side } from "../../domain/units.ts";
import { fresh, type View } from "../../domain/view.ts";
import { remainingAfter, type Tally } from "./limits/tally.ts";

export type OrderClass = Exclude<ActionClass, "cancel">;

/**
 * A place reduces when the exchange holds it to reducing and it fits, with all other live reduce-only orders of its side, into a
 * position that is known now; so that of two, only what fits passes.
 */
export function classifyPlace({ side, size, reduceOnly }: PlaceCommand, view: View, tally: Tally): OrderClass {
  const fits = reduceOnly && tally[side].reducing + size <= reducible(view, side);
  return fits ? "reduce" : "increase";
}

/**
 * A modify of a reduce-only order reduces by the same rule. That of any other order does when it asks for a smaller size alone: a
 * new price is a new promise.
 */
export function classifyModify(command: ModifyCommand, order: TrackedOrder, view: View, tally: Tally): OrderClass {
  if (!order.reduceOnly) {
    const shrinks = command.newPrice === null && command.newSize !== null && command.newSize <= order.size;
    return shrinks ? "reduce" : "increase";
  }
  const others = tally[order.side].reducing - order.remainingSize;
  return others + remainingAfter(command, order) <= reducible(view, order.side) ? "reduce" : "increase";
}

/** Contracts that orders of a side can take off the position; below zero where they would add to it. */
function reducible(view: View, side: Side): bigint {
  const inventory = fresh(view.position)?.inventory ?? 0n;
  return side === "sell" ? inventory : -inventory;
}
