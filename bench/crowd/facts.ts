// The stylized facts from research on real order books, each with its band and its measurement here.

import type { MarketRun, TakerTrade } from "./market-run.ts";
import type { NaiveMaker } from "./naive-maker.ts";
import { type PremiumHour, sharpeRatio } from "./premium-rule.ts";
import {
  autocorrelation,
  deviation,
  kurtosis,
  type Line,
  lineThrough,
  mean,
  quantile,
  returnsOver,
  sum,
  tailExponent,
} from "./statistics.ts";

export type Fact = {
  readonly name: string;
  /** Lowest and highest allowed value. */
  readonly band: readonly [number, number];
  readonly measure: (runs: readonly MarketRun[], beside: Beside) => number;
};

/** Runs of the same seeds with another account next to the crowd. */
export type Beside = {
  /** A maker at a fixed distance from the mid, in basis points, that does not protect itself from prints. */
  readonly unprotected: readonly MarketRun[];
  readonly maker: Pick<NaiveMaker, "accountId" | "halfSpreadBps">;
  /** Earnings of a premium rule. */
  readonly premium: readonly PremiumHour[];
};

/** Minutes and hours of a thin market: a market with more orders is the same market at a higher speed. */
const HOUR = 60;
const DAY = 24 * HOUR;
/** The guard window before a print: 30 minutes of a day. */
const GUARD_SHARE = 1 / 48;

const isGuarded = (run: MarketRun, second: number): boolean => {
  const left = run.printEverySecs - (second % run.printEverySecs);
  return left <= run.printEverySecs * GUARD_SHARE;
};

const spreads = (runs: readonly MarketRun[], guarded: boolean): number[] =>
  runs.flatMap((run) => [...run.spreads.filter((_, second) => isGuarded(run, second) === guarded)]);

/** The mean of each run's statistic: runs are not joined, so no return spans two of them. */
const average = (runs: readonly MarketRun[], of: (run: MarketRun) => number): number => mean(runs.map(of));
const minutes = (run: MarketRun) => returnsOver(run.mids, run.minute);
const hours = (run: MarketRun) => returnsOver(run.mids, HOUR * run.minute);

/** Without the returns over a print, unless every return has one. */
function apartFromPrints(run: MarketRun, returns: Float64Array, step: number): Float64Array {
  if (run.printEverySecs <= step) return returns;
  const printed = new Set(run.prints.map(({ second }) => Math.floor((second - 1) / step)));
  return returns.filter((_, at) => !printed.has(at));
}
const pooled = (runs: readonly MarketRun[], of: (run: MarketRun) => Float64Array): number[] =>
  runs.flatMap((run) => [...of(run)]);

const volume = (run: MarketRun) => sum(run.trades.map((trade) => trade.size));
const signs = (run: MarketRun) => run.trades.map((trade) => trade.sign);

/** Mean autocorrelation of trade signs over the runs. */
const signMemory = (runs: readonly MarketRun[], lag: number) =>
  average(runs, (run) => autocorrelation(signs(run), lag));

function signDecay(runs: readonly MarketRun[]): number {
  const lags = [1, 2, 4, 8, 16, 32].map((lag) => [lag, signMemory(runs, lag)] as const);
  const positive = lags.filter(([, memory]) => memory > 0.001);
  return -lineThrough(positive.map(([lag, memory]) => [Math.log(lag), Math.log(memory)] as const)).slope;
}

/** Change of the mid, basis points, against the imbalance at the touch, over ten seconds. */
function flowLine(runs: readonly MarketRun[]): Line {
  const points = runs.flatMap((run) =>
    [...returnsOver(run.mids, 10)].map((moved, at) => {
      const flow = sum(run.flow.subarray(at * 10 + 1, at * 10 + 11));
      return [flow, moved] as const;
    }),
  );
  return lineThrough(points.filter(([flow, moved]) => flow !== 0 || moved !== 0));
}

/** Smaller orders are ignored here, because they move nothing. */
const LEAST_CONTRACTS = 0.1;

