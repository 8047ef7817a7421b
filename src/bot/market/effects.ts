// Effects of folding an event of the exchange, as values: the service counts and acts on them. State never calls out.

import type { JudgedRead } from "../../domain/event.ts";
import type { MarketId } from "../../domain/units.ts";
import type { BookSilence } from "./state.ts";

export type MarketEffect =
  /** The stream's book is `expected`, and a later read showed `found`. */
  | {
      readonly kind: "mismatch";
      readonly accountId: null;
      readonly marketId: MarketId;
      readonly what: "book";
      readonly expected: string;
      readonly found: string;
    }
  /** The stream is alive but its content is wrong: close it and open another. */
  | { readonly kind: "reconnectWanted"; readonly marketId: MarketId; readonly why: BookSilence }
  /** The book stays silent on a new connection: subscribe to this book alone again, so that no other channel loses a frame. */
  | { readonly kind: "resubscribeWanted"; readonly marketId: MarketId; readonly why: BookSilence }
  /** A fact that cannot be true: it was not taken, and the one we hold is stale until the next. */
  | { readonly kind: "implausible"; readonly what: JudgedRead; readonly marketId: MarketId }
  /** A fact older than one we hold: not taken. */
  | { readonly kind: "wentBack"; readonly what: "height" | "oracle"; readonly marketId: MarketId | null }
  /** The chain restarted at a lower height: earlier reads may describe states that no longer exist. */
  | { readonly kind: "chainRestarted"; readonly before: number; readonly height: number };

/** In the order in which they came to light; mostly empty. */
export type MarketEffects = readonly MarketEffect[];

/** The effects of most events. Shared, so that folding a frame of the book allocates no list. */
export const noEffects: readonly never[] = [];

/** Effects of two steps, in order. */
export const joinEffects = <Effect>(first: readonly Effect[], then: readonly Effect[]): readonly Effect[] =>
  first.length === 0 ? then : then.length === 0 ? first : [...first, ...then];
