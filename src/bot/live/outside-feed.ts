// Feeds the machine with outside facts: the rows of files as they become known, and values that are pushed. Says when a signal is lost and when
// it is back.

import type { OutsideEvent } from "../../domain/event.ts";
import type { OutsideFact } from "../../domain/outside.ts";
import type { AccountId } from "../../domain/units.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { BotState } from "../account/account-state.ts";
import type { SignalRow, SignalSource } from "../config/config.ts";
import type { AccountDesk } from "../decider/desks/account-desk.ts";
import { outsideFacts } from "../market/outside.ts";
import { chainTimeMs } from "../market/time.ts";
import type { Log } from "../telemetry/log.ts";
import { outsideTiming } from "../timing.ts";

export type OutsideFeedModules = {
  readonly state: BotState;
  readonly desks: ReadonlyMap<AccountId, AccountDesk>;
  readonly clock: Clock;
  readonly log: Log;
  /** Takes each fact as it becomes known. */
  readonly hear: (event: OutsideEvent) => void;
};

/** Why a push is not taken: HTTP status and a sentence. */
export type PushRefusal = { readonly status: 400 | 404 | 409 | 429 | 503; readonly why: string };

export class OutsideFeed {
  readonly #modules: OutsideFeedModules;
  #sources: readonly SignalSource[] = [];
  /** What was last fed, by name. */
  readonly #fed = new Map<string, OutsideFact>();
  /** When pushes of the last second came, monotonic ms, by name. */
  readonly #pushedMs = new Map<string, readonly number[]>();
  /** Whether a signal was fresh at the last look, by name. */
  #wasFresh: ReadonlyMap<string, boolean> = new Map();

  constructor(modules: OutsideFeedModules) {
    this.#modules = modules;
  }

  /** From now on these sources are heard. What one said before stays known until it is too old. */
  follow(sources: readonly SignalSource[]): void {
    this.#sources = sources;
  }

  /** Feeds rows of files that have become known: call it each second. */
  look(): void {
    const { state, clock } = this.#modules;
    const nowMs = chainTimeMs(state, clock.monotonicMs());
    if (nowMs === null) return;
    for (const source of this.#sources) {
      const row = source.kind === "file" ? newestAt(source.rows, nowMs) : undefined;
      if (row !== undefined) this.#feed(source.name, { value: row.value, asOfMs: row.publishedMs });
    }
    this.#tell();
  }

  /** Takes a pushed value, as of a time of the chain, Unix ms; null: it is taken. Call `admits` before the request is read. */
  push(name: string, fact: OutsideFact): PushRefusal | null {
    const { state, clock } = this.#modules;
    const source = this.#pushed(name);
    if (source === undefined) return this.#unknown(name);
    const nowMs = chainTimeMs(state, clock.monotonicMs());
    if (nowMs === null) return { status: 503, why: "the chain's time is not known yet" };
    const aheadMs = Math.ceil(fact.asOfMs - nowMs);
    if (aheadMs > outsideTiming.pushAheadMaxMs)
      return {
        status: 400,
        why: `asOf is ${aheadMs} ms ahead of the chain's time, more than ${outsideTiming.pushAheadMaxMs} ms`,
      };
    if (nowMs - fact.asOfMs > source.maxAgeMs)
      return { status: 400, why: `asOf is older than maxAgeSecs, ${source.maxAgeMs / 1000}` };
    const known = this.#fed.get(name);
    if (known !== undefined && fact.asOfMs < known.asOfMs)
      return {
        status: 409,
        why: `asOf is older than that of the value known, ${new Date(known.asOfMs).toISOString()}`,
      };
    this.#feed(name, fact);
    return null;
  }

  /** Counts a push, and refuses one of an unknown signal or too many within a second; null: it may come. */
  admits(name: string): PushRefusal | null {
    if (this.#pushed(name) === undefined) return this.#unknown(name);
    const nowMs = this.#modules.clock.monotonicMs();
    const recent = (this.#pushedMs.get(name) ?? []).filter((atMs) => nowMs - atMs < outsideTiming.pushSpanMs);
    const isTooMany = recent.length >= outsideTiming.pushesPerSpan;
    this.#pushedMs.set(name, isTooMany ? recent : [...recent, nowMs]);
    return isTooMany ? { status: 429, why: `more than ${outsideTiming.pushesPerSpan} pushes within a second` } : null;
  }

  #feed(name: string, fact: OutsideFact): void {
    const known = this.#fed.get(name);
    if (known?.value === fact.value && known.asOfMs === fact.asOfMs) return;
    this.#fed.set(name, fact);
    this.#modules.hear({ kind: "outsideFact", name, fact, receivedMs: this.#modules.clock.monotonicMs() });
  }

  #pushed(name: string): SignalSource | undefined {
    return this.#sources.find((source) => source.kind === "push" && source.name === name);
  }

  #unknown(name: string): PushRefusal {
    const names = this.#sources.filter(({ kind }) => kind === "push").map((source) => source.name);
    const takes = names.length === 0 ? "none does" : names.join(", ");
    return { status: 404, why: `no signal ${name.slice(0, 64)} takes pushes; those that do: ${takes}` };
  }

  /** Says which signals of the markets are lost, and which are back. */
  #tell(): void {
    const { state, desks, clock, log } = this.#modules;
    const isFresh = new Map<string, boolean>();
    for (const { markets } of desks.values())
      for (const { quoted } of markets.values()) {
        const facts = outsideFacts(state, quoted.signals, clock.monotonicMs());
        for (const [name, fact] of Object.entries(facts)) isFresh.set(name, fact.state === "fresh");
      }
    for (const [signal, now] of isFresh) {
      const before = this.#wasFresh.get(signal);
      if (now && before === false)
        log.info({ event: "signal.fresh", signal }, `signal ${signal}: fresh; fair value uses it again`);
      else if (!now && before !== false)
        log.warn(
          { event: "signal.absent", signal },
          `signal ${signal}: ${before === undefined ? "no value yet" : "its value is too old"}; fair value goes without it`,
        );
    }
    this.#wasFresh = isFresh;
  }
}

/** The last row that is known at `nowMs`; rows are in the order of time. */
function newestAt(rows: readonly SignalRow[], nowMs: number): SignalRow | undefined {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.publishedMs ?? 0) <= nowMs) low = middle + 1;
    else high = middle;
  }
  return rows[low - 1];
}
