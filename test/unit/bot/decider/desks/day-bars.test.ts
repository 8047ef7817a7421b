// The page's PnL by day: a later run goes on where the ledger stopped, and the bars of all days add up to all PnL.

import { expect, test } from "vitest";
import type { Pnl } from "../../../../../src/bot/accounting/market-book.ts";
import { DayBars, noFigures } from "../../../../../src/bot/decider/desks/day-bars.ts";
import type { SpanPnl } from "../../../../../src/bot/ledger/pnl-by-span.ts";
import { usdc } from "../../../../../src/domain/units.ts";

const usd = (dollars: number) => usdc(BigInt(dollars * 1e6));
const pnl = (total: number): Pnl => ({ ...noFigures.print, fees: usd(total), total: usd(total) });
const totals = (print: number, mid: number) => ({ print: pnl(print), mid: pnl(mid) });
const past = (marketId: number, day: number, gained: number, total: number): SpanPnl =>
  ({
    marketId,
    span: day,
    pnl: totals(gained, gained - 1),
    total: totals(total, total - 1),
    volume: usd(100),
    fills: 2,
  }) as SpanPnl;

test("a new ledger: the first day begins at zero, each later one where the day before ended", () => {
  const bars = new DayBars([]);
  bars.observe(0, totals(3, 2));
  bars.observe(0, totals(5, 4));
  bars.observe(2, totals(4, 6));
  expect(bars.shown()).toEqual([
    { date: "1970-01-01", print: 5, mid: 4 },
    { date: "1970-01-03", print: -1, mid: 2 },
  ]);
});

test("a later life: the ledger's days over all markets, and today goes on from what it had", () => {
  const bars = new DayBars([past(1, 4, 10, 110), past(2, 4, 5, 5), past(1, 5, -4, 106)]);
  const before = bars.shown();
  expect(before).toEqual([
    { date: "1970-01-05", print: 15, mid: 13 },
    { date: "1970-01-06", print: -4, mid: -5 },
  ]);
  bars.observe(5, totals(111, 109));
  expect(bars.shown()[1]).toEqual({ date: "1970-01-06", print: -4, mid: -5 });
  bars.observe(5, totals(113, 109));
  expect(bars.shown()[1]).toEqual({ date: "1970-01-06", print: -2, mid: -5 });
  bars.filled(usd(7));
  bars.observe(5, totals(113, 109));
  const ended = bars.observe(6, totals(114, 110));
  expect(ended).toMatchObject({ day: 5, volume: usd(107), fills: 3, print: { fees: usd(-2), total: usd(-2) } });
  expect(bars.observe(6, totals(114, 110))).toBeNull();
  expect(bars.shown()[2]).toEqual({ date: "1970-01-07", print: 1, mid: 1 });
});

test("thirty days are kept", () => {
  const bars = new DayBars(Array.from({ length: 40 }, (_, day) => past(1, day, 1, day)));
  for (let day = 40; day < 50; day += 1) bars.observe(day, totals(day, day));
  expect(bars.shown()).toHaveLength(30);
});
