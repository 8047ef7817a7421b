// Compares configurations: their equity curves, which is better on equal seeds, their differing settings, and the grid of a sweep.

import { heatMap, lineChart } from "../../report/charts.ts";
import { amount, type Cell, card, escaped, signed, span, table } from "../../report/markup.ts";
import { lastOf, minutesOf, stretchesOf, type TimeChart } from "../../report/time-chart.ts";
import { cellLine, meanOf } from "../summary.ts";
import { bestCell, comparedCells, type Difference, type Estimate, kindOfRuns, type ReportCell } from "./cells.ts";
import { differingOf } from "./configured.ts";
import { pText } from "./first-fold.ts";

/** The compared cells in the order of the grid, so that a color stays with its setting. */
export function drawnCells(cells: readonly ReportCell[]): readonly ReportCell[] {
  const compared = comparedCells(cells);
  return cells.filter((cell) => compared.includes(cell));
}

/** Mean equity of each cell, and below it the lead of the best. */
export function comparedChart(cells: readonly ReportCell[]): TimeChart {
  const drawn = drawnCells(cells);
  const best = bestCell(cells);
  const [first] = best.outcomes;
  const hours = first?.curves.hours ?? [];
  const ends = stretchesOf(hours, 2 * drawn.length);
  const means = drawn.map((cell) => lastOf(ends, meanCurve(cell)));
  const ahead = means[drawn.indexOf(best)] ?? [];
  return {
    id: "compared",
    title: "PnL of each configuration",
    panes: [
      { name: `PnL AT MID, USDC, mean over ${kindOfRuns(best)}s`, digits: 2, share: 3 },
      { name: "THE BEST LESS EACH OTHER, USDC", digits: 2, share: 1.3 },
    ],
    minutes: minutesOf(ends, hours),
    lines: [
      ...drawn.map(({ name }, nth) => ({ name, pane: 0, look: nth, values: means[nth] ?? [] })),
      ...drawn.flatMap((cell, nth) =>
        cell === best
          ? []
          : [
              {
                name: `ahead of ${cell.name}`,
                pane: 1,
                look: nth,
                values: ahead.map((value, at) => round(value - (means[nth]?.[at] ?? 0))),
              },
            ],
      ),
    ],
  };
}

const round = (value: number): number => Math.round(value * 100) / 100;

/** Runs of one cell have the same sample times. */
export const meanCurve = ({ outcomes }: ReportCell): readonly number[] =>
  (outcomes[0]?.curves.hours ?? []).map((_, nth) => meanOf(outcomes.map(({ curves }) => curves.pnl[nth] ?? 0)));

/** Table next to the first figures: each configuration with its interval, and the lead of the best over it. */
export function comparedTable(cells: readonly ReportCell[], others: readonly Difference[]): string {
  const best = bestCell(cells);
  const drawn = drawnCells(cells);
  const shown = comparedCells(cells);
  const all = [...shown.map(({ atMid }) => atMid), ...others.filter(({ than }) => shown.includes(than))];
  const reach = Math.max(
    1e-9,
    ...all.flatMap(({ mean, ci95, seeds }) => [mean, ...ci95, ...seeds].map((value) => Math.abs(value ?? 0))),
  );
  const rows = shown.map((cell): readonly Cell[] => {
    const behind = others.find(({ than }) => than === cell);
    const look = drawn.indexOf(cell);
    const key = look < 0 ? escaped(cell.name) : `<span class="key line-${look}">${escaped(cell.name)}</span>`;
    return [
      { html: `${key}${cell === best ? ' <small class="good">★ highest mean</small>' : ""}` },
      { html: estimateHtml(cell.atMid, reach) },
      {
        html:
          behind === undefined
            ? '<span class="soft">–</span>'
            : `${estimateHtml(behind, reach)}<small>p ${pText(behind.p)}${behind.verdict === "better" ? " ✓" : ""}</small>`,
      },
    ];
  });
  return card(
    "Which is better",
    `${shown.length < cells.length ? `Of ${cells.length}, the ${shown.length} with the highest means. ` : ""}USDC a day at mid: the mean with its 95 % interval, a tick for each ${kindOfRuns(best)}; beside it what the best is ahead by ${kindOfRuns(best) === "seed" ? "on equal seeds, which are equal worlds" : "in the same recordings"}. ✓: chance hardly explains it (p below 0.05, corrected for all pairs).`,
    `<div class="configurations">${table("Configurations, USDC a day", ["configuration", "PnL at mid", "the best is ahead by"], rows)}</div>`,
  );
}

