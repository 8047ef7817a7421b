// Clips quotes to what maxPosition leaves while the position is not known exactly. While last fills are pending, only later activity of
// ours proves that a read is newer than a cancel. If every order were denied, nothing would be placed and nothing could ever prove it.

import type { Command } from "../../../domain/command.ts";
import { worstCase } from "../../../domain/exposure.ts";
import type { Quotes } from "../../../domain/quotes.ts";
import { size } from "../../../domain/units.ts";
import { fresh, lastKnown, type View } from "../../../domain/view.ts";
import type { Limits } from "../../risk/limits/limits.ts";
import { reducingSide } from "../../strategy/target-quotes.ts";

/** A clipped order is at least half of the wanted size: it rests until it is worth replacing, like a partly filled one. */
const LEAST_PART = 2n;

/**
 * Returns the same quotes, except that quotes which reduce the position become reduce-only where possible fills of their side leave no
 * room for any of them. Reduce-only orders never add to the worst case.
 */
export function reducedWhileUnconfirmed(quotes: Quotes, { position, orders }: View, limits: Limits): Quotes {
  const left = leftWhileUnconfirmed({ position, orders }, limits);
  const side = reducingSide(lastKnown(position)?.inventory ?? null);
  if (left === null || side === undefined) return quotes;
  const adds = orders.some((order) => order.side === side && !order.reduceOnly && !order.isForeign);
  const fits = quotes.quotes.some((quote) => quote.side === side && left[side] * LEAST_PART >= quote.size);
  if (adds || fits) return quotes;
  return {
    ...quotes,
    quotes: quotes.quotes.map((quote) => (quote.side === side ? { ...quote, reduceOnly: true } : quote)),
  };
}

/** Returns the same commands in order, places clipped. One that would shrink to nothing stays whole: the guard denies it with a reason. */
export function clipped(commands: readonly Command[], view: View, limits: Limits): readonly Command[] {
  const left = leftWhileUnconfirmed(view, limits);
  if (left === null) return commands;
  return commands.map((command) => {
    if (command.kind !== "place" || command.reduceOnly) return command;
    const { side } = command;
    const amount = left[side] < command.size ? left[side] : command.size;
    if (amount * LEAST_PART < command.size) return command;
    left[side] -= amount;
    return { ...command, size: size(amount) };
  });
}

/** Returns contracts per side that fit within maxPosition in the worst case; null where the position is known exactly, or not at all. */
function leftWhileUnconfirmed(
  { position, orders }: Pick<View, "position" | "orders">,
  { market: { maxPosition } }: Limits,
): { buy: bigint; sell: bigint } | null {
  const range = fresh(position);
  if (range === undefined || range.low === range.high) return null;
  const worst = worstCase(range, orders);
  return { buy: maxPosition - worst.long, sell: maxPosition - worst.short };
}
