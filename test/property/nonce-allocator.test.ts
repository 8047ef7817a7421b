// Laws of the nonce allocator over lives that end at any moment, clocks that step and disks that fail: no nonce twice, ever.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultNonceLimits, NonceAllocator } from "../../src/bot/execution/nonces.ts";
import { Ledger } from "../../src/bot/ledger/ledger.ts";
import { MemoryDisk } from "../../src/bot/ledger/memory/memory.ts";
import type { ActionClass } from "../../src/domain/command.ts";
import { macrotask } from "../../src/kernel/clock.ts";
import { createVirtualClock } from "../../src/kernel/virtual-clock.ts";

const startMs = 1_790_000_000_000;
const signer = "0123456789abcdef";

/** One key over many lives: allocator, ledger and disk, and what was issued so far. */
function world() {
  const clock = createVirtualClock({ startMs, settle: macrotask });
  const machine = clock.viewOf({ skewMs: 0, driftPpm: 0 });
  const state = { offsetMs: 0 as number | null, failing: null as string | null };
  const disk = new MemoryDisk({ failing: () => state.failing, flush: () => Promise.resolve() });
  const issued: {
    readonly nonce: bigint;
    readonly atMs: number;
    readonly life: number;
    readonly actionClass: ActionClass;
  }[] = [];
  let copy = disk.copy();
  let life = 0;
  let allocator = born();
  function born(): NonceAllocator {
    life += 1;
    const journal = new Ledger({}, { engine: disk.open(), clock: machine });
    const chainTime = () =>
      state.offsetMs === null
        ? null
        : { timeMs: machine.wallMs() + state.offsetMs, offsetMs: state.offsetMs, offsetMsMax: 1500 };
    return new NonceAllocator({ signer }, { clock: machine, journal, chainTime });
  }
  return {
    clock,
    machine,
    state,
    disk,
    issued,
    get allocator() {
      return allocator;
    },
    chainMs: () => machine.wallMs() + (state.offsetMs ?? 0),
    allocate(actionClass: ActionClass) {
      const answer = allocator.allocate(actionClass);
      if (answer.kind === "issued") issued.push({ nonce: answer.nonce, atMs: machine.wallMs(), life, actionClass });
      return answer;
    },
    snapshot() {
      copy = disk.copy();
    },
    die(loses: Loss, survivors: number) {
      if (loses === "process") disk.killProcess();
      else if (loses === "power") disk.losePower(survivors);
      else disk.restore(copy);
      if (loses !== "process") clock.advanceSync(BOOT_MS);
      allocator = born();
    },
  };
}

/** `sinceSnapshot`: the machine is set back to its last snapshot. */
type Loss = "process" | "power" | "sinceSnapshot";

/**
 * A machine that lost power or was set back is not back sooner. Reductions and cancels may go past the reservation, and what follows them on disk is
 * not synced: what covers that is the time a machine takes to start, longer than any such nonces can be ahead (60 steps of 16).
 */
const BOOT_MS = 5000;

type Step =
  | { readonly kind: "allocate"; readonly actionClass: ActionClass; readonly count: number }
  | { readonly kind: "end" }
  | { readonly kind: "extend" }
  | { readonly kind: "pass"; readonly ms: number }
  | { readonly kind: "snapshot" }
  | { readonly kind: "die"; readonly loses: Loss; readonly survivors: number }
  | { readonly kind: "disk"; readonly failing: string | null }
  | { readonly kind: "chainKnown"; readonly known: boolean };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant("allocate" as const),
    actionClass: fc.constantFrom<ActionClass>("increase", "reduce", "cancel"),
    // All of them together less than a second of nonces.
    count: fc.integer({ min: 1, max: 16 }),
  }),
  fc.record({ kind: fc.constant("end" as const) }),
  fc.record({ kind: fc.constant("extend" as const) }),
  fc.record({ kind: fc.constant("pass" as const), ms: fc.integer({ min: 0, max: 3000 }) }),
  fc.record({
    kind: fc.constant("die" as const),
    loses: fc.constantFrom<Loss>("process", "power", "sinceSnapshot"),
    survivors: fc.integer({ min: 0, max: 4 }),
  }),
  fc.record({ kind: fc.constant("snapshot" as const) }),
  fc.record({ kind: fc.constant("disk" as const), failing: fc.constantFrom(null, "no space left on device") }),
  fc.record({ kind: fc.constant("chainKnown" as const), known: fc.boolean() }),
);

