// Estimates of one market: the state of the estimators, updated after each turn so that none waits for them, and the signals that strategies
// read of it.

import type { VenueEvent } from "../../../domain/event.ts";
import type { Fill } from "../../../domain/fill.ts";
import type { Market } from "../../../domain/market.ts";
import type { QuotedSignal } from "../../../domain/outside.ts";
import type { Quotes } from "../../../domain/quotes.ts";
import type { MarketId } from "../../../domain/units.ts";
import type { Signals } from "../../../domain/view.ts";
import { printable } from "../../../kernel/printable.ts";
import { outsideWeight } from "../../strategy/outside.ts";
import {
  calmMidUsd,
  foldFill,
  foldQuotes,
  foldSignals,
  type Own,
  readSignals,
  type SignalState,
  startSignals,
} from "../../strategy/signals.ts";
import type { KeptMarket } from "./kept-adverse.ts";

export class MarketEstimates {
  readonly #marketId: MarketId;
  #state: SignalState;
  /** Null: not read since the state changed. */
  #signals: Signals | null = null;
  #kept: KeptMarket | null;

  constructor(marketId: MarketId, kept: KeptMarket | null) {
    this.#marketId = marketId;
    this.#kept = kept;
    this.#state = kept?.state ?? startSignals(marketId);
  }

  get state(): SignalState {
    return this.#state;
  }

  get signals(): Signals {
    this.#signals ??= readSignals(this.#state);
    return this.#signals;
  }

  /** The stored estimates that this run continues; null: there are none, or they were of another market. */
  get kept(): KeptMarket | null {
    return this.#kept;
  }

  /** The mid between prints, USD; null around a print, and while there is no mid. */
  calmMidUsd(own: Own): number | null {
    return calmMidUsd(this.#state, own);
  }

  /** Weight of each signal in fair value, 0 to 1; 0 while it is absent. */
  outsideWeights(
    signals: readonly Pick<QuotedSignal, "name">[],
  ): readonly { readonly name: string; readonly weight: number }[] {
    const { outside } = this.#state;
    return signals.map(({ name }) => {
      const forecast = outside[name];
      return { name, weight: forecast === undefined ? 0 : outsideWeight(forecast) };
    });
  }

  /** Call it after the turn, which need not wait for it. */
  learn(event: VenueEvent, own: Own): void {
    this.#become(foldSignals(this.#state, event, own));
  }

  quoted(quotes: Quotes, own: Own, nowMs: number): void {
    this.#become(foldQuotes(this.#state, quotes, own, nowMs));
  }

  filled(fill: Fill, nowMs: number): void {
    this.#become(foldFill(this.#state, fill, nowMs));
  }

  /**
   * Starts over where the id has been given to another market since an earlier run. Returns why, a clause; null: it has not. The market
   * is read long before the first quote, which waits for more.
   */
  recognize({ marketId, name }: Market): string | null {
    if (this.#kept === null || marketId !== this.#marketId || name === this.#kept.name) return null;
    const why = `they are of a market named ${printable(this.#kept.name, 80)}`;
    this.#kept = null;
    this.#become(startSignals(marketId));
    return why;
  }

  #become(state: SignalState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#signals = null;
  }
}