/** Exponent of the power law fitted to the mean move of the mid two seconds after a trade, by size class. */
function impactExponent(runs: readonly MarketRun[]): number {
  const classes = new Map<number, { sizes: number[]; moves: number[] }>();
  for (const run of runs) {
    for (const trade of run.trades) {
      const after = run.mids[trade.second + 2];
      if (after === undefined || Number.isNaN(trade.midBefore)) continue;
      const key = Math.round(2 * Math.log2(trade.size));
      const found = classes.get(key) ?? { sizes: [], moves: [] };
      found.sizes.push(trade.size);
      found.moves.push((after - trade.midBefore) * trade.sign);
      classes.set(key, found);
    }
  }
  const points = [...classes.values()]
    .filter(({ sizes, moves }) => sizes.length >= 50 && mean(sizes) >= LEAST_CONTRACTS && mean(moves) > 0)
    .map(({ sizes, moves }) => [Math.log(mean(sizes)), Math.log(mean(moves))] as const);
  return lineThrough(points).slope;
}

/** Rate at which trades reach a distance from the mid, over the first five half-spreads: ln A - k d. */
function reachLine(runs: readonly MarketRun[]): Line {
  const half = quantile(spreads(runs, false), 0.5) / 2;
  const reached = runs.flatMap((run) => run.trades.map((trade) => (trade.worst - trade.midBefore) * trade.sign));
  const points = [1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5].map((halves) => {
    const count = reached.filter((distance) => distance >= halves * half).length;
    return [halves * half, Math.log(Math.max(1, count))] as const;
  });
  return lineThrough(points);
}

/** Mean markout of makers' fills outside the guard window at a horizon, in half-spreads. */
function markout(runs: readonly MarketRun[], horizonOf: (run: MarketRun) => number): number {
  const half = quantile(spreads(runs, false), 0.5) / 2;
  const edges = runs.flatMap((run) =>
    run.trades
      .filter(({ second }) => !isGuarded(run, second) && second + horizonOf(run) < run.seconds)
      .map((trade) => (trade.price - (run.mids[trade.second + horizonOf(run)] ?? 0)) * trade.sign),
  );
  return mean(edges) / half;
}

/** The same for one maker's fills after five minutes, in its own half-spreads. */
function ownMarkout({ unprotected, maker }: Beside): number {
  const edges = unprotected.flatMap((run) =>
    run.trades
      .filter(({ second }) => !isGuarded(run, second) && second + 5 * run.minute < run.seconds)
      .flatMap(({ second, sign, makers }) =>
        makers
          .filter(({ account }) => account === maker.accountId)
          .map(({ price }) => (price - (run.mids[second + 5 * run.minute] ?? 0)) * sign),
      ),
  );
  return mean(edges) / maker.halfSpreadBps;
}

/**
 * Mean markout, five minutes after the print, of `maker`'s fills in the guard window before it; in standard deviations of the mid's move,
 * with the crowd alone, from one minute before a print to then.
 */
function guardedMarkout({ unprotected, maker }: Beside, alone: readonly MarketRun[]): number {
  const printsOf = (run: MarketRun) => run.prints.slice(1).map(({ second }) => second);
  const after = (run: MarketRun, print: number) => run.mids[print + 5 * run.minute] ?? Number.NaN;
  const jumps = alone.flatMap((run) =>
    printsOf(run).map((print) => after(run, print) - (run.mids[print - run.minute] ?? Number.NaN)),
  );
  const edges = unprotected.flatMap((run) => {
    const prints = printsOf(run);
    return run.trades
      .filter(({ second }) => isGuarded(run, second))
      .flatMap(({ second, sign, makers }) => {
        const print = prints.find((at) => at >= second) ?? Number.NaN;
        const fills = makers.filter(({ account }) => account === maker.accountId);
        return fills.map(({ price }) => (price - after(run, print)) * sign);
      });
  });
  return mean(edges.filter(Number.isFinite)) / deviation(jumps.filter(Number.isFinite));
}

