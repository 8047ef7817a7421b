// When a strategy's fills are worse than those of the one before, beyond chance.

import { expect, test } from "vitest";
import { noMarkouts, withMarkout, worseThan } from "../../../../src/bot/analytics/markout-tally.ts";
import { createPrng } from "../../../../src/kernel/prng.ts";

/** Around a mean, half of them one above, half one below. */
const tally = (count: number, mean: number) =>
  Array.from({ length: count }, (_, at) => mean + (at % 2 === 0 ? 1 : -1)).reduce(withMarkout, noMarkouts);

test.each([
  ["as good", 4, 4, false],
  ["a little worse, as one that quotes nearer", 4, 3, false],
  ["less than half as good", 4, 0.5, true],
  ["losing, after one that earned", 4, -1, true],
  ["losing, after one that lost as much", -3, -3, false],
  ["losing more", -1, -4, true],
])("%s: %d bps before and %d now", (_, before, now, isWorse) => {
  expect(worseThan(tally(100, before), tally(100, now)) !== null).toBe(isWorse);
});

test("too few fills say nothing, and chance counts", () => {
  expect(worseThan(tally(100, 4), tally(19, -9))).toBeNull();
  expect(worseThan(tally(100, 4), tally(20, -9))).not.toBeNull();
  expect(worseThan(tally(100, 4), tally(20, 1.4))).toBeNull();
  expect(worseThan(tally(100, 4), tally(2000, 1.4))).not.toBeNull();
});

test("a strategy before that had too few counts as one that earned nothing", () => {
  expect(worseThan(tally(19, 50), tally(100, 1))).toBeNull();
  expect(worseThan(noMarkouts, tally(100, -1))).not.toBeNull();
});

test("fills that come two at a time are no more evidence than one: of a thousand trials of an equal, chance ends few", () => {
  const prng = createPrng(1n);
  const pairs = (fills: number) =>
    Array.from({ length: fills / 2 }, () => 5 * prng.gaussian()).flatMap((bps) => [bps, bps]);
  const isRolledBack = (): boolean => {
    const before = pairs(400).reduce(withMarkout, noMarkouts);
    let now = noMarkouts;
    return pairs(200).some((bps) => {
      now = withMarkout(now, bps);
      return worseThan(before, now) !== null;
    });
  };
  const ended = Array.from({ length: 1000 }, isRolledBack).filter(Boolean).length;
  expect(ended).toBeLessThan(15);
});
