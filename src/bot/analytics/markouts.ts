// Markouts: how far a price moved in our favor after each fill, at horizons on monotonic time. A fill whose horizon passes without a
// fresh price is dropped and counted, never guessed. A restart forgets pending ones.

import { depthMid, weighedMid } from "../../domain/depth.ts";
import type { Fill } from "../../domain/fill.ts";
import { othersBook } from "../../domain/others-book.ts";
import { type Price, type Side, type Size, signOf } from "../../domain/units.ts";
import { fresh, type View } from "../../domain/view.ts";
import type { Prng } from "../../kernel/prng.ts";

/** The horizons of metrics, page and backtests. */
export const markoutHorizons = ["1s", "10s", "60s", "300s"] as const;
export type MarkoutHorizon = (typeof markoutHorizons)[number];

/** The horizons that judge fills. Two are drawn at random per fill, so that nobody can time the price to the fixed ones. */
export const judgedHorizons = [...markoutHorizons, "drawnSoon", "drawnLate"] as const;
export type JudgedHorizon = (typeof judgedHorizons)[number];

/** After `afterMs`, or drawn evenly from there to `untilMs`; a price up to `lateMsMax` later counts: a quiet second has no turn. */
type Wait = { readonly afterMs: number; readonly untilMs?: number; readonly lateMsMax: number };

const fixed: Readonly<Record<MarkoutHorizon, Wait>> = {
  "1s": { afterMs: 1000, lateMsMax: 500 },
  "10s": { afterMs: 10_000, lateMsMax: 2000 },
  "60s": { afterMs: 60_000, lateMsMax: 5000 },
  "300s": { afterMs: 300_000, lateMsMax: 5000 },
};
const judged: Readonly<Record<JudgedHorizon, Wait>> = {
  ...fixed,
  drawnSoon: { afterMs: 1000, untilMs: 10_000, lateMsMax: 1000 },
  drawnLate: { afterMs: 10_000, untilMs: 120_000, lateMsMax: 2000 },
};

/** Per horizon. The default limit on fills is 300 per minute, so 1,500 wait for the longest. */
const PENDING_MAX = 4096;

/** A followed fill: `halfSpreadBps` is what we quoted then, `atMs` when it was received. */
export type Followed = Pick<Fill, "side" | "price" | "size"> & {
  readonly atMs: number;
  readonly halfSpreadBps: number;
};

/** Adds the tenth of the queue of its price that the order was in, 1 at the front; null: unknown, or a taker fill. */
export type PlacedFill = Followed & { readonly decile: number | null };

export type Markout<H, F> = { readonly horizon: H; readonly bps: number; readonly fill: F };

export type Markouts<H, F extends Followed = Followed> = {
  /** Waits for the horizons of a fill. Call once per fill, in order of time. */
  readonly follow: (fill: F) => void;
  /** Resolves those whose horizon has come. `priceNow`: null while none is fresh. */
  readonly resolve: (nowMs: number, priceNow: Price | null) => readonly Markout<H, F>[];
  /** True when a horizon has passed unresolved. */
  readonly areDue: (nowMs: number) => boolean;
  /** When the next horizon comes, or came if it is unresolved, monotonic ms; infinity: no fill is followed. */
  readonly dueMs: () => number;
  /** Markouts that wait for their horizon. */
  readonly pendingCount: () => number;
  /** Markouts without a fresh price in time, or beyond the queue's size. */
  readonly droppedCount: () => number;
};

/** Basis points: side x (mid - fill price) / fill price, side +1 when we bought. `fillPrice` is above zero. */
export function markoutBps(side: Side, fillPrice: Price, mid: Price): number {
  return (Number(signOf(side) * (mid - fillPrice)) / Number(fillPrice)) * 10_000;
}

/** The mid of the others' book for an order of our size, null where none is fresh. */
export function midOf(view: View, orderSize: Size): Price | null {
  const book = fresh(view.book);
  return book === undefined ? null : (depthMid(othersBook(book, view), orderSize) ?? null);
}

/** The price that fills are judged by: a mid that one counterparty may have made counts little more than the oracle price. */
export function judgingPrice(view: View, orderSize: Size): Price | null {
  const oracle = fresh(view.oracle);
  const book = fresh(view.book);
  return oracle === undefined || book === undefined
    ? null
    : weighedMid(othersBook(book, view), orderSize, oracle.price);
}

