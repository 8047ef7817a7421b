// Reads all gates: which are closed and why, and what may still pass.

import type { ActionClass } from "../../../domain/command.ts";
import { type Facts, messageOf } from "../../../kernel/errors.ts";
import type { RiskInputs } from "../risk-state.ts";
import { type Gate, type GateId, gateIds, passageThrough } from "./gate.ts";
import { ownGates } from "./own-gates.ts";
import { venueGates } from "./venue-gates.ts";

const bodies: Readonly<Record<GateId, Omit<Gate, "id">>> = { ...ownGates, ...venueGates };

/** In the order of their ids. */
export const gates: readonly Gate[] = gateIds.map((id) => ({ id, ...bodies[id] }));

export type GateReading = {
  readonly gate: GateId;
  /** Null: open. Else the numbers that say why not. */
  readonly closed: Facts | null;
};

/** Reads every gate, but for those whose reading is `known`. Never throws: a gate that throws is closed. */
export function readGates(inputs: RiskInputs, known: readonly GateReading[] = []): readonly GateReading[] {
  return gates.map(
    (gate) => known.find((reading) => reading.gate === gate.id) ?? { gate: gate.id, closed: readGate(gate, inputs) },
  );
}

function readGate(gate: Gate, inputs: RiskInputs): Facts | null {
  if (inputs.limits.openedGates?.includes(gate.id)) return null;
  try {
    return gate.closed(inputs);
  } catch (error) {
    return { threw: messageOf(error) };
  }
}

/**
 * Origin of an order: an operator's flatten, a quote, or a quote that waits because its side is stuck or the budget is short, while another
 * order is tried.
 */
export type Origin = "flatten" | "quote" | "waiting";

/** The closed gates that block an action class. */
export function blocking(
  readings: readonly GateReading[],
  actionClass: ActionClass,
  origin: Origin,
): readonly GateReading[] {
  return readings.filter(({ gate, closed }) => {
    if (closed === null) return false;
    const passage = passageThrough[gate][actionClass];
    if (passage === "trial") return origin !== "quote";
    return passage === "blocked" || (passage === "flatten" && origin !== "flatten");
  });
}

/** The largest action class allowed for quotes now. The plan pulls every order that exceeds it. */
export function mostPermitted(readings: readonly GateReading[]): ActionClass {
  if (blocking(readings, "increase", "quote").length === 0) return "increase";
  return blocking(readings, "reduce", "quote").length === 0 ? "reduce" : "cancel";
}
