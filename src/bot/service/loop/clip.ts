// Orders clipped to what maxPosition leaves while the position is not known exactly. Where last fills are pending, only something later of
// ours proves that reads are newer than a cancel: denied in full, nothing would be placed, and nothing could ever prove it.

import type { Command } from "../../../domain/command.ts";
import { size } from "../../../domain/units.ts";
import { fresh, type View } from "../../../domain/view.ts";
import { worstCase } from "../../risk/exposure.ts";
import type { Limits } from "../../risk/limits/limits.ts";

/** A clipped order is at least half of what was wanted: it rests until it is worth making whole, as a partly filled one does. */
const LEAST_PART = 2n;

/** The same commands in their order, places clipped; one of which less would remain stays whole, so that the guard denies it by name. */
export function clipped(commands: readonly Command[], { position, orders }: View, limits: Limits): readonly Command[] {
  const range = fresh(position);
  if (range === undefined || range.low === range.high) return commands;
  const worst = worstCase(range, orders);
  const { maxPosition } = limits.market;
  const left = { buy: maxPosition - worst.long, sell: maxPosition - worst.short };
  return commands.map((command) => {
    if (command.kind !== "place" || command.reduceOnly) return command;
    const { side } = command;
    const amount = left[side] < command.size ? left[side] : command.size;
    if (amount * LEAST_PART < command.size) return command;
    left[side] -= amount;
    return { ...command, size: size(amount) };
  });
}
