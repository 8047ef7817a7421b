// Reads that say something else than any state that we held, place by place. The first adds its worst case to ours. When the next read
// repeats it the account, or the market, resynchronizes.

import { type MarketId, type Side, type Size, size } from "../../domain/units.ts";
import type { MismatchKind } from "./effects.ts";

/** What the place may be instead. */
export type Differs = {
  readonly what: MismatchKind;
  readonly expected: string;
  readonly found: string;
  /** A position that may be the account's. */
  readonly inventory?: Size;
  /** Contracts that an order may add beyond what we count. */
  readonly adds?: { readonly side: Side; readonly contracts: Size };
};

/** What one read says of one place. `differs` null: nothing new; undefined: the read cannot judge it. */
export type PlaceWord = {
  readonly key: string;
  readonly marketId: MarketId;
  readonly differs: Differs | null | undefined;
};

export type Doubt = Differs & {
  readonly key: string;
  readonly marketId: MarketId;
  /** When the read that raised it was received, monotonic ms. */
  readonly sinceMs: number;
  /** What fills have bought and sold since, each of which the read may have shown already. */
  bought: Size;
  sold: Size;
  /** Reads since that say nothing of it. */
  agreed: number;
};

/** Reads that agree with us, one after the other, and end a doubt that was never repeated: one outlier does not outweigh later words. */
const AGREED_MAX = 2;

export class Doubts {
  /** Markets whose doubts changed since the account's sums were last brought up to date, which clear it. */
  readonly touched = new Set<MarketId>();
  readonly #doubts = new Map<string, Doubt>();

  get size(): number {
    return this.#doubts.size;
  }

  in(marketId: MarketId): readonly Doubt[] {
    if (this.#doubts.size === 0) return NONE;
    return [...this.#doubts.values()].filter((doubt) => doubt.marketId === marketId);
  }

  all(): Iterable<Doubt> {
    return this.#doubts.values();
  }

  /** Takes in the word of a read. Returns the doubt that it repeats; undefined: it repeats none. */
  hear(
    { key, marketId, differs }: PlaceWord,
    read: { readonly askedMs: number; readonly receivedMs: number },
  ): Doubt | undefined {
    const known = this.#doubts.get(key);
    if (differs === undefined) return undefined;
    if (differs === null) {
      if (known !== undefined) this.#agree(known, read.askedMs);
      return undefined;
    }
    if (known !== undefined && read.askedMs > known.sinceMs) return known;
    const none = size(0n);
    this.touched.add(marketId);
    this.#doubts.set(key, { ...differs, key, marketId, sinceMs: read.receivedMs, bought: none, sold: none, agreed: 0 });
    return undefined;
  }

  /** A read is taken in: it agrees about places of which it has no word, an order that is over and no longer listed. */
  receivedAll(words: readonly PlaceWord[], askedMs: number): void {
    for (const doubt of this.#doubts.values())
      if (words.every(({ key }) => key !== doubt.key)) this.#agree(doubt, askedMs);
  }

  #agree(doubt: Doubt, askedMs: number): void {
    if (askedMs <= doubt.sinceMs) return;
    doubt.agreed += 1;
    if (doubt.agreed >= AGREED_MAX) this.#forget(doubt);
  }

  /** A fill of the market was booked. `inventory`: what is held since; a doubt that it answers is over. */
  filled(marketId: MarketId, side: Side, filled: Size, inventory: Size): void {
    for (const doubt of this.#doubts.values()) {
      if (doubt.marketId !== marketId || doubt.inventory === undefined) continue;
      if (doubt.inventory === inventory) this.#forget(doubt);
      else if (side === "buy") doubt.bought = size(doubt.bought + filled);
      else doubt.sold = size(doubt.sold + filled);
    }
  }

  /** What the market, or with null the account, was adopted from outweighs them. */
  clear(marketId: MarketId | null): void {
    for (const doubt of this.#doubts.values())
      if (marketId === null || doubt.marketId === marketId) this.#forget(doubt);
  }

  #forget({ key, marketId }: Doubt): void {
    this.#doubts.delete(key);
    this.touched.add(marketId);
  }
}

const NONE: readonly Doubt[] = [];
