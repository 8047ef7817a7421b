// The strategy of one market: the running one with its memory, the one before it, and the markouts of both.

import { noQuotes } from "../../../domain/quotes.ts";
import { type MarkoutTally, noMarkouts, withMarkout } from "../../analytics/markout-tally.ts";
import type { JudgedHorizon } from "../../analytics/markouts.ts";
import type { QuotedMarket } from "../../config/config.ts";
import { strategyHash } from "../../config/market-hash.ts";
import { QuoteFault } from "../../strategy/checked-quotes.ts";
import type { KeptMemory } from "../../strategy/kept-signals.ts";
import type { RunningStrategy } from "../../strategy/loader.ts";

export type Start = (start: () => RunningStrategy) => RunningStrategy;

/** Two strategies are compared by their markouts at this horizon. */
const COMPARED_HORIZON: JudgedHorizon = "10s";

export class StrategySlot {
  /** Turns call it; it keeps its memory. */
  running: RunningStrategy;
  readonly #start: Start;
  #quoted: QuotedMarket;
  /** Markouts of the running strategy since it began to trade. */
  #markouts = noMarkouts;
  /** The strategy before it, which can be resumed; null: there was none. */
  #former: { readonly strategy: RunningStrategy; readonly markouts: MarkoutTally } | null = null;
  /** Strategies that took too long; they are not called again. */
  readonly #slow = new WeakMap<RunningStrategy, QuoteFault>();
  #isDraining = false;

  /** `memory`: what an earlier run kept of the same configuration; undefined: nothing. */
  constructor(quoted: QuotedMarket, memory: unknown, start: Start) {
    this.#start = start;
    this.#quoted = quoted;
    this.running = start(() => quoted.strategy.start(memory));
  }

  /** The strategy as a turn calls it: a slow one throws its fault instead. */
  get asked(): Pick<RunningStrategy, "quote"> {
    const { fault } = this;
    if (fault === null) return this.running;
    return {
      quote() {
        throw fault;
      },
    };
  }

  /** Why the strategy is not called; null: it is. */
  get fault(): QuoteFault | null {
    return this.#slow.get(this.running) ?? null;
  }

  /** `why` is a clause. */
  tookTooLong(why: string): void {
    this.#slow.set(this.running, new QuoteFault("slow", why));
  }

  get markouts(): MarkoutTally {
    return this.#markouts;
  }

  /** Counts a fill of the running strategy. */
  judged(horizon: JudgedHorizon, by: RunningStrategy, markoutBps: number): void {
    if (horizon === COMPARED_HORIZON && by === this.running) this.#markouts = withMarkout(this.#markouts, markoutBps);
  }

  /** Starts a changed strategy. `goesOn`: the former one continues where it was. */
  requote(quoted: QuotedMarket, goesOn: boolean): void {
    const restarts = quoted.hash !== this.#quoted.hash;
    const former = goesOn ? this.#former : null;
    if (strategyHash(quoted.strategy) !== strategyHash(this.#quoted.strategy))
      this.#former = { strategy: this.running, markouts: this.#markouts };
    this.#quoted = quoted;
    if (!restarts) return;
    this.running = former?.strategy ?? this.#start(() => quoted.strategy.start());
    this.#markouts = former?.markouts ?? noMarkouts;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** The market left the configuration: nothing is quoted from now on. */
  drain(): void {
    this.#isDraining = true;
    this.running = { quote: () => noQuotes("the market left the configuration"), memory: null };
  }

  /** Memory for the next run; null: the strategy keeps none. */
  get keptMemory(): KeptMemory | null {
    const { strategy, hash } = this.#quoted;
    return strategy.keepsMemory && !this.#isDraining ? { config: hash, value: this.running.memory } : null;
  }
}