async function live(steps: readonly Step[], w: ReturnType<typeof world>): Promise<void> {
  for (const s of steps) {
    if (s.kind === "allocate") for (let n = 0; n < s.count; n += 1) w.allocate(s.actionClass);
    else if (s.kind === "end") for (const { nonce } of w.issued) w.allocator.ended(nonce as never);
    else if (s.kind === "extend") await w.allocator.extend();
    else if (s.kind === "pass") w.clock.advanceSync(s.ms);
    else if (s.kind === "snapshot") w.snapshot();
    else if (s.kind === "die") w.die(s.loses, s.survivors);
    else if (s.kind === "disk") w.state.failing = s.failing;
    else w.state.offsetMs = s.known ? 0 : null;
  }
}

describe("over any lives and disks, with a clock that only goes forward", () => {
  test("law: new exposure never gets a nonce that was used before, nor one beyond what is synced to disk", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const w = world();
        await live(steps, w);
        const seen = new Set<bigint>();
        for (const { nonce, actionClass } of w.issued) {
          if (actionClass === "increase") expect(seen.has(nonce)).toBe(false);
          seen.add(nonce);
        }
      }),
    );
  });

  test("law: within a run nonces only rise, and are never behind chain time", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const w = world();
        await live(steps, w);
        const last = new Map<number, bigint>();
        for (const { nonce, life, atMs } of w.issued) {
          expect(nonce).toBeGreaterThan(last.get(life) ?? 0n);
          last.set(life, nonce);
          expect(Number(nonce)).toBeGreaterThanOrEqual(atMs);
        }
      }),
    );
  });

  test("law: on a disk that works, no life uses a nonce of another, whatever it was for", async () => {
    const works = step.filter((s) => s.kind !== "disk" && !(s.kind === "die" && s.loses === "power"));
    await fc.assert(
      fc.asyncProperty(fc.array(works, { maxLength: 60 }), async (steps) => {
        const w = world();
        await live(steps, w);
        expect(new Set(w.issued.map(({ nonce }) => nonce)).size).toBe(w.issued.length);
      }),
    );
  });

  test("law: a crash loop spends no more than the time that passes: it never runs away from chain time", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 5, maxLength: 60 }), async (gapsMs) => {
        const w = world();
        for (const gapMs of gapsMs) {
          await w.allocator.extend();
          for (let n = 0; n < 40; n += 1) w.allocate("increase");
          w.die("process", 0);
          w.clock.advanceSync(gapMs);
        }
        for (const { nonce, atMs } of w.issued) {
          expect(Number(nonce) - atMs).toBeLessThanOrEqual(defaultNonceLimits.reservationMs);
        }
      }),
      { numRuns: 100 },
    );
  });
});

test("law: clocks that are set by anything, machine's and chain's, never bring a nonce back within a run, nor carry it far ahead", async () => {
  const jump = fc.integer({ min: -3 * 86_400_000, max: 3 * 86_400_000 });
  const classes = fc.constantFrom<ActionClass>("increase", "reduce", "cancel");
  const off = fc.oneof(fc.constant(0), fc.constant(null), jump);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(jump, off, classes, fc.boolean()), { maxLength: 40 }), async (moves) => {
      const w = world();
      const seen = new Set<bigint>();
      for (const [jumpMs, offsetMs, actionClass, isAgain] of moves) {
        w.machine.step(jumpMs);
        w.state.offsetMs = offsetMs;
        w.clock.advanceSync(5);
        await w.allocator.extend();
        const atMs = isAgain || Math.abs(offsetMs ?? 0) <= 1500 ? w.machine.wallMs() : w.chainMs();
        const answer = w.allocator.allocate(actionClass, atMs);
        if (answer.kind === "refused") continue;
        expect(seen.has(answer.nonce)).toBe(false);
        expect(Number(answer.nonce) - atMs).toBeLessThanOrEqual(defaultNonceLimits.reservationMs + 10_000);
        seen.add(answer.nonce);
      }
    }),
    { numRuns: 200 },
  );
});
