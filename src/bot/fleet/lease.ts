// What a node knows of its lease on an account, pure: held until a part of its time has passed since the database was last asked, by the
// larger of the monotonic and the wall clock (the first stands still while a machine is suspended, the second may be set back).
// Lost once is lost for good: a late answer of the database does not bring it back.

/** Both clocks of this machine at one instant, ms. */
export type Instant = { readonly monotonicMs: number; readonly wallMs: number };

export type Lease =
  | {
      readonly kind: "held";
      /** Right before the database was asked: its own count of the time begins later. */
      readonly askedAt: Instant;
      readonly leaseMs: number;
    }
  | { readonly kind: "lost"; readonly why: string };

export type LeaseEvent =
  | { readonly kind: "looked" }
  | { readonly kind: "renewed"; readonly askedAt: Instant }
  /** The database says that another epoch is the newest. */
  | { readonly kind: "refused" };

/**
 * The share of a lease that this node uses. The rest must be more than what two clocks differ by in a lease's time and the longest
 * standstill between a look at the lease and the socket.
 */
const USED_SHARE = 0.75;

/** The lease after `event`, at `now`. */
export function leaseAfter(lease: Lease, event: LeaseEvent, now: Instant): Lease {
  if (lease.kind === "lost") return lease;
  if (event.kind === "refused") return { kind: "lost", why: "another node has the account" };
  if (leftMs(lease, now) <= 0) return { kind: "lost", why: "the lease was not renewed in time" };
  if (event.kind === "looked" || event.askedAt.monotonicMs <= lease.askedAt.monotonicMs) return lease;
  return leaseAfter({ ...lease, askedAt: event.askedAt }, { kind: "looked" }, now);
}

/** How long new exposure may still be added without another answer of the database, ms; 0 or less: no longer. */
export function leftMs({ askedAt, leaseMs }: Extract<Lease, { kind: "held" }>, now: Instant): number {
  const passedMs = Math.max(now.monotonicMs - askedAt.monotonicMs, now.wallMs - askedAt.wallMs);
  return leaseMs * USED_SHARE - passedMs;
}
