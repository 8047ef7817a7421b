// Why a maker earns what it earns: how long moves of the mid last, the later value of its fills, and how well past trades predict takers.

import { FLOW, impactOf } from "../../src/devnet/crowd/memory.ts";
import type { AccountId } from "../../src/domain/units.ts";
import type { MarketRun } from "./market-run.ts";
import { mean } from "./statistics.ts";

const MINUTE = 60;
const HOUR = 3600;

export const HORIZONS_SECS = [1, MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, 24 * HOUR] as const;

/**
 * Variance of the mid's moves over `seconds` relative to a random walk with the same moves per minute: 1 if moves last, above 1 if they
 * continue, near 0 if they revert.
 */
export function varianceRatio({ mids }: MarketRun, seconds: number): number {
  const variance = (over: number) => {
    const starts = Math.max(0, Math.floor((mids.length - 1 - over) / MINUTE) + 1);
    return mean(Float64Array.from({ length: starts }, (_, at) => moved(mids, at * MINUTE, over) ** 2));
  };
  return (variance(seconds) / variance(MINUTE)) * (MINUTE / seconds);
}

const moved = (mids: Float64Array, from: number, over: number): number => (mids[from + over] ?? 0) - (mids[from] ?? 0);

export type Markouts = {
  readonly taker: string;
  readonly fills: number;
  /** Basis points, weighted by size: against the mid that the taker found, and the mid after each of HORIZONS_SECS. */
  readonly edge: number;
  readonly after: readonly number[];
};

/** Fills of `maker`, by taker and in total; most fills first. Fills whose horizon is after the end are left out of that horizon. */
export function markoutsOf(run: MarketRun, maker: AccountId, nameOf: (taker: AccountId) => string): Markouts[] {
  const fills = run.trades.flatMap(({ makers, ...trade }) =>
    makers.filter(({ account }) => account === maker).map((fill) => ({ ...fill, trade, taker: nameOf(trade.taker) })),
  );
  return ["all", ...new Set(fills.map(({ taker }) => taker))]
    .map((taker) => {
      const theirs = fills.filter((fill) => taker === "all" || fill.taker === taker);
      const gained = (midOf: (fill: (typeof fills)[number]) => number | undefined) => {
        const known = theirs.map((fill) => ({ fill, mid: midOf(fill) })).filter(({ mid }) => mid !== undefined);
        const total = mean(known.map(({ fill }) => fill.size));
        return mean(known.map(({ fill, mid = 0 }) => fill.size * (fill.price - mid) * fill.trade.sign)) / total;
      };
      const after = HORIZONS_SECS.map((secs) => gained(({ trade }) => run.mids[trade.second + secs]));
      return { taker, fills: theirs.length, edge: gained(({ trade }) => trade.midBefore), after };
    })
    .sort((a, b) => b.fills - a.fills);
}

/**
 * Least squares of each trade's signed impact on the crowd's memory of flow: the share of it that makes the crowd's expectation right on
 * average, and the share of variance that this explains.
 */
export function flowShare({ trades }: MarketRun, typicalContracts: number) {
  let flow = 0;
  const rows = trades.map(({ sign, size }) => {
    const impact = sign * impactOf(size / typicalContracts);
    const row = { flow, impact };
    flow += FLOW.rate * (impact - flow);
    return row;
  });
  const product = (a: keyof (typeof rows)[number], b: keyof (typeof rows)[number]) =>
    mean(rows.map((row) => row[a] * row[b]));
  const share = product("flow", "impact") / product("flow", "flow");
  return { share, rSquared: (share * product("flow", "impact")) / product("impact", "impact") };
}