/** Mid over the last print, every ten minutes, basis points. */
function premiums(run: MarketRun): Float64Array {
  const step = 10 * run.minute;
  let print = 0;
  let at = 0;
  return Float64Array.from({ length: Math.floor(run.seconds / step) }, (_, sample) => {
    const second = sample * step;
    while ((run.prints[at]?.second ?? Number.POSITIVE_INFINITY) <= second) {
      print = run.prints[at]?.price ?? 0;
      at += 1;
    }
    return (run.mids[second] ?? 0) - print;
  }).filter((_, sample) => sample * step > (run.prints[0]?.second ?? 0));
}

/** Half-life in hours, from the autocorrelation of the premium at one hour. */
const premiumHalfLife = (runs: readonly MarketRun[]) =>
  Math.log(0.5) / Math.log(average(runs, (run) => autocorrelation(premiums(run), 6)));

/** Correlation of the mid one minute before a print with the news in the print. */
export function surpriseCorrelation(runs: readonly MarketRun[]): number {
  const points = runs.flatMap((run) =>
    run.prints.slice(2).flatMap((print, at) => {
      const [before, last] = [run.prints[at], run.prints[at + 1]];
      if (before === undefined || last === undefined) return [];
      const surprise = print.price - last.price - 0.76 * (last.price - before.price);
      return [[(run.mids[print.second - run.minute] ?? 0) - last.price, surprise] as const];
    }),
  );
  const line = lineThrough(points);
  return Math.sign(line.slope) * Math.sqrt(line.rSquared);
}

const shareOf = (trades: readonly TakerTrade[], is: (trade: TakerTrade) => boolean) =>
  trades.filter(is).length / trades.length;

