// Nonce and timestamp of each transaction (S5): nonces are the time in milliseconds, or the last one plus one, a signing key each.

import { type Nonce, nonce } from "../domain/units.ts";
import type { Clock } from "../kernel/clock.ts";

export type Stamp = { readonly nonce: Nonce; readonly timestampSec: number };

export type Stamps = {
  /** The next stamp of a signing key; the clock is read each time, so that nonces follow it. */
  readonly next: (key: string) => Stamp;
};

/** Remembers the last nonce of every key it saw, for the lifetime of the client; a process that restarts within a millisecond does not exist. */
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
