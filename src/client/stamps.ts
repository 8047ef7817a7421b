// Nonce and timestamp of each transaction (S5): per signing key, a nonce is the time in milliseconds, or the last nonce plus one.

import { type Nonce, nonce } from "../domain/units.ts";
import type { Clock } from "../kernel/clock.ts";

export type Stamp = { readonly nonce: Nonce; readonly timestampSec: number };

export type Stamps = {
  /** The next stamp of a signing key; reads the clock each time, so that nonces follow it. */
  readonly next: (key: string) => Stamp;
};

/** Remembers the last nonce of every key as long as the client exists; no process restarts within a millisecond. */
export function createStamps({ clock }: { readonly clock: Pick<Clock, "wallMs"> }): Stamps {
  const last = new Map<string, bigint>();
  return {
    next(key) {
      const nowMs = clock.wallMs();
      const before = last.get(key) ?? 0n;
      const chosen = BigInt(nowMs) > before ? BigInt(nowMs) : before + 1n;
      last.set(key, chosen);
      return { nonce: nonce(chosen), timestampSec: Math.floor(nowMs / 1000) };
    },
  };
}
