// The report: one page of HTML that needs nothing else, opens from disk, and says in order what is doubtful, what came out, and why.

import type { Outcome } from "../outcome.ts";
import { cellLine, meanOf, sumOf } from "../summary.ts";
import { differenceRows, PAIRED, setText, tableRows } from "../table.ts";
import { heatMap, lineChart } from "./charts.ts";
import { redFlags } from "./flags.ts";
import { escaped, figure, money, table } from "./markup.ts";
import { sectionsOf } from "./sections.ts";
import { STYLE } from "./style.ts";

type Cell = { readonly set: Outcome["line"]["set"]; readonly outcomes: readonly Outcome[]; readonly pnlMean: number };

/** `command`: how to make it again. `outcomes` by cell, then by seed, one at least. */
export function reportHtml(command: string, outcomes: readonly Outcome[]): string {
  const groups = [...Map.groupBy(outcomes, ({ line }) => JSON.stringify(line.set)).values()];
  const cells = groups.map((group): Cell => {
    const { set, pnlMean } = cellLine(group.map(({ line }) => line));
    return { set, outcomes: group, pnlMean };
  });
  const best = cells.reduce((one, other) => (other.pnlMean > one.pnlMean ? other : one));
  const { days = 0, warmUpDays = 0 } = outcomes[0]?.line ?? {};
  const [head = [], ...rows] = tableRows(outcomes.map(({ line }) => line));
  const flags = redFlags(best.outcomes, cells.length).map((flag) => `<li>${escaped(flag)}</li>`);
  const [headOfPairs, ...pairs] = differenceRows(outcomes.map(({ line }) => line));
  const differences = headOfPairs === undefined ? "" : table(`USDC. ${PAIRED}`, headOfPairs, pairs);
  const shown =
    cells.length === 1
      ? ""
      : `<p>Of ${cells.length} settings, the one with the highest mean: ${escaped(setText(best.set))}.</p>`;
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Backtest</title><style>${STYLE}</style></head>
<body>
<header><h1>Backtest</h1><p class="soft">${outcomes.length} runs of ${days} days of simulated time, after ${warmUpDays} days of warm-up that count for nothing. <code>${escaped(command)}</code></p></header>
<section><h2>Red flags</h2><ul class="flags">${flags.length === 0 ? "<li>None.</li>" : flags.join("\n")}</ul></section>
<section><h2>Results</h2>${table("USDC; means over seeds, of worst day and drawdown the worst", head, rows)}${spreadAlone(best)}${differences}</section>
${sweep(cells)}
<section><h2>In detail</h2>${shown}${sectionsOf(best.outcomes)}</section>
</body>
</html>
`;
}

/** What a maker is paid for, beside all that the price and the premium did to it. */
function spreadAlone({ set, outcomes, pnlMean }: Cell): string {
  const lines = outcomes.map(({ line }) => line);
  const { spreadMean } = cellLine(lines);
  const fees = meanOf(lines.map(({ markets }) => sumOf(markets, ({ pnl }) => Number(pnl.fees))));
  const name = setText(set);
  const says = `Spread alone${name === "" ? "" : `, ${name}`}: ${money(spreadMean)} USDC a run, ${money(spreadMean + fees)} with fees and rebates; all sources together: ${money(pnlMean)}.`;
  return `<p><strong>${escaped(says)}</strong></p>`;
}

/** One axis as a line with its interval, two as a map; further axes are averaged over. */
function sweep(cells: readonly Cell[]): string {
  const axes = Object.keys(cells[0]?.set ?? {}).map((path) => {
    return { path, values: [...new Set(cells.map(({ set }) => String(set[path])))] };
  });
  const varied = axes.filter(({ values }) => values.length > 1);
  const [across, down, ...further] = varied;
  if (across === undefined) return "";
  const title = "Mean PnL over the grid";
  const meanAt = (fits: (cell: Cell) => boolean) => {
    const lines = cells.filter(fits).flatMap(({ outcomes }) => outcomes.map(({ line }) => line));
    return lines.length === 0 ? null : cellLine(lines);
  };
  if (down === undefined) {
    const points = across.values.map((value) => meanAt(({ set }) => String(set[across.path]) === value));
    const line = {
      name: "mean with its 95 % interval",
      color: 0,
      points: points.map((point, nth) => [nth, point?.pnlMean ?? 0] as const),
      band: points.map(
        (point) => [point?.pnlCi95[0] ?? point?.pnlMean ?? 0, point?.pnlCi95[1] ?? point?.pnlMean ?? 0] as const,
      ),
    };
    const svg = lineChart({
      title,
      lines: [line],
      x: { label: across.path, names: across.values },
      y: { label: "USDC" },
    });
    return `<section><h2>Sweep</h2>${figure(title, svg, `Over the values of ${across.path}.`)}</section>`;
  }
  const values = down.values.map((row) =>
    across.values.map(
      (column) =>
        meanAt(({ set }) => String(set[across.path]) === column && String(set[down.path]) === row)?.pnlMean ?? null,
    ),
  );
  const map = heatMap({
    title,
    columns: across.values,
    rows: down.values,
    xLabel: across.path,
    yLabel: `${down.path}, USDC`,
    values,
  });
  const rest = further.length === 0 ? "" : ` Mean over ${further.map(({ path }) => path).join(", ")}.`;
  const rows = down.values.map((row, nth) => [
    row,
    ...(values[nth] ?? []).map((value) => (value === null ? "–" : value.toFixed(2))),
  ]);
  const numbers = table("USDC", ["", ...across.values], rows);
  return `<section><h2>Sweep</h2>${figure(title, map, `Green gains, red loses.${rest}`, numbers)}</section>`;
}
