// Recordings last differently long: their curves are drawn at the same moments, and runs of one length are left as they are.

import { expect, test } from "vitest";
import type { Outcome } from "../../../../src/backtest/outcome.ts";
import { onOneClock } from "../../../../src/backtest/report/one-clock.ts";
import { outcomeOf } from "./outcome.ts";

function lasting(hours: readonly number[], pnl: readonly number[]): Outcome {
  const outcome = outcomeOf(1);
  const [market] = outcome.curves.markets;
  if (market === undefined) throw new Error("it has a market");
  const markets = [{ ...market, position: pnl, pnl: { ...market.pnl, spread: pnl } }];
  return { ...outcome, curves: { ...outcome.curves, hours, pnl, drawdown: pnl, markets } };
}

test("the shorter run has its own values at the longer one's moments, and keeps the last after its end", () => {
  const long = lasting([1, 2, 3, 4, 5], [1, 2, 3, 4, 5]);
  const short = lasting([0.5, 1.5, 2.5, 3], [10, 20, 30, 40]);
  const [first, second] = onOneClock([long, short]);
  expect(first?.curves).toMatchObject({ hours: long.curves.hours, pnl: long.curves.pnl });
  expect(second?.curves.hours).toEqual([1, 2, 3, 4, 5]);
  expect(second?.curves.pnl).toEqual([10, 20, 40, 40, 40]);
  expect(second?.curves.markets[0]?.position).toEqual([10, 20, 40, 40, 40]);
  expect(second?.curves.markets[0]?.pnl.spread).toEqual([10, 20, 40, 40, 40]);
});

test("runs of one length, and none, are returned as they are", () => {
  const outcomes = [outcomeOf(1), outcomeOf(2)];
  expect(onOneClock(outcomes)).toBe(outcomes);
  expect(onOneClock([])).toEqual([]);
});
