// Markouts by horizon, each mean with its interval: a chart, and its numbers.

import { type Line, legend, lineChart } from "./charts.ts";
import { type Cluster, meanInterval } from "./interval.ts";
import { card, decimal, signed, span, table } from "./markup.ts";

/** Sums of markouts in basis points, by horizon and then by cluster. */
export type MarketMarkouts = { readonly name: string; readonly horizons: readonly (readonly Cluster[])[] };

/** `300s` as text for people. */
export const horizonText = (horizon: string): string => horizon.replace(/s$/, " s");

/** `horizons`: their names, the shortest first. `over`: the kind of clusters, such as "days". */
export function markoutsCard(
  markets: readonly MarketMarkouts[],
  { horizons, over }: { readonly horizons: readonly string[]; readonly over: string },
): string {
  const title = "Markouts";
  const known = markets.map(({ name, horizons: of }) => ({
    name,
    points: of.map((clusters) => ({
      fills: clusters.reduce((total, { count }) => total + count, 0),
      interval: meanInterval(clusters),
    })),
  }));
  const lines = known.map(({ name, points }, color): Line => {
    const drawn = points.flatMap(({ interval }, at) => (interval === null ? [] : [{ at, ...interval }]));
    return {
      name,
      color,
      points: drawn.map(({ at, mean }) => [at, mean]),
      ...(drawn.every(({ ci95 }) => ci95 !== null)
        ? { band: drawn.flatMap(({ ci95 }) => (ci95 === null ? [] : [ci95])) }
        : {}),
    };
  });
  const svg = lineChart({
    title: "Mean markout by horizon, bps",
    lines,
    x: { label: "time after the fill", names: horizons },
    y: { label: "markout, bps" },
  });
  const rows = known.flatMap(({ name, points }) =>
    points.map(({ interval, fills }, at) => [
      `${name}, ${horizons[at]}`,
      interval === null ? "–" : signed(interval.mean),
      span(interval?.ci95 ?? [null, null]) ?? "–",
      decimal(fills, 0),
    ]),
  );
  const says = `What the mid moved in favor of our fills, bps of the fill's price. Below zero the counterparties knew more than we did. Bands: 95 %, by Student's t over ${over}, of which each is one observation; none with one.`;
  const numbers = table(`Markouts over all ${over}`, ["horizon", "mean, bps", "95 %, bps", "fills"], rows);
  return `<div id="markouts">${card(title, says, `${legend(lines.map(({ name }) => name))}${svg}${numbers}`)}</div>`;
}
