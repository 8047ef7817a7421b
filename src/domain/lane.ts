// The lanes of transactions: cancels before all others, then reducing orders, modifies, places.

import { type Command, isCancel } from "./command.ts";

/** Cancels have connections of their own, so nothing else can delay them. */
export const lanes = ["cancel", "reduce", "modify", "place"] as const;
export type Lane = (typeof lanes)[number];
export type WaitingLane = Exclude<Lane, "cancel">;

export function laneOf(command: Command): Lane {
  if (isCancel(command)) return "cancel";
  return command.reduceOnly ? "reduce" : command.kind;
}
