// Curves of runs that last differently long, as recordings do, at the moments of the longest, so that charts draw them side by side.

import type { Curves, Outcome, PnlComponent } from "../outcome.ts";

/** A run that has ended keeps its last values. Runs of one length are returned as they are. */
export function onOneClock(outcomes: readonly Outcome[]): readonly Outcome[] {
  const all = outcomes.map(({ curves }) => curves.hours);
  const [longest = []] = all.toSorted((a, b) => (b.at(-1) ?? 0) - (a.at(-1) ?? 0));
  if (all.every((hours) => hours.length === longest.length && hours.at(-1) === longest.at(-1))) return outcomes;
  return outcomes.map((outcome) => ({ ...outcome, curves: sampledAt(longest, outcome.curves) }));
}

function sampledAt(hours: readonly number[], curves: Curves): Curves {
  let at = 0;
  const points = hours.map((hour) => {
    while ((curves.hours[at + 1] ?? Number.POSITIVE_INFINITY) <= hour) at += 1;
    return at;
  });
  const sampled = (values: readonly number[]): readonly number[] => points.map((point) => values[point] ?? 0);
  return {
    ...curves,
    hours,
    pnl: sampled(curves.pnl),
    drawdown: sampled(curves.drawdown),
    markets: curves.markets.map((market) => ({
      ...market,
      position: sampled(market.position),
      pnl: Object.fromEntries(
        Object.entries(market.pnl).map(([source, values]) => [source, sampled(values)]),
      ) as Record<PnlComponent, readonly number[]>,
    })),
  };
}
