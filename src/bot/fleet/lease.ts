// A node's knowledge of its lease on an account, as pure functions: held until a part of its time has passed since the last request to the
// database, by the larger of the monotonic and the wall clock (the first stops while a machine is suspended), and only while the second is
// not set back. A lost lease stays lost: a late answer of the database does not restore it.

import { type Instant, passedMs } from "../../kernel/clock.ts";
import { fleetTiming } from "../timing.ts";

type Renewed = {
  /** Right before the request to the database, whose own count of the time starts later. */
  readonly askedAt: Instant;
  readonly leaseMs: number;
};

export type Lease =
  | ({ readonly kind: "held" } & Renewed)
  /** `last`: the last renewal; null: another node has the account. */
  | { readonly kind: "lost"; readonly why: string; readonly last: Renewed | null };

export type LeaseEvent =
  | { readonly kind: "looked" }
  | { readonly kind: "renewed"; readonly askedAt: Instant }
  /** The database says that another epoch is the newest. */
  | { readonly kind: "refused" };

/**
 * The share of a lease that this node uses. The rest must exceed the drift between two clocks over a lease plus the longest stall between a
 * check of the lease and the socket.
 */
const USED_SHARE = 0.75;

/** The lease after `event`, at `now`. */
export function leaseAfter(lease: Lease, event: LeaseEvent, now: Instant): Lease {
  if (lease.kind === "lost") return lease;
  if (event.kind === "refused") return { kind: "lost", why: "another node has the account", last: null };
  if (leftMs(lease, now) <= 0) return { kind: "lost", why: "the lease was not renewed in time", last: lease };
  if (setBackMs(lease.askedAt, now) > fleetTiming.setBackMaxMs)
    return {
      kind: "lost",
      why: "the wall clock was set back, so the time since its renewal is unknown",
      last: lease,
    };
  if (event.kind === "looked" || event.askedAt.monotonicMs <= lease.askedAt.monotonicMs) return lease;
  return leaseAfter({ ...lease, askedAt: event.askedAt }, { kind: "looked" }, now);
}

/** How long new exposure may still be added without another answer of the database, ms; 0 or less: no longer. */
export const leftMs = (held: Renewed, now: Instant): number => held.leaseMs * USED_SHARE - passedMs(held.askedAt, now);

const setBackMs = (since: Instant, now: Instant): number =>
  now.monotonicMs - since.monotonicMs - (now.wallMs - since.wallMs);

/** Whether the whole lease may be over, so that another node may have the account; a node that just woke up may not have checked yet. */
export function isElsewhere(lease: Lease, now: Instant): boolean {
  const last = lease.kind === "held" ? lease : lease.last;
  return last === null || passedMs(last.askedAt, now) >= last.leaseMs;
}
