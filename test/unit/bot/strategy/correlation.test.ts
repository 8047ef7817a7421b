// Correlations between the prints of indices: found where there is enough to find them in, none where not, and never such that the
// risk of a book could be negative.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  heldElsewhere,
  type Surprise,
  skewWeights,
  surpriseCorrelations,
} from "../../../../src/bot/strategy/correlation.ts";
import { noNowcast, observePrint } from "../../../../src/bot/strategy/nowcast.ts";
import { createPrng } from "../../../../src/kernel/prng.ts";

const DAY_SEC = 86_400;

const dated = (logs: readonly number[], fromDay = 0): readonly Surprise[] =>
  logs.map((log, day) => ({ validUntilSec: (fromDay + day) * DAY_SEC, log }));

/** Two series of normal surprises with this correlation, the second ten times as large. */
function pairOf(correlation: number, prints: number, seed: number): readonly (readonly Surprise[])[] {
  const prng = createPrng(BigInt(seed));
  const a = Array.from({ length: prints }, () => 0.001 * prng.gaussian());
  const b = a.map((each) => 10 * (correlation * each + Math.sqrt(1 - correlation ** 2) * 0.001 * prng.gaussian()));
  return [dated(a), dated(b)];
}

const meanFound = (correlation: number, prints: number): number =>
  Array.from(
    { length: 20 },
    (_, seed) => surpriseCorrelations(pairOf(correlation, prints, seed))?.[0]?.[1] ?? 0,
  ).reduce((sum, found) => sum + found / 20, 0);

describe("what is found", () => {
  test.each([0.9, 0.6, -0.7])("a correlation of %d in 120 prints, within 0.1", (correlation) => {
    expect(Math.abs(meanFound(correlation, 120) - correlation)).toBeLessThan(0.1);
  });

  test("few prints: less of it, and none in fewer than ten", () => {
    expect(Math.abs(meanFound(0.6, 12))).toBeLessThan(0.5);
    expect(surpriseCorrelations(pairOf(0.9, 9, 1))).toBe(null);
  });

  test("none where there is none", () => {
    expect(Math.abs(meanFound(0, 120))).toBeLessThan(0.06);
  });

  test("prints are paired by their time: what one series lacks, or has before the other began, does not count", () => {
    const [a = [], b = []] = pairOf(0.9, 120, 3);
    const late = b.slice(40).filter((_, at) => at % 7 !== 3);
    const found = surpriseCorrelations([a, late])?.[0]?.[1] ?? 0;
    expect(found).toBeGreaterThan(0.8);
    const shifted = a.map(({ validUntilSec, log }) => ({ validUntilSec: validUntilSec + 0.3 * DAY_SEC, log }));
    expect(surpriseCorrelations([shifted, b])?.[0]?.[1]).toBeGreaterThan(0.8);
  });

  test("an index that never surprises has no correlation", () => {
    const still = dated(Array.from({ length: 120 }, () => 0));
    expect(surpriseCorrelations([still, pairOf(0.5, 120, 1)[0] ?? []])).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });
});

test("law: no book has a negative risk", () => {
  const log = fc.double({ min: -1, max: 1, noNaN: true });
  const series = fc.array(fc.array(log, { minLength: 10, maxLength: 40 }), { minLength: 2, maxLength: 6 });
  const book = fc.array(fc.double({ min: -10, max: 10, noNaN: true }), { minLength: 6, maxLength: 6 });
  fc.assert(
    fc.property(series, book, (logs, positions) => {
      const found = surpriseCorrelations(logs.map((each) => dated(each))) ?? [];
      const risk = found.reduce(
        (sum, row, i) => sum + row.reduce((of, each, j) => of + each * (positions[i] ?? 0) * (positions[j] ?? 0), 0),
        0,
      );
      expect(risk).toBeGreaterThan(-1e-9);
      for (const row of found) for (const each of row) expect(Math.abs(each)).toBeLessThanOrEqual(1 + 1e-9);
    }),
  );
});

test("a wrong print, refuted, moves no correlation; one small enough to pass moves it little", () => {
  const prng = createPrng(9n);
  const usd = [200, 300];
  const days = Array.from({ length: 121 }, () => {
    const shared = prng.gaussian();
    return usd.map((last, at) => {
      usd[at] = last * (1 + 0.0005 * (0.8 * shared + 0.6 * prng.gaussian()));
      return usd[at] ?? 0;
    });
  });
  const found = (wrongFactor: number) => {
    const series = [0, 1].map((at) => {
      const prints = days.flatMap((row, day) => {
        const right = { usd: row[at] ?? 0, sec: day * DAY_SEC };
        return at === 0 && day === 60 && wrongFactor !== 1
          ? [{ usd: right.usd * wrongFactor, sec: right.sec - 60 }, right]
          : [right];
      });
      return prints.reduce((state, print) => observePrint(state, print.usd, print.sec), noNowcast).dated;
    });
    return surpriseCorrelations(series)?.[0]?.[1] ?? Number.NaN;
  };
  expect(found(1)).toBeGreaterThan(0.5);
  expect(found(1.5)).toBe(found(1));
  expect(Math.abs(found(1.005) - found(1))).toBeLessThan(0.25);
});