/** A number, its interval as a line around zero with a tick for each seed, and as text. */
function estimateHtml({ mean, ci95: [low, high], seeds }: Estimate, reach: number): string {
  const at = (value: number): string => (50 + (46 * value) / reach).toFixed(1);
  const line = low === null || high === null ? "" : `<path class="whole" d="M${at(low)} 5H${at(high)}"/>`;
  const words = span([low, high]);
  const cell = amount(mean);
  return `${typeof cell === "string" ? cell : cell.html}<svg class="interval" viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true"><path class="zero" d="M50 0V12"/>${line}<path class="seed" d="${seeds.map((value) => `M${at(value)} 7V12`).join("")}"/><path class="mean" d="M${at(mean)} 1V9"/></svg>${words === null ? "" : `<small>${words}</small>`}`;
}

/** The settings in which the configurations differ. */
export function differingCard(cells: readonly ReportCell[]): string {
  const shown = drawnCells(cells);
  const rows = differingOf(shown.map(({ markets }) => markets));
  if (rows.length === 0) return "";
  return card(
    "What they differ in",
    "Strategy, parameters and limits after the file, --set and the defaults; all else is equal.",
    table(
      "Parameters that differ",
      ["parameter", ...shown.map(({ name }) => name)],
      rows.map(({ path, texts }) => [path, ...texts]),
    ),
  );
}

/** One axis as a line with its interval, two as a heat map; further axes are averaged. */
export function sweepCard(cells: readonly ReportCell[]): string {
  const axes = Object.keys(cells[0]?.line.set ?? {}).map((path) => {
    return { path, values: [...new Set(cells.map(({ line }) => String(line.set[path])))] };
  });
  const [across, down, ...further] = axes.filter(({ values }) => values.length > 1);
  if (across === undefined || (down === undefined && across.values.length < 3)) return "";
  const title = "Mean PnL over the grid, USDC a run at mid";
  const meanAt = (fits: (cell: ReportCell) => boolean) => {
    const lines = cells.filter(fits).flatMap(({ outcomes }) => outcomes.map(({ line }) => line));
    return lines.length === 0 ? null : cellLine(lines);
  };
  if (down === undefined) {
    const points = across.values.map((value) => meanAt(({ line }) => String(line.set[across.path]) === value));
    const band = points.flatMap((point) => {
      const [low, high] = point?.pnlCi95 ?? [null, null];
      return low === null || high === null ? [] : [[low, high] as const];
    });
    const line = {
      name: "mean with its 95 % interval",
      color: 0,
      points: points.map((point, nth) => [nth, point?.pnlMean ?? 0] as const),
      ...(band.length === points.length ? { band } : {}),
    };
    const x = { label: across.path, names: across.values };
    return card(
      title,
      `Over the values of ${across.path}.`,
      lineChart({ title, lines: [line], x, y: { label: "USDC a run" } }),
    );
  }
  const values = down.values.map((row) =>
    across.values.map((column) => {
      const fits = ({ line: { set } }: ReportCell) =>
        String(set[across.path]) === column && String(set[down.path]) === row;
      return meanAt(fits)?.pnlMean ?? null;
    }),
  );
  const map = heatMap({
    title,
    columns: across.values,
    rows: down.values,
    xLabel: across.path,
    yLabel: `${down.path}, USDC a run`,
    values,
  });
  const rest = further.length === 0 ? "" : ` Mean over ${further.map(({ path }) => path).join(", ")}.`;
  const rows = down.values.map((row, nth) => [
    row,
    ...(values[nth] ?? []).map((value) => (value === null ? "–" : signed(value))),
  ]);
  return card(
    title,
    `Green gains, red with a minus loses; the deeper, the more.${rest}`,
    map,
    table("USDC a run at mid", [down.path, ...across.values], rows),
  );
}
