// Counts which faults met which order states: an empty cell is a case that the simulation never tests.

import { type FaultKind, faultKinds } from "./faults/fault.ts";

export const orderStates = ["none", "placing", "resting", "partial", "modifying", "canceling", "unknown"] as const;
export type OrderState = (typeof orderStates)[number];

export type Coverage = Map<FaultKind, Map<OrderState, number>>;

export const createCoverage = (): Coverage => new Map(faultKinds.map((kind) => [kind, new Map()]));

export function cover(coverage: Coverage, kind: FaultKind, states: Iterable<OrderState>): void {
  const row = coverage.get(kind);
  if (row === undefined) return;
  for (const state of states) row.set(state, (row.get(state) ?? 0) + 1);
}

export function mergeCoverage(into: Coverage, from: Coverage): void {
  for (const [kind, row] of from) {
    for (const [state, count] of row) into.get(kind)?.set(state, (into.get(kind)?.get(state) ?? 0) + count);
  }
}

export type CoverageRecord = Readonly<Partial<Record<FaultKind, Readonly<Partial<Record<OrderState, number>>>>>>;

/** As JSON. The order of its keys does not depend on the order of counting. */
export const coverageRecord = (coverage: Coverage): CoverageRecord =>
  Object.fromEntries(
    [...coverage].map(([kind, row]) => [
      kind,
      Object.fromEntries(orderStates.flatMap((state) => (row.has(state) ? [[state, row.get(state)]] : []))),
    ]),
  );

/** Reads the result of `coverageRecord`. */
export function coverageOf(record: CoverageRecord): Coverage {
  const coverage = createCoverage();
  for (const [kind, row] of coverage)
    for (const state of orderStates) {
      const count = record[kind]?.[state];
      if (count !== undefined) row.set(state, count);
    }
  return coverage;
}

/** Cells without a hit, as `fault x state`. */
export const emptyCells = (coverage: Coverage): readonly string[] =>
  faultKinds.flatMap((kind) =>
    orderStates.filter((state) => !coverage.get(kind)?.has(state)).map((state) => `${kind} x ${state}`),
  );
