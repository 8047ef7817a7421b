// Outcomes of runs as a report meets them, made up: two markets, three days, numbers that follow from the seed.

import type { DayMarkouts, MarketCurves, Outcome } from "../../../../src/backtest/outcome.ts";
import type { About } from "../../../../src/backtest/report/first-fold.ts";
import { markoutHorizons } from "../../../../src/bot/analytics/markouts.ts";

export const aboutOf = (): About => ({
  command: "npx quoin backtest --config demo.yaml --days 3",
  files: ["demo.yaml"],
  recording: null,
  configured: new Map(),
  holdout: null,
});

export function outcomeOf(seed: number, set: Record<string, unknown> = {}, points = 60): Outcome {
  const pnl = {
    spread: "30.5",
    inventory: `${-seed}`,
    jump: "-2.25",
    funding: "0.125",
    fees: "1.5",
    total: `${29.875 - seed}`,
  };
  const hours = Array.from({ length: points }, (_, nth) => (72 * (nth + 1)) / points);
  const curve = hours.map((hour, nth) => seed * Math.sin(nth / 5) + hour);
  const day = Object.fromEntries(markoutHorizons.map((horizon, nth) => [horizon, { sum: 40 - nth, count: 10 + seed }]));
  const market: MarketCurves = {
    position: curve,
    pnl: { spread: curve, inventory: curve, jump: curve, funding: curve, fees: curve, total: curve },
    markouts: [day as DayMarkouts, day as DayMarkouts, day as DayMarkouts],
    placed: 100,
    filled: 20,
  };
  const lineOf = (marketId: number) => ({
    accountId: "12",
    marketId,
    strategy: "glft",
    pnl: { valuation: "mid" as const, ...pnl },
    pnlAtPrint: { valuation: "print" as const, ...pnl },
    fills: 412,
    volume: "98765.4321",
    quoteUptime: 0.981,
    positionMax: "7.5",
    positionStd: 1.234_567,
    actions: { place: 100, modify: 50, cancel: 10 },
    actionsPerDay: 53,
    closingCost: "1.25",
    unclosed: "0",
    markoutBps: { "1s": 4, "10s": 3.5, "60s": -1.25, "300s": null },
    markoutBpsByPlace: [{ decile: 1, fills: 3, "1s": 4, "10s": 3.5, "60s": -1.25, "300s": null }],
  });
  return {
    line: {
      kind: "run",
      seed,
      set,
      days: 3,
      warmUpDays: 0.25,
      world: {
        isDrawn: true,
        orderMs: 300 + seed,
        feedMs: 50,
        informedShare: 0.125,
        pressureGaps: 0.9,
        premiumPeriodSecs: { "1": 43_200, "2": 43_200 },
      },
      valuation: "mid",
      equityStart: "100000",
      equityEnd: `${100_059.75 - 2 * seed}`,
      pnl: `${59.75 - 2 * seed}`,
      pnlAtPrint: `${60.5 - 2 * seed}`,
      pnlAtClose: `${57.25 - 2 * seed}`,
      residual: "0",
      worstDay: "-3.1",
      worstDayAtClose: "-4.35",
      maxDrawdown: "4.2",
      annual: { days: 3, pnl: 7269.58, deviation: 120.5, sharpe: null },
      stateRoot: "ab".repeat(32),
      markets: [lineOf(1), lineOf(2)],
    },
    curves: {
      hours,
      pnl: curve,
      drawdown: curve.map((value) => -Math.abs(value)),
      days: [10, 20, 30],
      markets: [market, market],
    },
    fills: null,
    simulatedMs: 3 * 86_400_000,
  };
}
