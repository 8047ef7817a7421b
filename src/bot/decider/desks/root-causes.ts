// Which of the closed gates are causes and which only follow from another: without a stream the book is old, the position not confirmed and
// the margin unknown, and a person reads of the stream alone.

import type { Facts } from "../../../kernel/errors.ts";
import type { GateId } from "../../risk/gates/gate.ts";

export type Closed = { readonly reason: GateId; readonly numbers: Facts };

/** A fact that is missing follows from each of these where one is missing too. Named as the guard names them in its numbers. */
const followsFrom: Readonly<Record<string, readonly string[]>> = {
  chain: ["stream"],
  market: ["stream"],
  book: ["stream", "market"],
  oracle: ["stream", "market"],
  reconciled: ["stream"],
  position: ["reconciled"],
  agent: ["reconciled"],
  funds: ["reconciled", "oracle"],
  price: ["oracle", "market"],
  fairValue: ["oracle"],
  margin: ["position", "funds", "market", "oracle"],
  grossNotionalElsewhere: ["reconciled", "oracle"],
  marketDailyPnl: ["position", "oracle"],
  accountDailyPnl: ["marketDailyPnl", "reconciled", "oracle"],
};

/** A gate that is closed for a reason of its own follows from these gates, whatever these are closed for. */
const gatesBehind: Partial<Readonly<Record<GateId, (numbers: Facts) => readonly GateId[]>>> = {
  // A clock that is off, or a disk that fails, leaves no nonce to take.
  nonce: () => ["clock", "journal"],
  // A print that expired makes the oracle stale.
  oracleStatus: ({ status }) => (status === "Stale" ? ["oracleExpiry"] : []),
  // The halt for a loss, or for anything else, has closed the market already.
  dailyPnl: () => ["halted"],
};

/** Those that no other one explains, in their order; of several that lack the same fact the first. */
export function rootCauses(closed: readonly Closed[]): readonly Closed[] {
  const missing = new Set(closed.flatMap(({ numbers }) => missingIn(numbers)));
  const gates = new Set(closed.map(({ reason }) => reason));
  const reported = new Set<string>();
  return closed.filter(({ reason, numbers }) => {
    const lacks = missingIn(numbers);
    if (lacks.length === 0) return !(gatesBehind[reason]?.(numbers) ?? []).some((gate) => gates.has(gate));
    const isNew = lacks.some((fact) => !reported.has(fact) && !isExplained(fact, missing));
    for (const fact of lacks) reported.add(fact);
    return isNew;
  });
}

function isExplained(fact: string, missing: ReadonlySet<string>): boolean {
  return (followsFrom[fact] ?? []).some((cause) => missing.has(cause) || isExplained(cause, missing));
}

/** The facts that were needed and are absent, stale or unknown. */
const missingIn = (numbers: Facts): readonly string[] =>
  Object.entries(numbers).flatMap(([name, value]) =>
    name in followsFrom || name === "stream" ? (isMissing(value) ? [name] : []) : [],
  );

const isMissing = (value: Facts[string]): boolean => value === "absent" || value === "stale" || value === "unknown";
