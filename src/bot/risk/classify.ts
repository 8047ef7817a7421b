// Classifies an order or a modify as INCREASE or REDUCE by its effect on the worst case. Unclear ones count as an increase; cancels are not
// classified.

import type { ActionClass, ModifyCommand, PlaceCommand } from "../../domain/command.ts";
import type { TrackedOrder } from "../../domain/order.ts";
import type { Side } from "../../domain/units.ts";
import { fresh, type View } from "../../domain/view.ts";
import { remainingAfter, type Tally } from "./limits/tally.ts";

/** An order without a quote: it closes a position for an operator. */
export const isFlatten = (command: PlaceCommand | ModifyCommand): boolean =>
  command.kind === "place" && command.level === null;

export type OrderClass = Exclude<ActionClass, "cancel">;

/**
 * A place reduces if it is reduce-only and fits, together with all other live reduce-only orders of its side, into the known position. So
 * of two that fit only separately, one passes.
 */
export function classifyPlace({ side, size, reduceOnly }: PlaceCommand, view: View, tally: Tally): OrderClass {
  const fits = reduceOnly && tally[side].reducing + size <= reducible(view, side);
  return fits ? "reduce" : "increase";
}

/**
 * A modify of a reduce-only order reduces by the same rule. A modify of any other order reduces only if it just makes the size smaller; a
 * new price may trade.
 */
export function classifyModify(command: ModifyCommand, order: TrackedOrder, view: View, tally: Tally): OrderClass {
  if (!order.reduceOnly) {
    const shrinks = command.newPrice === null && command.newSize !== null && command.newSize <= order.size;
    return shrinks ? "reduce" : "increase";
  }
  const others = tally[order.side].reducing - order.remainingSize;
  return others + remainingAfter(command, order) <= reducible(view, order.side) ? "reduce" : "increase";
}

/** Contracts by which orders of a side can reduce the position; negative if they would add to it. */
export function reducible(view: View, side: Side): bigint {
  const inventory = fresh(view.position)?.inventory ?? 0n;
  return side === "sell" ? inventory : -inventory;
}
