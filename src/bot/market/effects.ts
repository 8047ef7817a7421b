// What folding an event brought to light of the exchange, as values: the service counts and acts on them. State never calls out.

import type { JudgedRead } from "../../domain/event.ts";
import type { MarketId } from "../../domain/units.ts";
import type { BookSilence } from "./state.ts";

export type MarketEffect =
  /** The book of the stream is `expected`, and a read asked later said `found`. */
  | {
      readonly kind: "mismatch";
      readonly accountId: null;
      readonly marketId: MarketId;
      readonly what: "book";
      readonly expected: string;
      readonly found: string;
    }
  /** The stream is alive but no longer tells the truth: close it and open another. */
  | { readonly kind: "reconnectWanted"; readonly marketId: MarketId; readonly why: BookSilence }
  /** The book stays silent on a new connection: subscribe to it alone again. No other channel loses a frame. */
  | { readonly kind: "resubscribeWanted"; readonly marketId: MarketId; readonly why: BookSilence }
  /** A fact that cannot be true: not taken, and what we held is stale until the next one. */
  | { readonly kind: "implausible"; readonly what: JudgedRead; readonly marketId: MarketId }
  /** A fact older than one we hold: not taken. */
  | { readonly kind: "wentBack"; readonly what: "height" | "oracle"; readonly marketId: MarketId | null }
  /** The chain goes on at a lower height: what was read before may never have been. */
  | { readonly kind: "chainRestarted"; readonly before: number; readonly height: number };

/** In the order they came to light; mostly empty. */
export type MarketEffects = readonly MarketEffect[];

/** What most events bring to light. Shared, so that folding a frame of the book makes no list. */
export const noEffects: readonly never[] = [];

/** Effects of two steps, in their order. */
export const joinEffects = <Effect>(first: readonly Effect[], then: readonly Effect[]): readonly Effect[] =>
  first.length === 0 ? then : then.length === 0 ? first : [...first, ...then];