/** The worth of our quotes, for people. `F`: other facts of each fill. */
export const createMarkouts = <F extends Followed = Followed>(): Markouts<MarkoutHorizon, F> =>
  follower(markoutHorizons, fixed, ({ afterMs }) => afterMs);

/** What the limit `adverseFills` judges; `F`: other facts of each fill. */
export const createJudgedMarkouts = <F extends Followed>(prng: Prng): Markouts<JudgedHorizon, F> =>
  follower(judgedHorizons, judged, ({ afterMs, untilMs = afterMs }) => afterMs + prng.float() * (untilMs - afterMs));

/** Number of resolved fills, and the sum of their markouts in basis points. */
export type MarkoutSum = { readonly count: number; readonly sum: number };
const noMarkoutSum: MarkoutSum = { count: 0, sum: 0 };
export type MarkoutSums = Readonly<Record<MarkoutHorizon, MarkoutSum>>;

export const sumsByHorizon = (sumOf: (horizon: MarkoutHorizon) => MarkoutSum): MarkoutSums =>
  Object.fromEntries(markoutHorizons.map((horizon) => [horizon, sumOf(horizon)])) as MarkoutSums;

export const noMarkoutSums: MarkoutSums = sumsByHorizon(() => noMarkoutSum);

/** Sums of markouts by horizon. */
export class MarkoutMeans {
  readonly #sums = new Map<MarkoutHorizon, MarkoutSum>();

  add({ horizon, bps }: Pick<Markout<MarkoutHorizon, unknown>, "horizon" | "bps">): void {
    const { count, sum } = this.#sums.get(horizon) ?? noMarkoutSum;
    this.#sums.set(horizon, { count: count + 1, sum: sum + bps });
  }

  sums(): MarkoutSums {
    return sumsByHorizon((horizon) => this.#sums.get(horizon) ?? noMarkoutSum);
  }

  /** Fills whose shortest horizon has come. */
  get count(): number {
    return this.lines()[0]?.count ?? 0;
  }

  /** Lines of the horizons that came, the shortest first. */
  lines(): readonly { readonly horizon: MarkoutHorizon; readonly count: number; readonly meanBps: number }[] {
    return [...this.#sums].map(([horizon, { count, sum }]) => ({ horizon, count, meanBps: sum / count }));
  }
}

/** The tenth of its price's queue that an order is in, 1 at the front. `ahead`: contracts before it; `whole`: all that rested there. */
export const queueDecile = (ahead: bigint, whole: bigint): number =>
  whole <= ahead ? 10 : 1 + Number((ahead * 10n) / whole);

type Pending<F> = { readonly fill: F; readonly dueMs: number };

function follower<H extends string, F extends Followed>(
  horizons: readonly H[],
  waits: Readonly<Record<H, Wait>>,
  delayMs: (wait: Wait) => number,
): Markouts<H, F> {
  const queues = horizons.map((horizon) => ({ horizon, wait: waits[horizon], pending: [] as Pending<F>[] }));
  let dropped = 0;
  const dueMs = (): number =>
    queues.reduce((next, { pending: [first] }) => Math.min(next, first?.dueMs ?? next), Number.POSITIVE_INFINITY);
  return {
    follow(fill) {
      for (const { wait, pending } of queues) {
        if (pending.length < PENDING_MAX) insert(pending, { fill, dueMs: fill.atMs + delayMs(wait) });
        else dropped += 1;
      }
    },
    resolve(nowMs, priceNow) {
      const markouts: Markout<H, F>[] = [];
      for (const { horizon, wait, pending } of queues) {
        for (let first = pending[0]; first !== undefined && first.dueMs <= nowMs; first = pending[0]) {
          const late = nowMs - first.dueMs > wait.lateMsMax;
          if (!late && priceNow === null) break;
          pending.shift();
          if (late || priceNow === null) dropped += 1;
          else {
            const { fill } = first;
            markouts.push({ horizon, bps: markoutBps(fill.side, fill.price, priceNow), fill });
          }
        }
      }
      return markouts;
    },
    areDue: (nowMs) => dueMs() <= nowMs,
    dueMs,
    pendingCount: () => queues.reduce((sum, { pending }) => sum + pending.length, 0),
    droppedCount: () => dropped,
  };
}

/** By their times; for a fixed horizon that is the end. */
function insert<F>(pending: Pending<F>[], added: Pending<F>): void {
  let at = pending.length;
  while (at > 0 && (pending[at - 1] as Pending<F>).dueMs > added.dueMs) at -= 1;
  pending.splice(at, 0, added);
}
