// Covariances of the moves of marks: found where markets move together, never negative for any book, and nothing of what no look showed.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Mark,
  type MarkMoves,
  moveCovariances,
  noMarkMoves,
  observeMarks,
} from "../../../../src/bot/strategy/mark-moves.ts";
import { createPrng } from "../../../../src/kernel/prng.ts";

const MINUTE_MS = 60_000;
const independent = (deviations: readonly number[]) => ({
  deviations,
  correlations: deviations.map((_, i) => deviations.map((_each, j) => (i === j ? 1 : 0))),
});

/** Two markets of these deviations a minute, for so many minutes. */
function walked(correlation: number, deviations: readonly [number, number], minutes: number, reach = 30) {
  const prng = createPrng(3n);
  const logs: [number, number] = [Math.log(200), Math.log(400)];
  let state: MarkMoves<number> = noMarkMoves;
  for (let minute = 0; minute <= minutes; minute += 1) {
    const shared = prng.gaussian();
    const own = prng.gaussian();
    logs[0] += deviations[0] * shared;
    logs[1] += deviations[1] * (correlation * shared + Math.sqrt(1 - correlation ** 2) * own);
    state = observeMarks(
      state,
      logs.map((log, id) => ({ id, usd: Math.exp(log), reach })),
      minute * MINUTE_MS,
    );
  }
  return state;
}

const correlationOf = (covariances: readonly (readonly number[])[]) =>
  (covariances[0]?.[1] ?? 0) / Math.sqrt((covariances[0]?.[0] ?? 0) * (covariances[1]?.[1] ?? 0));

describe("what is found", () => {
  test.each([0.9, 0, -0.6])(
    "a correlation of %d in twelve days of marks, as much as they outweigh a day of the prior",
    (correlation) => {
      const found = correlationOf(
        moveCovariances(walked(correlation, [1e-4, 3e-4], 12 * 1440), [200, 400], independent([1, 1])),
      );
      expect(Math.abs(found - 0.8 * correlation)).toBeLessThan(0.12);
    },
  );

  test("deviations, by the reach of each market and the price of its contract", () => {
    const [[a = 0] = [], [, b = 0] = []] = moveCovariances(
      walked(0, [1e-4, 3e-4], 12 * 1440),
      [200, 400],
      independent([1, 1]),
    );
    // Three times as far at twice the price, against a prior of as far for a fifth.
    expect(Math.sqrt(b / a)).toBeGreaterThan(6 ** 0.75);
    expect(Math.sqrt(b / a)).toBeLessThan(6 ** 0.88);
  });

  test("before anything was seen, and where prints leave no room for a move, the prior alone", () => {
    const prior = {
      correlations: [
        [1, 0.5],
        [0.5, 1],
      ],
      deviations: [2, 3],
    };
    const wanted = [
      [4, 3],
      [3, 9],
    ];
    expect(moveCovariances(noMarkMoves, [200, 400], prior)).toEqual(wanted);
    expect(moveCovariances(walked(0.9, [1e-4, 1e-4], 1440, 0), [200, 400], prior)).toEqual(wanted);
  });
});

describe("what is no move", () => {
  const look = (state: MarkMoves<number>, usd: readonly (number | null)[], minute: number) =>
    observeMarks(
      state,
      usd.map((each, id): Mark<number> => ({ id, usd: each, reach: 1 })),
      minute * MINUTE_MS,
    );

  test("a move over a print, over a gap between looks, or over the first look", () => {
    let state = look(noMarkMoves, [200, 400], 0);
    state = look(state, [null, 400], 1);
    state = look(state, [300, 400], 2);
    expect(state.looks[0]).toBe(0);
    expect(state.products[0]?.[0]).toBe(0);
    expect(look(state, [400, 400], 10).products[0]?.[0]).toBe(0);
    expect(look(state, [400, 400], 3).products[0]?.[0]).toBeGreaterThan(0);
  });

  test("one wild move counts as four deviations once an hour was seen", () => {
    const before = walked(0.5, [1e-4, 1e-4], 600, 1);
    const logs = before.logs.map((each) => each.at(-1) ?? 0);
    const after = look(before, [Math.exp(logs[0]! + 0.5), Math.exp(logs[1]!)], 601);
    const [was = 0, is = 0] = [before, after].map(({ products }) => products[0]?.[0]);
    expect(is).toBeLessThan(1.04 * was);
  });

  test("a market that joins or leaves: the others keep what was learned", () => {
    const before = walked(0.5, [1e-4, 1e-4], 600, 1);
    const marks = [7, 1, 0].map((id): Mark<number> => ({ id, usd: 200, reach: 1 }));
    const after = observeMarks(before, marks, 600 * MINUTE_MS);
    expect(after.looks).toEqual([0, before.looks[1]! + 1, before.looks[0]! + 1]);
    expect(after.products[1]![2]).toBeCloseTo(before.products[0]![1]!, 6);
  });
});

test("law: no book has a negative risk, whatever was missing when", () => {
  const usd = fc.oneof({ weight: 4, arbitrary: fc.double({ min: 50, max: 400, noNaN: true }) }, fc.constant(null));
  const looks = fc.array(fc.tuple(usd, usd, usd), { minLength: 2, maxLength: 150 });
  const book = fc.tuple(...[0, 1, 2].map(() => fc.double({ min: -10, max: 10, noNaN: true })));
  fc.assert(
    fc.property(looks, book, (rows, held) => {
      let state: MarkMoves<number> = noMarkMoves;
      for (const [minute, row] of rows.entries())
        state = observeMarks(
          state,
          row.map((each, id) => ({ id, usd: each, reach: id + 1 })),
          minute * MINUTE_MS,
        );
      const covariances = moveCovariances(state, [200, 300, 400], independent([1, 2, 3]));
      const risk = covariances.reduce(
        (sum, row, i) => sum + row.reduce((of, each, j) => of + each * (held[i] ?? 0) * (held[j] ?? 0), 0),
        0,
      );
      const size = covariances.reduce((sum, row, i) => sum + (row[i] ?? 0) * (held[i] ?? 0) ** 2, 0);
      expect(risk).toBeGreaterThanOrEqual(-1e-9 * size);
    }),
  );
});
