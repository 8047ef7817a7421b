// The window against the three rules of S5 written down naively, with everything ever used kept.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createNonceWindow, type NonceWindow } from "../../src/devnet/chain/admission/nonce-window.ts";

const DAY_MS = 86_400_000;
const START_MS = 1_790_000_000_000;

/** S5, word by word. */
class NaiveNonces {
  private readonly used: bigint[] = [];

  accepts(nonce: bigint, blockMs: number): boolean {
    const inside = nonce > BigInt(blockMs - 2 * DAY_MS) && nonce < BigInt(blockMs + DAY_MS);
    if (!inside || this.used.includes(nonce)) return false;
    if (this.used.length < 100) return true;
    const recent = this.used.slice(-100);
    return nonce > recent.reduce((least, each) => (each < least ? each : least));
  }

  commit(nonce: bigint): void {
    this.used.push(nonce);
  }
}

/** Where a nonce lies: by the count of steps so far, at an edge of the window, or anywhere. */
type Step = {
  readonly nonce: { readonly near: number } | { readonly fromBlockMs: number } | { readonly any: bigint };
  readonly passMs: number;
};

const near = fc.oneof(
  { weight: 25, arbitrary: fc.integer({ min: -3, max: 3 }) },
  // A late transaction, about where the last hundred end; halves lie between the others and are still free.
  { weight: 1, arbitrary: fc.integer({ min: -130, max: -70 }).map((count) => count + 0.5) },
);
const edge = fc
  .tuple(fc.constantFrom(-2 * DAY_MS, DAY_MS), fc.integer({ min: -2, max: 2 }))
  .map(([atMs, off]) => atMs + off);

const step: fc.Arbitrary<Step> = fc.record({
  nonce: fc.oneof(
    { weight: 100, arbitrary: fc.record({ near }) },
    { weight: 2, arbitrary: fc.record({ fromBlockMs: edge }) },
    { weight: 1, arbitrary: fc.record({ any: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }) }) },
  ),
  passMs: fc.oneof(
    { weight: 150, arbitrary: fc.constant(0) },
    { weight: 15, arbitrary: fc.integer({ min: 1, max: 3 }) },
    { weight: 1, arbitrary: fc.constantFrom(DAY_MS, 2 * DAY_MS) },
  ),
});
/** Nonces go up with the steps and jump about; far apart, they fill many chunks of the window's memory. */
const walk = fc.record({
  steps: fc.array(step, { minLength: 300, maxLength: 700, size: "max" }),
  apart: fc.constantFrom(2, 6, 900),
});

function nonceOf({ nonce }: Step, blockMs: number, count: number, apart: number): bigint {
  if ("any" in nonce) return nonce.any;
  return BigInt(blockMs + ("near" in nonce ? (count + nonce.near) * apart : nonce.fromBlockMs));
}

function agree(windowOf: (window: NonceWindow, blockMs: number) => NonceWindow, numRuns = 60): void {
  fc.assert(
    fc.property(walk, ({ steps, apart }) => {
      const naive = new NaiveNonces();
      let window = createNonceWindow();
      let blockMs = START_MS;
      for (const [count, step] of steps.entries()) {
        blockMs += step.passMs;
        const nonce = nonceOf(step, blockMs, count, apart);
        window = windowOf(window, blockMs);
        const accepted = window.refusal(nonce, blockMs) === undefined;
        expect(accepted).toBe(naive.accepts(nonce, blockMs));
        if (!accepted) continue;
        window.commit(nonce, blockMs);
        naive.commit(nonce);
      }
    }),
    { numRuns },
  );
}

describe("nonce window", () => {
  test("accepts and refuses exactly as the three rules do", () => {
    agree((window) => window);
  });

  test("a window rebuilt from its memory before every nonce decides the same", () => {
    agree((window, blockMs) => createNonceWindow(window.memory(blockMs)), 15);
  });

  test("a window that says it is spent can be replaced by an empty one", () => {
    agree((window, blockMs) => (window.isSpent(blockMs) ? createNonceWindow() : window));
  });

  test("increasing nonces leave no more than the last hundred behind", () => {
    const window = createNonceWindow();
    for (let at = 0; at < 200_000; at += 1) window.commit(BigInt(START_MS + at), START_MS + at);
    const memory = window.memory(START_MS + 200_000);
    expect(memory.recent).toHaveLength(100);
    expect(memory.used).toHaveLength(100);
  });
});
