// Gates: facts that must hold. One table defines what each closed gate blocks.

import type { ActionClass } from "../../../domain/command.ts";
import type { Fact } from "../../../domain/view.ts";
import type { Facts } from "../../../kernel/errors.ts";
import type { Limits } from "../limits/limits.ts";
import type { RiskInputs } from "../risk-state.ts";

/** Closed set: label of `quoin_gate_open`, and part of that of `quoin_denials_total`. */
export const gateIds = [
  "halted",
  "reducing",
  "journal",
  "ledgerSpace",
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
  "nonce",
  "eventLoop",
  "rejectRatio",
  "budget",
  "dailyPnl",
  "cannotAct",
] as const;
export type GateId = (typeof gateIds)[number];

/**
 * "flatten": only orders of an operator's flatten pass, the way out of a halt. "trial": on a stuck side, or while the budget is short, only
 * the one trial order passes.
 */
export type Passage = "passes" | "blocked" | "flatten" | "trial";

const addsBlocked = { increase: "blocked", reduce: "passes", cancel: "passes" } as const;
const allBlocked = { increase: "blocked", reduce: "blocked", cancel: "passes" } as const;

/**
 * What passes while a gate is closed. Reductions and cancels stay allowed whatever the state of oracle and market (S7). A reduction needs a
 * known position and a working journal for its nonce. A cancel needs nothing.
 */
export const passageThrough: Readonly<Record<GateId, Readonly<Record<ActionClass, Passage>>>> = {
  halted: { increase: "blocked", reduce: "flatten", cancel: "passes" },
  reducing: addsBlocked,
  journal: allBlocked,
  ledgerSpace: addsBlocked,
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
  // No order of ours may rest when the key expires, because this daemon could not cancel it afterwards.
  agentKey: { increase: "blocked", reduce: "flatten", cancel: "passes" },
  nonce: addsBlocked,
  eventLoop: addsBlocked,
  rejectRatio: addsBlocked,
  dailyPnl: addsBlocked,
  // While either is closed, wanted resting orders stay; an order that may not be moved is canceled.
  budget: { increase: "trial", reduce: "passes", cancel: "passes" },
  cannotAct: { increase: "trial", reduce: "passes", cancel: "passes" },
};

/** One row of the documentation: `docs/risk-controls.md` is generated from these. */
export type Control = {
  /** Numbers of the checklist entries that it covers. */
  readonly controls: string;
  readonly rule: string;
  /** What happens while its facts are absent or stale. */
  readonly missing: string;
  readonly limits: readonly (keyof Limits["market"] | `account.${keyof Limits["account"]}`)[];
};

export type Gate = Control & {
  readonly id: GateId;
  /** Null: open. Else the numbers that say why not. */
  readonly closed: (inputs: RiskInputs) => Facts | null;
};

/** Why a fact is not reliable; null while it is fresh. */
export function notFresh(name: string, fact: Fact<unknown>): Facts | null {
  if (fact.state === "fresh" && fact.value !== undefined) return null;
  if (fact.state !== "stale") return { [name]: "absent" };
  const { ageMs, doubt } = fact;
  return doubt === undefined ? { [name]: "stale", ageMs } : { [name]: "stale", ageMs, doubt };
}
