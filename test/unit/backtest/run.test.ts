// A whole run, short: it is the same every time and on every thread, and its sources of PnL leave nothing unexplained.

import { expect, test } from "vitest";
import type { BacktestJob } from "../../../src/backtest/outcome.ts";
import { runBacktest } from "../../../src/backtest/run-job.ts";
import { startRunWorkers } from "../../../src/backtest/run-workers.ts";
import { pnlComponents } from "../../../src/bot/accounting/market-book.ts";
import { AMOUNT_SCALE } from "../../../src/domain/units.ts";
import { parseDecimal } from "../../../src/kernel/decimal.ts";
import { backtestFiles } from "./scene.ts";

const usdc = (text: string): bigint => parseDecimal(text, AMOUNT_SCALE);

const job: BacktestJob = {
  file: backtestFiles(),
  sources: [],
  name: null,
  keepsFills: false,
  settings: [],
  seed: 3n,
  days: 0.0004,
  warmUpDays: 0,
  world: "drawn",
  shortcuts: true,
};

test("a run repeats to the byte, on another thread too; another seed is another run", async () => {
  const shares: number[] = [];
  const here = await runBacktest(job, (share) => shares.push(share));
  const workers = startRunWorkers(1);
  const there = await Promise.all(workers.runners.map((run) => run(job))).finally(workers.close);
  expect(JSON.stringify(there)).toBe(JSON.stringify([here]));
  expect(shares).toEqual([1]);
  const other = await runBacktest({ ...job, seed: 1n });
  expect(other.line.stateRoot).not.toBe(here.line.stateRoot);
});

test("a warm-up is in no figure: what follows is all that counts, and PnL still has its sources", async () => {
  const [warmUpDays, days] = [0.0005, 0.0005];
  const { line, curves } = await runBacktest({ ...job, days, warmUpDays });
  expect([line.days, line.warmUpDays, line.residual]).toEqual([days, warmUpDays, "0"]);
  expect(usdc(line.equityEnd) - usdc(line.equityStart)).toBe(usdc(line.pnl));
  // It began with what the warm-up had made, not with the collateral.
  expect(line.equityStart).not.toBe("100000");
  expect(curves.hours.at(-1)).toBeCloseTo(days * 24, 3);
  for (const { fills, volume, actions, quoteUptime, pnl } of line.markets) {
    expect(fills).toBeGreaterThan(0);
    expect(usdc(volume)).toBeGreaterThan(0n);
    expect(actions.place).toBeGreaterThan(0);
    expect(quoteUptime).toBeLessThanOrEqual(1);
    const parts = pnlComponents.filter((component) => component !== "total").map((component) => usdc(pnl[component]));
    expect(parts.reduce((sum, part) => sum + part, 0n)).toBe(usdc(pnl.total));
  }
});

test("every unit of a run's PnL has a source", async () => {
  const { line } = await runBacktest({ ...job, days: 0.0015 });
  expect(line.residual).toBe("0");
  expect(usdc(line.equityEnd) - usdc(line.equityStart)).toBe(usdc(line.pnl));
  const totals = line.markets.map(({ pnl }) => usdc(pnl.total));
  expect(totals.reduce((sum, total) => sum + total, 0n)).toBe(usdc(line.pnl));
  const atPrint = line.markets.map(({ pnlAtPrint }) => usdc(pnlAtPrint.total));
  expect(atPrint.reduce((sum, total) => sum + total, 0n)).toBe(usdc(line.pnlAtPrint));
  expect(line.markets.map(({ pnl, pnlAtPrint }) => [pnl.valuation, pnlAtPrint.valuation])[0]).toEqual(["mid", "print"]);
  expect(line.pnlAtPrint).not.toBe(line.pnl);
  const closing = line.markets.map(({ closingCost }) => usdc(closingCost));
  expect(closing.every((cost) => cost > 0n)).toBe(true);
  expect(usdc(line.pnl) - usdc(line.pnlAtClose)).toBe(closing.reduce((sum, cost) => sum + cost, 0n));
  // The one day of the run ends with it.
  expect(line.worstDayAtClose).toBe(line.pnlAtClose);
  for (const {
    pnl,
    fills,
    quoteUptime,
    actions,
    actionsPerDay,
    volume,
    markoutBps,
    markoutBpsByPlace,
  } of line.markets) {
    const parts = pnlComponents.filter((component) => component !== "total").map((component) => usdc(pnl[component]));
    expect(parts.reduce((sum, part) => sum + part, 0n)).toBe(usdc(pnl.total));
    // Markets with a crowd, funding and prints: no source is empty.
    expect(parts.every((part) => part !== 0n)).toBe(true);
    expect(fills).toBeGreaterThan(0);
    expect(usdc(volume)).toBeGreaterThan(0n);
    expect(quoteUptime).toBeGreaterThan(0.5);
    expect(quoteUptime).toBeLessThanOrEqual(1);
    expect(actions.place).toBeGreaterThan(0);
    expect(actionsPerDay).toBe(Math.round((actions.place + actions.modify + actions.cancel) / 0.0015));
    expect(markoutBps["1s"]).not.toBeNull();
    expect(markoutBpsByPlace[0]).toMatchObject({ decile: 1, "1s": expect.any(Number) });
    expect(markoutBpsByPlace.reduce((sum, place) => sum + place.fills, 0)).toBeLessThanOrEqual(fills);
  }
});
