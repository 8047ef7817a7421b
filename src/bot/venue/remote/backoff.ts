// How long to wait before the next connection: full jitter (any time up to a ceiling that doubles), so that many clients of one
// exchange do not come back in step; back to the start once a connection has been steady.

import type { Prng } from "../../../kernel/prng.ts";

export type BackoffOptions = {
  /** Ceiling of the first wait. */
  readonly firstMs: number;
  /** Ceiling of all waits. */
  readonly maxMs: number;
  /** A connection that lived this long was a good one. */
  readonly steadyMs: number;
};

export const defaultBackoff: BackoffOptions = { firstMs: 250, maxMs: 10_000, steadyMs: 10_000 };

export type Backoff = {
  /** The wait after a connection that lived `livedMs`; 0 for one that never came to be. */
  readonly nextMs: (livedMs: number) => number;
};

export function createBackoff(options: BackoffOptions, { prng }: { readonly prng: Prng }): Backoff {
  let failures = 0;
  return {
    nextMs(livedMs) {
      if (livedMs >= options.steadyMs) failures = 0;
      const ceilingMs = Math.min(options.maxMs, options.firstMs * 2 ** failures);
      if (ceilingMs < options.maxMs) failures += 1;
      return prng.float() * ceilingMs;
    },
  };
}
