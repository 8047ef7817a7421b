// Counts events within a span of time, in buckets, so that memory does not grow with the count.

/** A sliding sum. The oldest bucket may reach back a twelfth of the span too far, never too little. */
export type Window = {
  readonly spanMs: number;
  readonly buckets: readonly { readonly startMs: number; readonly count: number; readonly amount: bigint }[];
};

const BUCKETS = 12;

export const emptyWindow = (spanMs: number): Window => ({ spanMs, buckets: [] });

/** Adds one event at monotonic `nowMs`. */
export function record(window: Window, nowMs: number, amount: bigint): Window {
  const startMs = Math.floor((nowMs * BUCKETS) / window.spanMs) * (window.spanMs / BUCKETS);
  const live = window.buckets.filter((bucket) => isLive(window, bucket.startMs, nowMs));
  const last = live.at(-1);
  const buckets =
    last !== undefined && last.startMs >= startMs
      ? [...live.slice(0, -1), { startMs: last.startMs, count: last.count + 1, amount: last.amount + amount }]
      : [...live, { startMs, count: 1, amount }];
  return { spanMs: window.spanMs, buckets };
}

/** Count and amount within the span before monotonic `nowMs`. */
export function within(window: Window, nowMs: number): { readonly count: number; readonly amount: bigint } {
  let count = 0;
  let amount = 0n;
  for (const bucket of window.buckets) {
    if (!isLive(window, bucket.startMs, nowMs)) continue;
    count += bucket.count;
    amount += bucket.amount;
  }
  return { count, amount };
}

/** A NaN counts as live. */
const isLive = ({ spanMs }: Window, startMs: number, nowMs: number): boolean =>
  !(startMs + spanMs / BUCKETS <= nowMs - spanMs);
