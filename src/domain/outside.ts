// Outside facts: what a file, a push, another market or a composite of these says of a market's next print.

import type { MarketId } from "./units.ts";

/** What a source last said. */
export type OutsideFact = {
  /** Above 0, in USD or whatever else the source counts in: only its moves are used. */
  readonly value: number;
  /** When the source said it, chain time, Unix ms. */
  readonly asOfMs: number;
};

/** A signal as a market uses it: one source, or several with their shares. */
export type QuotedSignal = { readonly name: string; readonly parts: readonly SignalPart[] };

export type SignalPart = {
  /** Name of the source's own signal. */
  readonly name: string;
  /** Weight in the signal; those of all parts add up to 1. */
  readonly share: number;
  /** An older value is absent, ms. */
  readonly maxAgeMs: number;
  /** Market whose last print is the source; null: a file or a push. */
  readonly marketId: MarketId | null;
};
