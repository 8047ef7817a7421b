// Limits the requests per second of one client (configuration `throttle.requestsPerSecond`; the interface shows no numbers, NS-26).

import { createOldestOutMap } from "../../../kernel/bounded.ts";
import type { Clock } from "../../../kernel/clock.ts";

export type Throttle = {
  /** Counts one request of `client`: returns 0 if it may pass, else the milliseconds until it may. */
  readonly take: (client: string) => number;
};

/** Clients remembered at once. The one quiet for longest is forgotten, which can only raise its limit. */
const CLIENTS_MAX = 10_000;

type Bucket = { tokens: number; atMs: number };

/** A token bucket per client: refills `requestsPerSecond` (above 0) per second and holds as many, which is the largest burst. */
export function createThrottle(requestsPerSecond: number, clock: Clock): Throttle {
  const buckets = createOldestOutMap<string, Bucket>(CLIENTS_MAX);
  return {
    take(client) {
      const nowMs = clock.monotonicMs();
      const bucket = buckets.get(client) ?? { tokens: requestsPerSecond, atMs: nowMs };
      const refilled = bucket.tokens + ((nowMs - bucket.atMs) * requestsPerSecond) / 1000;
      bucket.tokens = Math.min(requestsPerSecond, refilled);
      bucket.atMs = nowMs;
      // Inserts it again, so that the map is ordered by last use.
      buckets.delete(client);
      buckets.set(client, bucket);
      if (bucket.tokens < 1) return Math.max(1, ((1 - bucket.tokens) * 1000) / requestsPerSecond);
      bucket.tokens -= 1;
      return 0;
    },
  };
}
