// Requests a second that one client may make (configuration `throttle.requestsPerSecond`; the interface shows no numbers, NS-26).

import { createOldestOutMap } from "../../../kernel/bounded.ts";
import type { Clock } from "../../../kernel/clock.ts";

export type Throttle = {
  /** Takes one request of `client`: 0 when it may pass, else the milliseconds until it might. */
  readonly take: (client: string) => number;
};

/** Clients that are remembered at once. The one that was quiet longest is forgotten, which can only help it. */
const CLIENTS_MAX = 10_000;

type Bucket = { tokens: number; atMs: number };

/** A token bucket per client: `requestsPerSecond` (above 0) go in a second, and as many may come at once. */
export function createThrottle(requestsPerSecond: number, clock: Clock): Throttle {
  const buckets = createOldestOutMap<string, Bucket>(CLIENTS_MAX);
  return {
    take(client) {
      const nowMs = clock.monotonicMs();
      const bucket = buckets.get(client) ?? { tokens: requestsPerSecond, atMs: nowMs };
      const refilled = bucket.tokens + ((nowMs - bucket.atMs) * requestsPerSecond) / 1000;
      bucket.tokens = Math.min(requestsPerSecond, refilled);
      bucket.atMs = nowMs;
      // Re-inserted, so that the map's order is by last use.
      buckets.delete(client);
      buckets.set(client, bucket);
      if (bucket.tokens < 1) return Math.max(1, ((1 - bucket.tokens) * 1000) / requestsPerSecond);
      bucket.tokens -= 1;
      return 0;
    },
  };
}