/** The facts of a market; `knows` tells which trades are by informed takers. */
export const factsOf = (knows: (trade: TakerTrade) => boolean): readonly Fact[] => [
  { name: "spread, median, bps", band: [4, 10], measure: (runs) => quantile(spreads(runs, false), 0.5) },
  { name: "spread, p95, bps", band: [5, 25], measure: (runs) => quantile(spreads(runs, false), 0.95) },
  {
    name: "spread in the guard window, of the median",
    band: [2, 6],
    measure: (runs) => quantile(spreads(runs, true), 0.5) / quantile(spreads(runs, false), 0.5),
  },
  {
    name: "depth within 25 bps a side, % of daily volume",
    band: [0.5, 2],
    measure: (runs) =>
      average(runs, (run) => (100 * mean(run.depths)) / volume(run) / ((DAY * run.minute) / run.seconds)),
  },
  {
    name: "autocorrelation of 1-min returns, lag 1",
    band: [-0.25, 0.06],
    measure: (runs) => average(runs, (run) => autocorrelation(minutes(run), 1)),
  },
  {
    name: "largest at lags 6 to 10, absolute",
    band: [0, 0.03],
    measure: (runs) =>
      Math.max(...[6, 7, 8, 9, 10].map((lag) => Math.abs(average(runs, (run) => autocorrelation(minutes(run), lag))))),
  },
  {
    name: "of |1-min returns|, lag 1",
    band: [0.1, 0.6],
    measure: (runs) => average(runs, (run) => autocorrelation(minutes(run).map(Math.abs), 1)),
  },
  {
    name: "of |1-min returns|, lag 60",
    band: [0.03, 0.4],
    measure: (runs) => average(runs, (run) => autocorrelation(minutes(run).map(Math.abs), 60)),
  },
  {
    name: "kurtosis of 1-min returns, prints apart",
    band: [6, 30],
    measure: (runs) => average(runs, (run) => kurtosis(apartFromPrints(run, minutes(run), run.minute))),
  },
  {
    name: "kurtosis of 1-h returns, prints apart",
    band: [3.5, 8],
    measure: (runs) => kurtosis(pooled(runs, (run) => apartFromPrints(run, hours(run), HOUR * run.minute))),
  },
  {
    name: "tail exponent of 1-min returns",
    band: [2.5, 5],
    measure: (runs) => tailExponent(pooled(runs, minutes), 0.02),
  },
  {
    name: "hourly variance, of 60 minutes'",
    band: [0.7, 1.25],
    measure: (runs) => deviation(pooled(runs, hours)) ** 2 / (HOUR * deviation(pooled(runs, minutes)) ** 2),
  },
  { name: "volatility, bps a square-root hour", band: [5, 28], measure: (runs) => deviation(pooled(runs, hours)) },
  { name: "autocorrelation of trade signs, lag 1", band: [0.2, 0.5], measure: (runs) => signMemory(runs, 1) },
  { name: "its decay exponent", band: [0.3, 0.8], measure: signDecay },
  { name: "order-flow imbalance, R squared", band: [0.4, 0.8], measure: (runs) => flowLine(runs).rSquared },
  {
    name: "order-flow imbalance, slope x 2 depths, ticks",
    band: [0.5, 2.4],
    measure: (runs) => (flowLine(runs).slope * 2 * average(runs, (run) => mean(run.touchDepth))) / 0.461,
  },
  { name: "impact exponent in size", band: [0.4, 0.7], measure: impactExponent },
  { name: "fill curve, R squared", band: [0.95, 1], measure: (runs) => reachLine(runs).rSquared },
  {
    name: "fill curve, k x median spread",
    band: [1, 3],
    measure: (runs) => -reachLine(runs).slope * quantile(spreads(runs, false), 0.5),
  },
  {
    name: "orders at the touch that trade, %",
    band: [5, 20],
    measure: (runs) => (100 * sum(runs.map((run) => run.touchFilled))) / sum(runs.map((run) => run.touchOrders)),
  },
  {
    name: "orders to trades",
    band: [10, 50],
    measure: (runs) => sum(runs.map((run) => run.makerActions)) / sum(runs.map((run) => run.trades.length)),
  },
  { name: "maker markout at 1 s, half-spreads", band: [0.5, 1], measure: (runs) => markout(runs, () => 1) },
  {
    name: "maker markout at 5 min, half-spreads",
    band: [0.2, 1],
    measure: (runs) => markout(runs, (run) => 5 * run.minute),
  },
  {
    name: "fixed-spread maker, markout at 5 min, its half-spreads",
    band: [0.2, 0.6],
    measure: (_, beside) => ownMarkout(beside),
  },
  {
    name: "unprotected maker, guard window, 5 min after its print, jumps",
    band: [-1, 0],
    measure: (runs, beside) => guardedMarkout(beside, runs),
  },
  {
    name: "a rule on the premium, Sharpe ratio of a day",
    band: [Number.NEGATIVE_INFINITY, 0.3],
    measure: (_, { premium }) => sharpeRatio(premium, "held"),
  },
  { name: "premium, half-life, h", band: [1, 6], measure: premiumHalfLife },
  { name: "premium, standard deviation, bps", band: [5, 58], measure: (runs) => deviation(pooled(runs, premiums)) },
  { name: "mark before a print and its surprise, correlation", band: [0.2, 0.8], measure: surpriseCorrelation },
  {
    name: "trades of those who know, %",
    band: [5, 15],
    measure: (runs) =>
      100 *
      shareOf(
        runs.flatMap((run) => run.trades.filter(({ second }) => !isGuarded(run, second))),
        knows,
      ),
  },
  {
    name: "the same in the guard window, %",
    band: [30, 60],
    measure: (runs) =>
      100 *
      shareOf(
        runs.flatMap((run) => run.trades.filter(({ second }) => isGuarded(run, second))),
        knows,
      ),
  },
  {
    name: "funding rates, distinct",
    band: [10, 1e9],
    measure: (runs) => average(runs, (run) => new Set(run.fundingRates).size),
  },
  {
    name: "trades a day",
    band: [500, 10_000],
    measure: (runs) => average(runs, (run) => (run.trades.length / run.seconds) * DAY * run.minute),
  },
  {
    name: "liquidations a day",
    band: [0, 10],
    measure: (runs) => average(runs, (run) => (run.liquidations / run.seconds) * DAY * run.minute),
  },
];
