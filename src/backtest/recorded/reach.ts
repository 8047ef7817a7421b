// How far takers reach, by their trades: a taker that would pay up to a distance from the mid trades where that is beyond the touch, and
// its size may end before its price does. Such a taker is censored: it would have gone further.

import type { Book, Level } from "../../domain/book.ts";
import type { Trade } from "../../domain/fill.ts";
import { usdOf } from "../../domain/rounding.ts";
import { type MarketId, type OrderId, opposite, type Price, type Side, sides, signOf } from "../../domain/units.ts";
import { exp, ln } from "../../kernel/real.ts";
import type { OwnOrder } from "./session.ts";

/** A taker. Distances from the mid before it, USD. */
export type Taker = {
  /** 1 bought, -1 sold. */
  readonly sign: number;
  readonly atMs: number;
  readonly midUsd: number;
  /** Distance of its last trade. */
  readonly reachedUsd: number;
  /** Distance of the price that it did not pay though all before it was gone; null: its size ended first, or nothing was beyond. */
  readonly endedBeforeUsd: number | null;
  /** It traded with an order of ours. */
  readonly isOurs: boolean;
};

/** An amount for each distance, keyed by the distance's index (`indexOf`). */
export type ByDistance = Map<number, number>;

/** Distances are counted in steps of 2 %. */
const STEP = 0.02;
/** Least distance from the mid, USD: our own quotes may be on the other side of the others' mid. */
const NEAREST_USD = 1e-6;
export const indexOf = (usd: number): number => Math.round(ln(Math.max(NEAREST_USD, usd)) / STEP);
/** USD. */
export const distanceOf = (index: number): number => exp(index * STEP);

type Resting = { readonly price: Price; left: bigint };

/** The book that takers met, including our orders, and what they took. Times are in ms of one clock and never go back. */
export class ReachWatch {
  readonly #marketId: MarketId;
  readonly #unseenMsMax: number;
  readonly #own = new Map<OrderId, Resting & { readonly side: Side }>();
  #others: Readonly<Record<Side, readonly Resting[]>> = { buy: [], sell: [] };
  #midUsd: number | null = null;
  #lookedMs = 0;
  #countedMs = 0;
  #taker: { readonly id: OrderId; readonly midUsd: number; readonly taker: Taker } | null = null;
  #takers: Taker[] = [];
  #touches: ByDistance = new Map();

  /** While the book is older than `unseenMsMax`, time does not count. */
  constructor(marketId: MarketId, unseenMsMax: number) {
    this.#marketId = marketId;
    this.#unseenMsMax = unseenMsMax;
  }

  /** An order of ours rests, or has changed. */
  place({ marketId, orderId, side, price, size, filled }: OwnOrder, nowMs: number): void {
    if (marketId !== this.#marketId) return;
    this.#count(nowMs);
    this.#own.set(orderId, { side, price, left: size - filled });
  }

  gone({ orderId }: Pick<OwnOrder, "orderId">, nowMs: number): void {
    if (!this.#own.has(orderId)) return;
    this.#count(nowMs);
    this.#own.delete(orderId);
  }

  /** Takes the others' book and its mid. `midUsd` null: until the next book neither time nor takers count. */
  look({ bids, asks }: Book, midUsd: number | null, nowMs: number): void {
    this.#endTaker();
    this.#count(nowMs);
    this.#midUsd = midUsd;
    this.#lookedMs = nowMs;
    const restingOf = (levels: readonly Level[]) => levels.map(({ price, size }): Resting => ({ price, left: size }));
    this.#others = { buy: restingOf(bids), sell: restingOf(asks) };
  }

  /** Takes a trade of a taker that is not ours. */
  trade({ marketId, price, size, takerSide: side, takerOrderId: id, makerOrderId }: Trade, nowMs: number): void {
    if (marketId !== this.#marketId || this.#midUsd === null) return;
    this.#count(nowMs);
    const sign = Number(signOf(side));
    const own = this.#own.get(makerOrderId);
    const maker = own ?? this.#others[opposite(side)].find((level) => level.price === price);
    if (maker !== undefined) maker.left -= size;
    if (this.#taker?.id !== id) this.#endTaker();
    const { midUsd, taker } = this.#taker ?? { midUsd: this.#midUsd, taker: null };
    const distance = (at: Price): number => Math.max(NEAREST_USD, sign * (usdOf(at) - midUsd));
    const best = this.#best(opposite(side));
    const [reachedUsd, nextUsd] = [distance(price), best === null ? 0 : distance(best)];
    this.#taker = {
      id,
      midUsd,
      taker: {
        sign,
        atMs: taker?.atMs ?? nowMs,
        midUsd,
        reachedUsd,
        endedBeforeUsd: nextUsd > reachedUsd ? nextUsd : null,
        isOurs: own !== undefined || taker?.isOurs === true,
      },
    };
  }

  /** Returns takers and times since the last call. */
  end(nowMs: number): { readonly takers: readonly Taker[]; readonly touches: ByDistance } {
    this.#endTaker();
    this.#count(nowMs);
    const ended = { takers: this.#takers, touches: this.#touches };
    this.#takers = [];
    this.#touches = new Map();
    return ended;
  }

  #endTaker(): void {
    if (this.#taker !== null) this.#takers.push(this.#taker.taker);
    this.#taker = null;
  }

  #count(nowMs: number): void {
    const fromMs = Math.max(this.#countedMs, this.#lookedMs);
    this.#countedMs = nowMs;
    if (this.#midUsd === null || nowMs <= fromMs || nowMs - this.#lookedMs > this.#unseenMsMax) return;
    for (const side of sides) {
      const best = this.#best(side);
      if (best === null) continue;
      const index = indexOf(Number(signOf(side)) * (this.#midUsd - usdOf(best)));
      this.#touches.set(index, (this.#touches.get(index) ?? 0) + (nowMs - fromMs) / 1000);
    }
  }

  /** The best price of a side, including our orders. */
  #best(side: Side): Price | null {
    let best = this.#others[side].find(({ left }) => left > 0n)?.price ?? null;
    for (const own of this.#own.values()) {
      if (own.side !== side || own.left <= 0n) continue;
      if (best === null || (side === "buy" ? own.price > best : own.price < best)) best = own.price;
    }
    return best;
  }
}
