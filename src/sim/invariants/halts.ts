// Which halts are justified in a world: those for money always, the others only if a fault can cause them.

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
  // Also: the owner withdrew money while no daemon ran, or a second daemon traded unnoticed.
  mismatch: ["lies", "badAnswers/noEvents", "badAnswers/unnamed", "operator/withdrawal", "duplicate"],
  cannotAct: ["agentKey", "badAnswers/ordersRejected"],
  // Other traders on the account; the watchdog; and orders of ours whose records were lost with a disk.
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

/** `isWatched`: a watchdog may have canceled the bot's orders. */
export function isGrounded(kind: LatchKind, faults: readonly Fault[], isWatched: boolean): boolean {
  const inputs = reasons[kind];
  if (inputs === "always" || (isWatched && inputs.includes("watchdog"))) return true;
  return faults.some(({ kind: of, how }) => inputs.includes(of) || inputs.includes(`${of}/${how}`));
}
