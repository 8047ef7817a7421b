// The daemon's proof of life for a watchdog. Heartbeats count completed turns, so a process that answers HTTP but decides nothing is as
// silent as a dead one; and each account says whether the daemon can act there, so one that turns but cannot cancel is too. The phase
// distinguishes a clean stop from a death.

import type { AccountAbility } from "../../decider/acting/ability.ts";

export type Phase = "starting" | "trading" | "stopping";

export type Heartbeat = {
  readonly phase: Phase;
  /** Grows with each completed turn of all markets. Compared only with itself, so two clocks need not agree. */
  readonly turns: number;
  /** Ids of foreign orders that rest and must stay, decimal text. */
  readonly kept: readonly string[];
  /** Every account of the daemon. An account that is not named is judged by the turns alone. */
  readonly accounts: readonly AccountAbility[];
};

/** Reads another process's answer as a heartbeat; undefined when it is none. */
export function readHeartbeat(answer: unknown): Heartbeat | undefined {
  if (typeof answer !== "object" || answer === null) return undefined;
  const { phase, turns, kept = [], accounts = [] } = answer as Partial<Record<keyof Heartbeat, unknown>>;
  if (phase !== "starting" && phase !== "trading" && phase !== "stopping") return undefined;
  if (!isListOf(kept, isId) || !isListOf(accounts, isAbility)) return undefined;
  // A daemon of an earlier version does not name them.
  const named = accounts.map((account) => ({ ...account, resting: account.resting ?? [] }));
  return Number.isSafeInteger(turns) ? { phase, turns: turns as number, kept, accounts: named } : undefined;
}

const isListOf = <T>(value: unknown, isOne: (of: unknown) => of is T): value is readonly T[] =>
  Array.isArray(value) && value.every(isOne);

const isId = (value: unknown): value is string => typeof value === "string" && /^\d{1,20}$/.test(value);

type WrittenAbility = Omit<AccountAbility, "resting"> & Partial<Pick<AccountAbility, "resting">>;

function isAbility(value: unknown): value is WrittenAbility {
  if (typeof value !== "object" || value === null) return false;
  const of = value as Partial<Record<keyof AccountAbility, unknown>>;
  return (
    isId(of.accountId) &&
    (of.resting === undefined || isListOf(of.resting, isId)) &&
    typeof of.cancelsSucceed === "boolean" &&
    isDurationOrNull(of.answeredAgoMs) &&
    isDurationOrNull(of.keyLeftMs)
  );
}

const isDurationOrNull = (value: unknown): value is number | null =>
  value === null || (Number.isFinite(value) && (value as number) >= 0);
