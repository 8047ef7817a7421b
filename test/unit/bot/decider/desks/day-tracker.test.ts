// The day's result: begins at zero, remembers its best, ends with the day, and goes on where an earlier run stopped.

import { expect, test } from "vitest";
import { DayTracker, dayOf } from "../../../../../src/bot/decider/desks/day-tracker.ts";
import { type Usdc, usdc } from "../../../../../src/domain/units.ts";

const fresh = (pnl: bigint, best: bigint) => ({ state: "fresh", value: { pnl, best }, ageMs: 0 });
const observed = (tracker: DayTracker, totals: readonly bigint[], day: number): DayTracker => {
  for (const total of totals) tracker.observe(usdc(total), day);
  return tracker;
};

test("nothing is known before the first total, which begins the day at zero", () => {
  const tracker = new DayTracker(null);
  expect(tracker.dailyPnl()).toEqual({ state: "absent" });
  tracker.observe(usdc(-700n), 3);
  expect(tracker.dailyPnl()).toEqual(fresh(0n, 0n));
});

test("the result is what came since, and its best stays", () => {
  const tracker = observed(new DayTracker(null), [1000n, 1300n, 900n], 3);
  expect(tracker.dailyPnl()).toEqual(fresh(-100n, 300n));
});

test("a day begins where the one before ended", () => {
  const tracker = observed(observed(new DayTracker(null), [0n, 500n], 3), [450n, 440n], 4);
  expect(tracker.dailyPnl()).toEqual(fresh(-10n, 0n));
});

test("a later run goes on with the day's loss, and a later day does not", () => {
  const { state } = observed(new DayTracker(null), [0n, 50n, -400n], 3);
  const again = new DayTracker(state);
  expect(again.dailyPnl()).toEqual(fresh(-400n, 50n));
  expect(observed(again, [-410n], 3).dailyPnl()).toEqual(fresh(-410n, 50n));
  expect(observed(new DayTracker(state), [-410n], 4).dailyPnl()).toEqual(fresh(0n, 0n));
});

test("restarted, the next total counts as zero on the same day", () => {
  const tracker = observed(new DayTracker(null), [0n, -400n], 3);
  tracker.restart();
  expect(tracker.dailyPnl()).toEqual({ state: "absent" });
  expect(observed(tracker, [-400n, -405n], 3).dailyPnl()).toEqual(fresh(-5n, 0n));
});

test("the state is the same object until a number changes, so that nothing is written for nothing", () => {
  const tracker = observed(new DayTracker(null), [0n, 5n], 3);
  const { state } = tracker;
  expect(observed(tracker, [5n], 3).state).toBe(state);
  expect(observed(tracker, [4n], 3).state).not.toBe(state);
});

test("forbidden: a day ahead and back forgets a loss", () => {
  const tracker = observed(observed(new DayTracker(null), [0n, -490n], 3), [-490n], 2);
  expect(observed(tracker, [-500n], 3).dailyPnl()).toEqual(fresh(-500n, 0n));
  expect(observed(observed(tracker, [-500n], 4), [-510n], 3).dailyPnl(), "the new day goes on").toEqual(
    fresh(-10n, 0n),
  );
});

test("where the day is unknown, the known one goes on, and none begins", () => {
  const tracker = new DayTracker(null);
  tracker.observe(usdc(5n), null);
  expect(tracker.state).toBe(null);
  observed(tracker, [0n], 3).observe(usdc(-7n), null);
  expect(tracker.dailyPnl()).toEqual(fresh(-7n, 0n));
});

test.each<readonly [number | null, number, number | null]>([
  [0, 0, 0],
  [86_399_999, 86_400_000, 0],
  [86_400_000, 86_399_999, 0],
  [86_400_000, 86_400_000, 1],
  [2 * 86_400_000, 86_399_999, 0],
  [null, 86_400_000, null],
])("chain time %d and wall time %d are in day %d: it begins once both are in it", (chainMs, wallMs, day) =>
  expect(dayOf(chainMs, wallMs)).toBe(day),
);

test("amounts beyond 2^53 stay exact", () => {
  const huge: Usdc = usdc(2n ** 100n);
  const tracker = observed(new DayTracker(null), [0n, huge], 1);
  expect(tracker.state?.result.pnl).toBe(huge);
});
