// What fills have lost, over the end of a process: the next one answers as one that ran through, and goes on from no nonsense.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { adverseKept, readAdverse } from "../../../../../src/bot/decider/desks/kept-adverse.ts";
import { type AdverseFills, answerOf, judgeFill, noAdverseFills, phases } from "../../../../../src/bot/risk/adverse.ts";
import { KeptError } from "../../../../../src/bot/strategy/kept-text.ts";
import { sides } from "../../../../../src/domain/units.ts";
import { healthyLimits } from "../../risk/healthy.ts";

const limits = healthyLimits.market;
const saved = { monotonicMs: 5_000_000, wallMs: 1_790_000_000_000 };
const DOWN_MS = 3_600_000;
const later = { monotonicMs: 77, wallMs: saved.wallMs + DOWN_MS };

const fill = fc.record({
  side: fc.constantFrom(...sides),
  phase: fc.constantFrom(...phases),
  agoMs: fc.integer({ min: 0, max: 4_000_000 }),
  contracts: fc.double({ min: 0.01, max: 50, noNaN: true }),
  markoutBps: fc.double({ min: -40, max: 40, noNaN: true }),
  horizon: fc.constantFrom("1s", "60s", "drawnLate"),
});
const judged = (fills: readonly ReturnType<typeof one>[]): AdverseFills =>
  fills
    .toSorted((a, b) => a.atMs - b.atMs)
    .reduce((state, { horizon, ...of }) => judgeFill(state, horizon, of, limits, of.atMs), noAdverseFills);
const one = ({ agoMs, ...of }: typeof fill extends fc.Arbitrary<infer T> ? T : never) => ({
  ...of,
  atMs: saved.monotonicMs - agoMs,
  halfSpreadBps: 4,
  widened: 0,
});
const written = (fills: AdverseFills): unknown => JSON.parse(JSON.stringify(adverseKept(fills, saved)));

test("law: each side is answered, in each phase, as if the process had run through the time between", () => {
  fc.assert(
    fc.property(fc.array(fill, { minLength: 1, maxLength: 40 }), (fills) => {
      const before = judged(fills.map(one));
      const after = readAdverse(written(before), DOWN_MS, later);
      for (const side of sides) {
        for (const phase of phases) {
          const ranThrough = answerOf(before, side, phase, limits, saved.monotonicMs + DOWN_MS);
          const restarted = answerOf(after, side, phase, limits, later.monotonicMs);
          expect(restarted.level).toBe(ranThrough.level);
          expect(restarted.widened).toBeCloseTo(ranThrough.widened, 9);
        }
      }
    }),
    { seed: 1, numRuns: 200 },
  );
});

test("a text of before, or of no fills, is that of none", () => {
  expect(adverseKept(noAdverseFills, saved)).toBe(null);
  expect(readAdverse(null, DOWN_MS, later)).toEqual(noAdverseFills);
});

describe("nonsense", () => {
  const cell = {
    before: { fills: 2, markouts: -6, count: 2 },
    largest: 1,
    burst: { atMs: -10, contracts: 1, product: -3, largest: 1, left: 1 },
    atMs: -5,
  };
  const key = "sell open 60s";

  test("a cell as the process writes it is read", () => {
    const { sell } = readAdverse({ [key]: cell }, DOWN_MS, later);
    expect(sell.open).toMatchObject({ "60s": { atMs: 77 - DOWN_MS - 5, largest: 1 } });
  });

  test.each<[string, unknown, string]>([
    ["no object", [], "adverse."],
    ["a horizon that nobody judges", { "sell open 7s": cell }, "sell open 7s"],
    ["NaN", { [key]: { ...cell, largest: null } }, "largest"],
    ["a time to come", { [key]: { ...cell, atMs: 1 } }, "atMs"],
    ["losses of no fills", { [key]: { ...cell, before: { fills: 0, markouts: -6, count: 0 } } }, "before"],
    ["gains that no fill has", { [key]: { ...cell, burst: { ...cell.burst, product: 1e9 } } }, "burst"],
    ["a part too many", { [key]: { ...cell, extra: 1 } }, "extra"],
  ])("%s is refused, with the reason", (_what, kept, reason) => {
    const reading = () => readAdverse(kept, DOWN_MS, later);
    expect(reading).toThrow(KeptError);
    expect(reading).toThrow(reason);
  });
});
