// Gates are facts that must hold. Each row names one; what a closed one blocks stands in one table for all.

import type { ActionClass } from "../../../domain/command.ts";
import type { Fact } from "../../../domain/view.ts";
import type { Facts } from "../../../kernel/errors.ts";
import type { Limits } from "../limits/limits.ts";
import type { Ground } from "../risk-state.ts";

/** Closed set: label of `quoin_gate_open`, and part of that of `quoin_denials_total`. */
export const gateIds = [
  "halted",
  "reducing",
  "journal",
  "reconciled",
  "exposure",
  "stream",
  "marketStatus",
  "oracleStatus",
  "oracleExpiry",
  "printMove",
  "book",
  "volatility",
  "clock",
  "funds",
  "agentKey",
  "eventLoop",
  "rejectRatio",
  "budget",
  "dailyPnl",
] as const;
export type GateId = (typeof gateIds)[number];

/** "flatten": only orders that no quote asked for, the operator's way out of a halt. */
export type Passage = "passes" | "blocked" | "flatten";

const addsBlocked = { increase: "blocked", reduce: "passes", cancel: "passes" } as const;
const allBlocked = { increase: "blocked", reduce: "blocked", cancel: "passes" } as const;

/**
 * What passes while a gate is closed. Reductions and cancels stay allowed whatever oracle and market say (S7). A reduction needs a
 * position that is known and a journal that takes its nonce. A cancel needs nothing.
 */
export const passageThrough: Readonly<Record<GateId, Readonly<Record<ActionClass, Passage>>>> = {
  halted: { increase: "blocked", reduce: "flatten", cancel: "passes" },
  reducing: addsBlocked,
  journal: allBlocked,
  reconciled: allBlocked,
  exposure: addsBlocked,
  stream: addsBlocked,
  marketStatus: addsBlocked,
  oracleStatus: addsBlocked,
  oracleExpiry: addsBlocked,
  printMove: addsBlocked,
  book: addsBlocked,
  volatility: addsBlocked,
  clock: addsBlocked,
  funds: addsBlocked,
  // Nothing of ours may rest when the key ends: afterwards nobody here could cancel it.
  agentKey: { increase: "blocked", reduce: "flatten", cancel: "passes" },
  eventLoop: addsBlocked,
  rejectRatio: addsBlocked,
  budget: addsBlocked,
  dailyPnl: addsBlocked,
};

/** One row of documentation and of code: `docs/risk-controls.md` is made of these. */
export type Control = {
  /** Numbers of the checklist that it answers to. */
  readonly controls: string;
  readonly rule: string;
  /** What happens when its facts are absent or stale. */
  readonly missing: string;
  readonly limits: readonly (keyof Limits["market"] | `account.${keyof Limits["account"]}`)[];
};

export type Gate = Control & {
  readonly id: GateId;
  /** Null: open. Else why not, in numbers. */
  readonly closed: (ground: Ground) => Facts | null;
};

/** Why a fact may not be relied on; null while it is fresh and there. */
export function notFresh(name: string, fact: Fact<unknown>): Facts | null {
  if (fact.state === "fresh" && fact.value !== undefined) return null;
  return fact.state === "stale" ? { [name]: "stale", ageMs: fact.ageMs } : { [name]: "absent" };
}
