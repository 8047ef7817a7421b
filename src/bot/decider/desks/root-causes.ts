// Which closed gates are causes and which only follow from another: without a stream the book is old, the position unconfirmed and the
// margin unknown, but a person reads only of the stream.

import type { Facts } from "../../../kernel/errors.ts";
import type { GateId } from "../../risk/gates/gate.ts";

export type Closed = { readonly reason: GateId; readonly numbers: Facts };

/** A missing fact follows from any of these that is missing too. Names are those in the guard's numbers. */
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

/** A gate closed for its own reason follows from any of these gates that is closed. */
const gatesBehind: Partial<Readonly<Record<GateId, (numbers: Facts) => readonly GateId[]>>> = {
  // A wrong clock or a failing disk leaves no nonce to take.
  nonce: () => ["clock", "journal"],
  // A print that expired makes the oracle stale.
  oracleStatus: ({ status }) => (status === "Stale" ? ["oracleExpiry"] : []),
  // The halt has already closed the market.
  dailyPnl: () => ["halted"],
};

/** Returns the closed gates that no other explains, in order; of several that lack the same fact, the first. */
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

/** Facts that were needed and are absent, stale or unknown. */
const missingIn = (numbers: Facts): readonly string[] =>
  Object.entries(numbers).flatMap(([name, value]) =>
    name in followsFrom || name === "stream" ? (isMissing(value) ? [name] : []) : [],
  );

const isMissing = (value: Facts[string]): boolean => value === "absent" || value === "stale" || value === "unknown";
