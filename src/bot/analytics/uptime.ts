// Quote uptime: how long both sides of a market had an order of ours resting. What a turn sees holds until the next turn.

import type { TrackedOrder } from "../../domain/order.ts";
import { usdOf } from "../../domain/rounding.ts";
import type { Side } from "../../domain/units.ts";

/** Facts arrive every second or so, and turns with them; over a longer gap nobody knows what rested, so no more than this counts. */
const GAP_MS_MAX = 2000;

/** Where an order must rest to count: no further than `distanceBps` from the center. */
export type Vicinity = { readonly centerUsd: number; readonly distanceBps: number };

export type Uptime = {
  /** Tells what this turn sees, at monotonic `nowMs`. Returns the seconds of uptime since the turn before. */
  readonly turn: (nowMs: number, twoSided: boolean) => number;
};

/** True while at least one order works on each side: accepted and not done, doubts aside. */
export function isTwoSided(orders: readonly TrackedOrder[], vicinity?: Vicinity): boolean {
  const works = (side: Side) =>
    orders.some(
      (order) => order.side === side && order.state === "working" && !order.isForeign && isWithin(order, vicinity),
    );
  return works("buy") && works("sell");
}

export function createUptime(): Uptime {
  let last: { readonly atMs: number; readonly twoSided: boolean } | null = null;
  return {
    turn(nowMs, twoSided) {
      const credited = last?.twoSided ? Math.min(nowMs - last.atMs, GAP_MS_MAX) : 0;
      last = { atMs: nowMs, twoSided };
      return credited / 1000;
    },
  };
}

function isWithin(order: TrackedOrder, vicinity: Vicinity | undefined): boolean {
  if (vicinity === undefined) return true;
  const { centerUsd, distanceBps } = vicinity;
  return Math.abs(usdOf(order.price) - centerUsd) * 10_000 <= distanceBps * centerUsd;
}