test("positions elsewhere count by their weights, its own not", () => {
  expect(heldElsewhere(0, [7, 3], [1, 0.5])).toBe(1.5);
  expect(heldElsewhere(1, [-4, 3, 2], [0.5, 1, 0.25])).toBe(-1.5);
});

/** Covariances of two markets of these deviations. */
const pairOfRisk = (a: number, b: number, correlation: number) => [
  [a * a, correlation * a * b],
  [correlation * a * b, b * b],
];

describe("weights of the skew", () => {
  const deviation = fc.double({ min: 0.01, max: 100, noNaN: true });

  test("law: of two markets of unequal risk, j counts r s_j / (s_i + s_j sqrt(1 - r^2)) in i", () => {
    fc.assert(
      fc.property(deviation, deviation, fc.double({ min: -1, max: 1, noNaN: true }), (a, b, correlation) => {
        const [[, other = 0] = [], [back = 0] = []] = skewWeights(pairOfRisk(a, b, correlation), [2, 2]);
        const free = Math.sqrt(1 - correlation ** 2);
        const [wanted, wantedBack] = [(correlation * b) / (a + b * free), (correlation * a) / (b + a * free)];
        expect(Math.abs(other - wanted)).toBeLessThanOrEqual(1e-4 * Math.abs(wanted) + 1e-12);
        expect(Math.abs(back - wantedBack)).toBeLessThanOrEqual(1e-4 * Math.abs(wantedBack) + 1e-12);
      }),
    );
  });

  test("law: with liquidities D and weights' matrix M, M D M is the covariance, up to what each row is divided by", () => {
    const three = fc.tuple(deviation, deviation, deviation);
    fc.assert(
      fc.property(
        three,
        three,
        fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 9, maxLength: 9 }),
        (d, s, f) => {
          const factor = (i: number, k: number) => (s[i] ?? 0) * ((f[3 * i + k] ?? 0) + (i === k ? 1.5 : 0));
          const index = [0, 1, 2];
          const covariances = index.map((i) =>
            index.map((j) => index.reduce((sum, k) => sum + factor(i, k) * factor(j, k), 0)),
          );
          const weights = skewWeights(covariances, d);
          // M is symmetric: with w = M / diag, M_ij = w_ij M_ii, and M_ii follows from the diagonal of M D M.
          const own = index.map((i) => {
            const sum = index.reduce((total, k) => total + (weights[i]?.[k] ?? 0) ** 2 * (d[k] ?? 0), 0);
            return Math.sqrt((covariances[i]?.[i] ?? 0) / sum);
          });
          for (const i of index)
            for (const j of index) {
              const product = index.reduce(
                (sum, k) =>
                  sum + (weights[i]?.[k] ?? 0) * (own[i] ?? 0) * (d[k] ?? 0) * (weights[j]?.[k] ?? 0) * (own[j] ?? 0),
                0,
              );
              const scale = Math.sqrt((covariances[i]?.[i] ?? 0) * (covariances[j]?.[j] ?? 0));
              expect(Math.abs(product - (covariances[i]?.[j] ?? 0))).toBeLessThan(1e-6 * scale);
            }
        },
      ),
    );
  });

  test("a market that never moves counts nothing and is not counted", () => {
    expect(skewWeights(pairOfRisk(1, 0, 0), [1, 1])).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });

  test("two markets at 0.8 count each other half, at -0.8 minus half, at 0 not at all", () => {
    for (const [correlation, weight] of [
      [0.8, 0.5],
      [-0.8, -0.5],
      [0, 0],
    ] as const) {
      const [[own = 0, other = 0] = []] = skewWeights(pairOfRisk(1, 1, correlation), [1, 1]);
      expect(own).toBe(1);
      expect(other).toBeCloseTo(weight, 6);
    }
  });

  test("law: no other weight leaves less risk: trace of correlations x inverse weights, its minimum", () => {
    const riskOf = (correlation: number, weight: number) => (2 * (1 - correlation * weight)) / (1 - weight ** 2);
    fc.assert(
      fc.property(fc.double({ min: -0.95, max: 0.95, noNaN: true }), (correlation) => {
        const weight = skewWeights(pairOfRisk(1, 1, correlation), [1, 1])[0]?.[1] ?? Number.NaN;
        for (const other of [-0.9, -0.5, 0, 0.3, 0.7, correlation, weight + 0.05, weight - 0.05])
          expect(riskOf(correlation, weight)).toBeLessThanOrEqual(riskOf(correlation, other) + 1e-6);
      }),
    );
  });
});
