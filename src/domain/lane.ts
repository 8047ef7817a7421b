// The lanes in which transactions travel: cancels before all others, then what reduces, modifies, places.

import { type Command, isCancel } from "./command.ts";

/** Cancels have their own connections: nothing else may stand before them. */
export const lanes = ["cancel", "reduce", "modify", "place"] as const;
export type Lane = (typeof lanes)[number];
export type WaitingLane = Exclude<Lane, "cancel">;

export function laneOf(command: Command): Lane {
  if (isCancel(command)) return "cancel";
  return command.reduceOnly ? "reduce" : command.kind;
}
