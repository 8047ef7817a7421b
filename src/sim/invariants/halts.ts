// Which halts have a reason in a world: those for money always, the others where a fault gives one.

import type { LatchKind } from "../../domain/latch.ts";
import type { Fault } from "../faults/fault.ts";

/** By `kind/how` or `kind`. */
const reasons: Readonly<Record<LatchKind, readonly string[] | "always">> = {
  operator: "always",
  loss: "always",
  drawdown: "always",
  repeatedExecution: "always",
  liquidation: "always",
  fault: [],
  // And money that the owner took while no daemon ran, and contracts that a second daemon traded unheard.
  mismatch: ["lies", "badAnswers/noEvents", "badAnswers/unnamed", "operator/withdrawal", "duplicate"],
  cannotAct: ["agentKey", "badAnswers/ordersRejected"],
  // Others on the account; the watchdog; and orders of ours whose records went with a disk.
  foreignActivity: [
    "duplicate",
    "watchdog",
    "operator/manualOrder",
    "operator/protects",
    "operator/besideAtOnce",
    "operator/besideWaiting",
    "crash/restored",
    "crash/powerLost",
    "disk",
  ],
};

/** `isWatched`: a watchdog may have canceled orders of the bot's. */
export function isGrounded(kind: LatchKind, faults: readonly Fault[], isWatched: boolean): boolean {
  const inputs = reasons[kind];
  if (inputs === "always" || (isWatched && inputs.includes("watchdog"))) return true;
  return faults.some(({ kind: of, how }) => inputs.includes(of) || inputs.includes(`${of}/${how}`));
}
