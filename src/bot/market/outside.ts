// Outside facts as a market's view shows them: values from files and pushes, the last prints of other markets, and composites of these.

import type { OutsideFact, QuotedSignal, SignalPart } from "../../domain/outside.ts";
import { usdOf } from "../../domain/rounding.ts";
import { absent, type Fact, fresh } from "../../domain/view.ts";
import { exp, ln } from "../../kernel/real.ts";
import { marketTiming } from "../timing.ts";
import { type ExchangeState, marketOf } from "./state.ts";
import { chainTimeMs } from "./time.ts";

const none: Readonly<Record<string, Fact<OutsideFact>>> = Object.freeze({});

/** Each signal is fresh, or absent: while its value is too old, dated ahead of the chain, or the chain's time is unknown. */
export function outsideFacts(
  state: ExchangeState,
  signals: readonly QuotedSignal[],
  monotonicMs: number,
): Readonly<Record<string, Fact<OutsideFact>>> {
  if (signals.length === 0) return none;
  const nowMs = chainTimeMs(state, monotonicMs);
  const facts = signals.map((signal) => [signal.name, nowMs === null ? absent : outsideFact(state, signal, nowMs)]);
  return Object.freeze(Object.fromEntries(facts));
}

/** A composite is the geometric mean of its parts, and as old as the oldest of them. */
function outsideFact(state: ExchangeState, { parts }: QuotedSignal, nowMs: number): Fact<OutsideFact> {
  let [log, asOfMs] = [0, Number.POSITIVE_INFINITY];
  for (const part of parts) {
    const said = saidBy(state, part);
    if (said === undefined || nowMs - said.asOfMs > part.maxAgeMs) return absent;
    if (said.asOfMs - nowMs > marketTiming.clockErrorMs) return absent;
    log += part.share * ln(said.value);
    asOfMs = Math.min(asOfMs, said.asOfMs);
  }
  const [only] = parts;
  const said = parts.length === 1 && only !== undefined ? saidBy(state, only) : undefined;
  const value = Object.freeze({ value: said?.value ?? exp(log), asOfMs });
  return Object.freeze({ state: "fresh", value, ageMs: Math.max(0, nowMs - asOfMs) });
}

/** An unconfirmed print does not count. */
function saidBy(state: ExchangeState, { name, marketId }: SignalPart): OutsideFact | undefined {
  if (marketId === null) return state.outside.get(name);
  const { held, doubt } = state.markets.get(marketId)?.oracle ?? {};
  if (held === undefined || held === null || doubt !== null || held.value.price <= 0n) return undefined;
  return { value: usdOf(held.value.price), asOfMs: held.value.lastUpdateTimestampMs };
}

/** Has the exchange asked about markets whose prints are signals. */
export function followSources(state: ExchangeState, signals: readonly QuotedSignal[]): void {
  for (const { parts } of signals) for (const { marketId } of parts) if (marketId !== null) marketOf(state, marketId);
}

/** Returns how long the facts stay unchanged if nothing happens, ms. */
export const outsideHoldsForMs = (
  facts: Readonly<Record<string, Fact<OutsideFact>>>,
  signals: readonly QuotedSignal[],
): number =>
  Math.min(
    ...signals.map(({ name, parts }) => {
      const fact = facts[name];
      // A composite's parts age apart: its oldest value and its shortest age give an instant that is at worst too early.
      if (fact === undefined || fresh(fact) === undefined) return Number.POSITIVE_INFINITY;
      const leftMs = Math.min(...parts.map(({ maxAgeMs }) => maxAgeMs)) - (fact.state === "fresh" ? fact.ageMs : 0);
      return leftMs > 0 ? leftMs : Number.POSITIVE_INFINITY;
    }),
  );
