// What the market may say of the next print, and what whoever moves its book may not make it say.

import fc from "fast-check";
import { expect, test } from "vitest";
import { impliedByMarket, nextShift, shifted, wantedShift } from "../../../../src/bot/strategy/market-nowcast.ts";

test("a premium that funding holds down to a share implies the whole of it, with as much more error", () => {
  expect(impliedByMarket({ log: 0.002, error: 0.0005 }, 0.5)).toEqual({ log: 0.004, error: 0.001 });
  expect(impliedByMarket({ log: 0.002, error: 0.0005 }, 0.8)).toBe(null);
});

test("two estimates weigh by their precision", () => {
  const own = { log: 0.001, error: 0.001 };
  expect(wantedShift(own, { log: 0.003, error: 0.001 })).toBeCloseTo(0.001, 12);
  expect(wantedShift(own, { log: 0.003, error: 0.002 })).toBeCloseTo(0.0004, 12);
  expect(wantedShift({ log: 0, error: 0 }, { log: 1, error: 0 })).toBe(0);
});

const SURPRISE = 0.001;
const book = fc.array(
  fc.record({ wanted: fc.double({ min: -1, max: 1, noNaN: true }), ms: fc.integer({ min: 0, max: 600_000 }) }),
  { maxLength: 200 },
);

test("forbidden: that a book, whatever it shows, moves the nowcast by more than half a surprise an hour", () => {
  fc.assert(
    fc.property(book, (moves) => {
      let shift = 0;
      let elapsedMs = 0;
      for (const { wanted, ms } of moves) {
        shift = nextShift(shift, wanted, ms, SURPRISE);
        elapsedMs += ms;
        expect(Math.abs(shift)).toBeLessThanOrEqual((0.5 * SURPRISE * elapsedMs) / 3_600_000 + 1e-15);
      }
    }),
  );
});

test("forbidden: that the market takes it further than three surprises from the last print", () => {
  expect(shifted(0.001, 0.1, SURPRISE)).toBe(3 * SURPRISE);
  expect(shifted(-0.001, -0.1, SURPRISE)).toBe(-3 * SURPRISE);
  expect(shifted(0.005, 0.001, SURPRISE)).toBe(0.005);
  expect(shifted(0.001, 0.0005, SURPRISE)).toBeCloseTo(0.0015, 15);
});
