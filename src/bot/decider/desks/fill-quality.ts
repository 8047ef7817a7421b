// Quality of one market's fills and quotes: markouts by horizon and queue place, time with quotes on both sides, the newest fills.

import type { Fill } from "../../../domain/fill.ts";
import { contractsOf, usdcOf, usdOf } from "../../../domain/rounding.ts";
import type { Size } from "../../../domain/units.ts";
import { absent, lastKnown, type View } from "../../../domain/view.ts";
import { createOldestOutMap } from "../../../kernel/bounded.ts";
import type { Prng } from "../../../kernel/prng.ts";
import {
  createJudgedMarkouts,
  createMarkouts,
  type Followed,
  type JudgedHorizon,
  judgingPrice,
  type MarkoutHorizon,
  MarkoutMeans,
  type Markouts,
  midOf,
  type PlacedFill,
  queueDecile,
} from "../../analytics/markouts.ts";
import { createUptime, isTwoSided, type Uptime } from "../../analytics/uptime.ts";
import type { FillLine, PlaceLine } from "../../dashboard/detail.ts";
import { type JudgedFill, phaseOf } from "../../risk/adverse.ts";
import type { RunningStrategy } from "../../strategy/loader.ts";
import type { Turn } from "../turns/turn.ts";

/** The market's phase, how much further out than the strategy wanted its side was, half-spreads, and the strategy. */
type FollowedFill = Followed & Pick<JudgedFill, "phase" | "widened"> & { readonly by: RunningStrategy };

/** A fill whose horizon has come. */
export type FillJudgment = {
  readonly horizon: JudgedHorizon;
  readonly fill: JudgedFill;
  readonly by: RunningStrategy;
};

/** The page receives all of these every second. */
const RECENT_FILLS = 20;

export class FillQuality {
  readonly #markouts: Markouts<MarkoutHorizon, PlacedFill> = createMarkouts();
  readonly #judged: Markouts<JudgedHorizon, FollowedFill>;
  readonly #onMarkout: (horizon: MarkoutHorizon, bps: number) => void;
  /** By tenths of the queue, the front first. */
  readonly #byPlace = Array.from({ length: 10 }, () => new MarkoutMeans());
  readonly #uptime: Uptime = createUptime();
  /** Time with an order of ours on both sides in this run, seconds. */
  quotedSeconds = 0;
  readonly means = new MarkoutMeans();
  /** The newest fills, by key. */
  readonly recent = createOldestOutMap<string, FillLine>(RECENT_FILLS);

  constructor(prng: Prng, onMarkout: (horizon: MarkoutHorizon, bps: number) => void) {
    this.#judged = createJudgedMarkouts(prng);
    this.#onMarkout = onMarkout;
  }

  /** Returns when a fill is, or was, next to be measured, monotonic ms; infinity: no fill is followed. */
  get dueMs(): number {
    return Math.min(this.#markouts.dueMs(), this.#judged.dueMs());
  }

  /** Measures what is due, for an order of `orderSize`; call it after the turn. Returns the fills that count for limits. */
  measure(view: View, orderSize: Size): readonly FillJudgment[] {
    const judgments = this.dueMs <= view.nowMs ? this.#measureFills(view, orderSize) : [];
    this.quotedSeconds += this.#uptime.turn(view.nowMs, isTwoSided(view.orders));
    return judgments;
  }

  #measureFills(view: View, orderSize: Size): readonly FillJudgment[] {
    const { nowMs } = view;
    for (const markout of this.#markouts.resolve(nowMs, midOf(view, orderSize))) {
      this.#onMarkout(markout.horizon, markout.bps);
      this.means.add(markout);
      const { decile } = markout.fill;
      if (decile !== null) this.#byPlace[decile - 1]?.add(markout);
    }
    return this.#judged.resolve(nowMs, judgingPrice(view, orderSize)).map(({ horizon, bps, fill }) => ({
      horizon,
      fill: { ...fill, contracts: contractsOf(fill.size), markoutBps: bps },
      by: fill.by,
    }));
  }

  /** Returns markouts by the tenth of the queue that the orders were in, for tenths with fills. */
  byPlace(): readonly PlaceLine[] {
    const lines = this.#byPlace.map((means, at) => ({ decile: at + 1, markouts: means.lines() }));
    return lines.filter(({ markouts }) => markouts.length > 0);
  }

  /** Follows a fill that was not known before. `last`: the turn before it; `halfSpreadBps`: of the quotes then. */
  filled(
    fill: Fill,
    view: View,
    {
      last,
      halfSpreadBps,
      by,
    }: { readonly last: Turn | null; readonly halfSpreadBps: number; readonly by: RunningStrategy },
  ): void {
    const followed = { ...fill, atMs: view.nowMs, halfSpreadBps };
    this.#markouts.follow({ ...followed, decile: last === null ? null : decileOf(fill, last.view) });
    const widened = last?.answers[fill.side].widened ?? 0;
    this.#judged.follow({ ...followed, phase: phaseOf(view), widened, by });
    const atMs = fill.timestampMs ?? lastKnown(view.chain)?.timeMs ?? 0;
    const { side, liquidity, key } = fill;
    this.recent.set(key, {
      atMs,
      side,
      liquidity,
      price: usdOf(fill.price),
      size: contractsOf(fill.size),
      ...moneyOf(fill),
      key,
    });
  }

  /** Updates a fill whose fee and profit came later. */
  amended(fill: Fill): void {
    const known = this.recent.get(fill.key);
    if (known !== undefined) this.recent.set(fill.key, { ...known, ...moneyOf(fill) });
  }
}

/** Returns the tenth of the queue that the order was in, by the last book before the fill; null: unknown, or a taker fill. */
function decileOf({ orderId, liquidity, price }: Fill, view: View): number | null {
  const order = view.orders.find((known) => known.orderId === orderId);
  if (liquidity === "taker" || order === undefined || order.queueAhead === null || order.price !== price) return null;
  const book = lastKnown(view.book ?? absent);
  const levels = order.side === "buy" ? book?.bids : book?.asks;
  const shown = levels?.find((level) => level.price === price)?.size ?? 0n;
  const least = order.queueAhead + order.remainingSize;
  return queueDecile(order.queueAhead, shown > least ? shown : least);
}

/** USDC; null until the exchange reports it. */
const moneyOf = ({ fee, realizedPnl }: Fill): Pick<FillLine, "fee" | "realizedPnl"> => ({
  fee: fee === null ? null : usdcOf(fee),
  realizedPnl: realizedPnl === null ? null : usdcOf(realizedPnl),
});
