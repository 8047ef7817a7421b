// Markouts: how far the mid moved in our favor after each fill, at fixed horizons on monotonic time. A fill whose horizon passes
// without a fresh mid is dropped and counted, never guessed. A restart forgets pending ones.

import type { Fill } from "../../domain/fill.ts";
import { type Price, type Side, signOf } from "../../domain/units.ts";

export const markoutHorizons = ["1s", "10s", "60s", "300s"] as const;
export type MarkoutHorizon = (typeof markoutHorizons)[number];

/** A mid up to `lateMsMax` after the horizon still counts: turns follow events and may skip a quiet second. */
const waits: Readonly<Record<MarkoutHorizon, { readonly afterMs: number; readonly lateMsMax: number }>> = {
  "1s": { afterMs: 1000, lateMsMax: 500 },
  "10s": { afterMs: 10_000, lateMsMax: 2000 },
  "60s": { afterMs: 60_000, lateMsMax: 5000 },
  "300s": { afterMs: 300_000, lateMsMax: 5000 },
};

/** Per horizon. The default limit on fills is 300 per minute, so 1,500 wait for the longest. */
const PENDING_MAX = 4096;

/** `halfSpreadBps` is what we quoted at the fill. */
export type Markout = { readonly horizon: MarkoutHorizon; readonly bps: number; readonly halfSpreadBps: number };

export type Markouts = {
  /** Waits for the horizons of a fill received at `atMs`. Call once per fill, in order of time. */
  readonly follow: (fill: Pick<Fill, "side" | "price">, atMs: number, halfSpreadBps: number) => void;
  /** Whether a horizon has come, so that the mid matters. */
  readonly isDue: (nowMs: number) => boolean;
  /** Resolves those whose horizon has come. `midNow`: null while no mid is fresh. */
  readonly resolve: (nowMs: number, midNow: Price | null) => readonly Markout[];
  /** True when a horizon has come that is not resolved. */
  readonly areDue: (nowMs: number) => boolean;
  /** Markouts that wait for their horizon. */
  readonly pendingCount: () => number;
  /** Markouts without a fresh mid in time, or beyond the queue's size. */
  readonly droppedCount: () => number;
};

/** Basis points: side x (mid - fill price) / fill price, side +1 when we bought. `fillPrice` is above zero. */
export function markoutBps(side: Side, fillPrice: Price, mid: Price): number {
  return (Number(signOf(side) * (mid - fillPrice)) / Number(fillPrice)) * 10_000;
}

type Pending = { readonly side: Side; readonly price: Price; readonly dueMs: number; readonly halfSpreadBps: number };

export function createMarkouts(): Markouts {
  const queues = markoutHorizons.map((horizon) => ({ horizon, ...waits[horizon], pending: [] as Pending[] }));
  let dropped = 0;
  return {
    follow({ side, price }, atMs, halfSpreadBps) {
      for (const { afterMs, pending } of queues) {
        if (pending.length < PENDING_MAX) pending.push({ side, price, dueMs: atMs + afterMs, halfSpreadBps });
        else dropped += 1;
      }
    },
    isDue: (nowMs) => queues.some(({ pending }) => pending[0] !== undefined && pending[0].dueMs <= nowMs),
    resolve(nowMs, midNow) {
      const markouts: Markout[] = [];
      for (const { horizon, lateMsMax, pending } of queues) {
        for (let first = pending[0]; first !== undefined && first.dueMs <= nowMs; first = pending[0]) {
          const late = nowMs - first.dueMs > lateMsMax;
          if (!late && midNow === null) break;
          pending.shift();
          if (late || midNow === null) dropped += 1;
          else {
            const { side, price, halfSpreadBps } = first;
            markouts.push({ horizon, bps: markoutBps(side, price, midNow), halfSpreadBps });
          }
        }
      }
      return markouts;
    },
    areDue: (nowMs) => queues.some(({ pending: [first] }) => first !== undefined && first.dueMs <= nowMs),
    pendingCount: () => queues.reduce((sum, { pending }) => sum + pending.length, 0),
    droppedCount: () => dropped,
  };
}
