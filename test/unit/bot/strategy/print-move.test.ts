// How far the mid moves over a print, as estimated from what it did over the last ones.

import { expect, test } from "vitest";
import {
  awaitMove,
  noPrintMove,
  observeMidAround,
  type PrintMove,
  printMoveBps,
} from "../../../../src/bot/strategy/print-move.ts";
import { createPrng } from "../../../../src/kernel/prng.ts";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const USUAL = 20;

/** Prints a day apart; the mid stands at 200, and moves by `bps` from a minute before the print to four after it. */
function days(moves: readonly number[], everyMs = DAY_MS, stepMs = 5000): PrintMove {
  let state = noPrintMove;
  for (const [day, bps] of moves.entries()) {
    const printMs = (day + 1) * everyMs;
    const [fromMs, toMs] = [
      printMs - Math.min(10 * MINUTE_MS, everyMs / 3),
      printMs + Math.min(10 * MINUTE_MS, everyMs / 3),
    ];
    let isKnown = false;
    for (let nowMs = fromMs; nowMs < toMs; nowMs += stepMs) {
      if (!isKnown && nowMs >= printMs) state = awaitMove(state, everyMs, nowMs);
      isKnown ||= nowMs >= printMs;
      const moved = Math.min(1, Math.max(0, (nowMs - printMs + MINUTE_MS) / (5 * MINUTE_MS)));
      state = observeMidAround(state, 200 * Math.exp((moved * bps) / 10_000), everyMs, USUAL, nowMs);
    }
  }
  return state;
}
const bpsOf = (state: PrintMove) => printMoveBps(state, USUAL);

test("what is assumed stands before any print, and weighs as three of them", () => {
  expect(bpsOf(noPrintMove)).toBeCloseTo(USUAL, 9);
  expect(bpsOf(days([0]))).toBeCloseTo(Math.sqrt((3 * USUAL ** 2) / 4), 6);
});

test.each([11, 29])(
  "a mid that moves by %d bps over prints, whatever the nowcast's error: found within a sixth",
  (bps) => {
    const draw = createPrng(1n);
    const found = bpsOf(days(Array.from({ length: 60 }, () => bps * draw.gaussian())));
    expect(Math.abs(found / bps - 1)).toBeLessThan(0.25);
    expect(
      Math.abs(bpsOf(days(Array.from({ length: 60 }, (_, day) => (day % 2 ? bps : -bps)))) / bps - 1),
    ).toBeLessThan(1 / 6);
  },
);

test("a wrong book over one print does not speak for all", () => {
  const usual = Array<number>(30).fill(10);
  expect(bpsOf(days([...usual, 5000]))).toBeLessThan(1.5 * bpsOf(days(usual)));
});

test("without a mid from before it, or one in time after it, a print's move is not learned", () => {
  expect(awaitMove(noPrintMove, DAY_MS, 0).awaited).toBe(null);
  const before = observeMidAround(noPrintMove, 200, DAY_MS, USUAL, 0);
  expect(awaitMove(before, DAY_MS, 10 * MINUTE_MS).awaited).toBe(null);
  const awaited = awaitMove(before, DAY_MS, 3 * MINUTE_MS);
  expect(awaited.awaited).toEqual({ usd: 200, dueMs: 8 * MINUTE_MS });
  expect(observeMidAround(awaited, 210, DAY_MS, USUAL, 14 * MINUTE_MS)).toMatchObject({ awaited: null, prints: 0 });
});

test("an index that prints each minute: times shrink with the interval", () => {
  expect(days([5, 5, 5, 5], MINUTE_MS, 500).prints).toBeGreaterThan(3);
});
