// Reads that differ from every state that we held, place by place. The first one adds its worst case to ours. When the next read repeats
// it, the account or market resynchronizes.

import { type MarketId, type Side, type Size, size } from "../../domain/units.ts";
import type { MismatchKind } from "./effects.ts";

/** The alternative state of the place. */
export type Differs = {
  readonly what: MismatchKind;
  readonly expected: string;
  readonly found: string;
  /** A possible position of the account. */
  readonly inventory?: Size;
  /** Contracts that an order may add beyond those that we count. */
  readonly adds?: { readonly side: Side; readonly contracts: Size };
};

/** One read's word on one place. `differs` null: nothing new; undefined: the read cannot judge it. */
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
  /** Fills since then, bought and sold; the read may have shown each of them already. */
  bought: Size;
  sold: Size;
  /** Later reads that do not show it. */
  agreed: number;
};

/** Reads in a row that agree with us and end a doubt that was never repeated: one outlier does not outweigh them. */
const AGREED_MAX = 2;

export class Doubts {
  /** Markets whose doubts changed since the account's sums were last updated, which clears this. */
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

  /** Takes the word of a read. Returns the doubt that it repeats; undefined: none. */
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

  /** Ends a read: it agrees about places without a word, such as an order that is over and no longer listed. */
  receivedAll(words: readonly PlaceWord[], askedMs: number): void {
    for (const doubt of this.#doubts.values())
      if (words.every(({ key }) => key !== doubt.key)) this.#agree(doubt, askedMs);
  }

  #agree(doubt: Doubt, askedMs: number): void {
    if (askedMs <= doubt.sinceMs) return;
    doubt.agreed += 1;
    if (doubt.agreed >= AGREED_MAX) this.#forget(doubt);
  }

  /** A fill of the market was booked. `inventory`: the position since; a doubt that it explains is over. */
  filled(marketId: MarketId, side: Side, filled: Size, inventory: Size): void {
    for (const doubt of this.#doubts.values()) {
      if (doubt.marketId !== marketId || doubt.inventory === undefined) continue;
      if (doubt.inventory === inventory) this.#forget(doubt);
      else if (side === "buy") doubt.bought = size(doubt.bought + filled);
      else doubt.sold = size(doubt.sold + filled);
    }
  }

  /** An adoption of the market, or with null the account, outweighs its doubts. */
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
