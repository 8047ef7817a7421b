// Quote uptime: how long both sides of a market had an order of ours resting. A turn's orders count until the next turn.

import type { TrackedOrder } from "../../domain/order.ts";
import type { Side } from "../../domain/units.ts";
import { deskTiming } from "../timing.ts";

export type Uptime = {
  /** Takes a turn at monotonic `nowMs`. Returns the seconds of uptime since the turn before. */
  readonly turn: (nowMs: number, twoSided: boolean) => number;
};

/** True while each side has at least one working order of ours. */
export function isTwoSided(orders: readonly TrackedOrder[]): boolean {
  const works = (side: Side) =>
    orders.some((order) => order.side === side && order.state === "working" && !order.isForeign);
  return works("buy") && works("sell");
}

export function createUptime(): Uptime {
  let last: { readonly atMs: number; readonly twoSided: boolean } | null = null;
  return {
    turn(nowMs, twoSided) {
      const credited = last?.twoSided ? Math.min(nowMs - last.atMs, deskTiming.uptimeGapMaxMs) : 0;
      last = { atMs: nowMs, twoSided };
      return credited / 1000;
    },
  };
}
