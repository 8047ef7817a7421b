// The law that a lease is there for: whatever the clocks, the network and the machine do to a node, it adds no exposure once the database
// may have given the account to another.

import fc from "fast-check";
import { expect, it } from "vitest";
import { isElsewhere, type Lease, leaseAfter } from "../../src/bot/fleet/lease.ts";
import type { Instant } from "../../src/kernel/clock.ts";

const LEASE_MS = 5000;

/** What happens to a node, in the database's time. The database grants from the moment that it is asked or later. */
const happenings = fc.array(
  fc.record({
    passMs: fc.nat(4000),
    /** The machine is suspended: the monotonic clock stands still, the wall clock goes on. */
    isSuspended: fc.boolean(),
    /** An operator or NTP sets the wall clock. */
    wallStepMs: fc.constantFrom(0, 0, 0, -60_000, 60_000),
    /** On its way to the database, and back; null: no answer comes. */
    renewal: fc.option(fc.record({ toMs: fc.nat(3000), backMs: fc.nat(3000) })),
  }),
  { maxLength: 30 },
);
/** A clock that runs this much faster or slower than the database's. */
const rates = fc.double({ min: 0.9, max: 1.1, noNaN: true });

it("a node adds nothing once its lease may have ended at the database", () => {
  fc.assert(
    fc.property(happenings, rates, (all, rate) => {
      let trueMs = 0;
      let now: Instant = { monotonicMs: 1000, wallMs: 1_790_000_000_000 };
      let lease: Lease = { kind: "held", askedAt: now, leaseMs: LEASE_MS };
      let endsMs = LEASE_MS;
      const pass = (ms: number, isSuspended = false): void => {
        trueMs += ms;
        now = { monotonicMs: now.monotonicMs + (isSuspended ? 0 : ms * rate), wallMs: now.wallMs + ms * rate };
      };
      const look = (): void => {
        lease = leaseAfter(lease, { kind: "looked" }, now);
        if (lease.kind === "held") expect(trueMs).toBeLessThan(endsMs);
      };
      for (const { passMs, isSuspended, wallStepMs, renewal } of all) {
        // A clock that is set while the machine is suspended hides the time: nothing on the machine can tell.
        if (!isSuspended) now = { ...now, wallMs: now.wallMs + wallStepMs };
        pass(passMs, isSuspended && wallStepMs === 0);
        look();
        if (renewal === null) continue;
        const askedAt = now;
        pass(renewal.toMs);
        const isGranted = trueMs < endsMs;
        if (isGranted) endsMs = trueMs + LEASE_MS;
        look();
        pass(renewal.backMs);
        lease = leaseAfter(lease, isGranted ? { kind: "renewed", askedAt } : { kind: "refused" }, now);
        look();
      }
    }),
  );
});

const at = (ms: number): Instant => ({ monotonicMs: ms, wallMs: ms });
const held: Lease = { kind: "held", askedAt: at(0), leaseMs: LEASE_MS };

it("three quarters of the time are used, and not an instant more", () => {
  expect(leaseAfter(held, { kind: "looked" }, at(3749)).kind).toBe("held");
  expect(leaseAfter(held, { kind: "looked" }, at(3750)).kind).toBe("lost");
});

it("a wall clock that is set back ends it: what it had counted while the machine slept is gone", () => {
  const asleep = { monotonicMs: 0, wallMs: 3000 };
  expect(leaseAfter(held, { kind: "looked" }, asleep).kind).toBe("held");
  const setBack = (ms: number): Instant => ({ monotonicMs: 2000, wallMs: 2000 - ms });
  expect(leaseAfter(held, { kind: "looked" }, setBack(500)).kind).toBe("held");
  expect(leaseAfter(held, { kind: "looked" }, setBack(501)).kind).toBe("lost");
});

it("what is lost stays lost, whatever the database answers late", () => {
  const lost = leaseAfter(held, { kind: "looked" }, at(4000));
  expect(leaseAfter(lost, { kind: "renewed", askedAt: at(3000) }, at(4001))).toBe(lost);
});

it("an answer counts from when it was asked for, and an older one changes nothing", () => {
  const renewed = leaseAfter(held, { kind: "renewed", askedAt: at(1000) }, at(3000));
  expect(leaseAfter(renewed, { kind: "renewed", askedAt: at(500) }, at(3001))).toBe(renewed);
  expect(leaseAfter(renewed, { kind: "looked" }, at(4749)).kind).toBe("held");
  expect(leaseAfter(renewed, { kind: "looked" }, at(4750)).kind).toBe("lost");
});

it("another node may have the account once the whole lease is over, or the database says so, and not before", () => {
  const lost = leaseAfter(held, { kind: "looked" }, at(4000));
  expect(isElsewhere(held, at(LEASE_MS - 1))).toBe(false);
  expect(isElsewhere(held, at(LEASE_MS)), "a node that woke and has not looked yet").toBe(true);
  expect(isElsewhere(lost, at(4999))).toBe(false);
  expect(isElsewhere(lost, at(LEASE_MS))).toBe(true);
  expect(isElsewhere(lost, { monotonicMs: 4000, wallMs: LEASE_MS }), "the machine was suspended").toBe(true);
  expect(isElsewhere(leaseAfter(held, { kind: "refused" }, at(1)), at(1))).toBe(true);
});
