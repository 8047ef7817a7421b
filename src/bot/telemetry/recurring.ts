// Limits lines that recur while their cause lasts to one per minute, whoever logs them; the next line gives the number of omitted ones,
// which are logged at level debug.

import { reportTiming } from "../timing.ts";

/** By event: the facts that, with it, identify a cause. Events not listed are always logged. */
const causes: Readonly<Record<string, readonly string[]>> = {
  "stream.streamEnded": ["reason"],
  "stream.frameIgnored": ["type"],
  "stream.frameMalformed": ["code"],
  "stream.streamRefused": [],
  "stream.unconfirmed": ["market", "why"],
  "venue.throttled": [],
  "read.failed": ["read", "subject"],
  "submit.unknown": ["account"],
  "resolver.step": ["account"],
  "resync.began": ["account", "market", "reason"],
  "resync.unread": ["account", "why"],
  "resync.disagreed": ["account", "what"],
  "resync.done": ["account", "market"],
  "fleet.elsewhere": ["account"],
  "fleet.lateOrder": ["account", "market"],
  "reconcile.mismatch": ["account", "market", "what"],
  "account.unreadable": ["account", "market", "side", "order"],
  "fact.implausible": ["what", "market"],
  "fact.wentBack": ["what", "market"],
  "fee.differs": ["account", "market", "liquidity"],
  "strategy.fault": ["account", "market", "kind", "at"],
  "turn.fault": ["account", "market"],
  "process.slept": [],
};

/** The other end may send any number of causes: beyond this many, those of an event count as one. */
const CAUSES_MAX = 200;

type Facts = Readonly<Record<string, unknown>>;

export type Recurring = {
  /** Number of lines of this cause omitted since the last one, at wall time `nowMs`; null: omit this one too. */
  readonly leftOut: (facts: Facts, nowMs: number) => number | null;
};

export function createRecurring(): Recurring {
  const said = new Map<string, { readonly atMs: number; readonly leftOut: number }>();
  return {
    leftOut(facts, nowMs) {
      const { event } = facts;
      const names = typeof event === "string" ? causes[event] : undefined;
      if (names === undefined) return 0;
      const whole = [event, ...names.map((name) => facts[name])].join(" ");
      const cause = said.has(whole) || said.size < CAUSES_MAX ? whole : `${event}`;
      const last = said.get(cause);
      // If the clock is set back, lines are not omitted for long.
      if (last !== undefined && Math.abs(nowMs - last.atMs) < reportTiming.recurringLineMs) {
        said.set(cause, { ...last, leftOut: last.leftOut + 1 });
        return null;
      }
      said.set(cause, { atMs: nowMs, leftOut: 0 });
      return last?.leftOut ?? 0;
    },
  };
}
