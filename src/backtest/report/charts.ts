// Charts as static SVG, drawn by pure functions: nothing runs in the reader's browser. Colors are the page's (`style.ts`), so that
// they follow light and dark.

import { escaped } from "./markup.ts";
import { type Scale, scaleOf, ticksOf } from "./scale.ts";

export type Line = {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
  /** Index of its color; null: one of many, drawn faintly. */
  readonly color: number | null;
  /** Around the line, for each of its points. */
  readonly band?: readonly (readonly [low: number, high: number])[];
  /** Filled down to zero. */
  readonly isArea?: boolean;
};

export type LineChart = {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly x: { readonly label: string; readonly names?: readonly string[] };
  readonly y: { readonly label: string };
  readonly height?: number;
};

const WIDTH = 760;
const HEIGHT = 260;
const LEFT = 74;
const RIGHT = 14;
const TOP = 26;
const BOTTOM = 40;
export const COLORS = 6;

export function lineChart({ title, lines, x, y, height = HEIGHT }: LineChart): string {
  const points = lines.flatMap((line) => line.points);
  const ys = [...points.map((point) => point[1]), ...lines.flatMap(({ band }) => (band ?? []).flat()), 0];
  const across = scaleOf(
    points.map((point) => point[0]),
    [LEFT, WIDTH - RIGHT],
  );
  const up = scaleOf(ys, [height - BOTTOM, TOP]);
  const xTicks = x.names === undefined ? ticksOf(across, 8) : x.names.map((_, nth) => nth);
  const drawn = lines.map((line) => drawLine(line, across, up));
  return svg(title, height, [
    grid(across, up, { xTicks, xNames: x.names, xLabel: x.label, yLabel: y.label, height }),
    ...drawn,
    legend(lines.flatMap(({ name, color }) => (color === null ? [] : [{ name, color }]))),
  ]);
}

/** Bars side by side for each group, from zero up or down. */
export function barChart(chart: {
  readonly title: string;
  readonly groups: readonly string[];
  readonly bars: readonly { readonly name: string; readonly values: readonly number[] }[];
  readonly yLabel: string;
}): string {
  const { title, groups, bars, yLabel } = chart;
  const up = scaleOf([0, ...bars.flatMap(({ values }) => values)], [HEIGHT - BOTTOM, TOP]);
  const across = scaleOf([-0.5, groups.length - 0.5], [LEFT, WIDTH - RIGHT]);
  const width = (0.8 * (WIDTH - LEFT - RIGHT)) / Math.max(1, groups.length * bars.length);
  const rects = bars.flatMap(({ name, values }, color) =>
    values.map((value, group) => {
      const left = across.at(group) + (color - bars.length / 2) * width;
      const top = Math.min(up.at(0), up.at(value));
      const tall = Math.abs(up.at(value) - up.at(0));
      const says = `${groups[group] ?? ""}, ${name}: ${short(value)}`;
      return `<rect class="b${color % COLORS}" x="${px(left)}" y="${px(top)}" width="${px(width * 0.9)}" height="${px(tall)}"><title>${escaped(says)}</title></rect>`;
    }),
  );
  const names = { xTicks: groups.map((_, nth) => nth), xNames: groups, xLabel: "", yLabel, height: HEIGHT };
  return svg(title, HEIGHT, [
    grid(across, up, names),
    ...rects,
    legend(bars.map(({ name }, color) => ({ name, color }))),
  ]);
}

/** One square per pair of values, colored from the worst to the best, its number in it. */
export function heatMap(map: {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly string[];
  readonly xLabel: string;
  readonly yLabel: string;
  /** By row, then column. */
  readonly values: readonly (readonly (number | null)[])[];
}): string {
  const { title, columns, rows, values, xLabel, yLabel } = map;
  const wide = (WIDTH - LEFT - RIGHT) / Math.max(1, columns.length);
  const tall = Math.min(56, Math.max(26, 320 / Math.max(1, rows.length)));
  const height = TOP + BOTTOM + tall * rows.length;
  const known = values.flat().filter((value) => value !== null);
  const largest = Math.max(1e-9, ...known.map(Math.abs));
  const squares = values.flatMap((row, down) =>
    row.map((value, along) => {
      const [left, top] = [LEFT + along * wide, TOP + down * tall];
      const says = `${rows[down] ?? ""}, ${columns[along] ?? ""}: ${value === null ? "no run" : short(value)}`;
      const depth = value === null ? 0 : Math.abs(value) / largest;
      const kind = value === null ? "none" : value < 0 ? "loss" : "gain";
      return `<g><rect class="${kind}" fill-opacity="${depth.toFixed(2)}" x="${px(left)}" y="${px(top)}" width="${px(wide - 2)}" height="${px(tall - 2)}"><title>${escaped(says)}</title></rect><text class="mid" x="${px(left + wide / 2)}" y="${px(top + tall / 2 + 4)}">${value === null ? "–" : escaped(short(value))}</text></g>`;
    }),
  );
  const columnNames = columns.map(
    (name, along) =>
      `<text class="mid" x="${px(LEFT + (along + 0.5) * wide)}" y="${px(height - 22)}">${escaped(name)}</text>`,
  );
  const rowNames = rows.map(
    (name, down) =>
      `<text class="end" x="${LEFT - 6}" y="${px(TOP + (down + 0.5) * tall + 4)}">${escaped(name)}</text>`,
  );
  const labels = `<text class="mid" x="${WIDTH / 2}" y="${px(height - 4)}">${escaped(xLabel)}</text><text x="4" y="14">${escaped(yLabel)}</text>`;
  return svg(title, height, [...squares, ...columnNames, ...rowNames, labels]);
}

function drawLine({ points, color, band, isArea = false, name }: Line, across: Scale, up: Scale): string {
  const path = points.map(([x, y]) => `${px(across.at(x))},${px(up.at(y))}`).join(" ");
  const kind = color === null ? "faint" : `l${color % COLORS}`;
  const shape =
    band === undefined
      ? ""
      : `<polygon class="a${(color ?? 0) % COLORS}" points="${bandPath(points, band, across, up)}"/>`;
  const area =
    isArea && points.length > 0
      ? `<polygon class="a${(color ?? 0) % COLORS}" points="${px(across.at(points[0]?.[0] ?? 0))},${px(up.at(0))} ${path} ${px(across.at(points.at(-1)?.[0] ?? 0))},${px(up.at(0))}"/>`
      : "";
  return `${shape}${area}<polyline class="${kind}" points="${path}"><title>${escaped(name)}</title></polyline>`;
}

function bandPath(points: Line["points"], band: NonNullable<Line["band"]>, across: Scale, up: Scale): string {
  const edge = (side: 0 | 1) => points.map(([x], nth) => `${px(across.at(x))},${px(up.at(band[nth]?.[side] ?? 0))}`);
  return [...edge(0), ...edge(1).toReversed()].join(" ");
}

type Axes = {
  readonly xTicks: readonly number[];
  readonly xNames?: readonly string[] | undefined;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly height: number;
};

function grid(across: Scale, up: Scale, { xTicks, xNames, xLabel, yLabel, height }: Axes): string {
  const rows = ticksOf(up, 6).map((tick) => {
    const at = px(up.at(tick));
    const kind = tick === 0 ? "zero" : "grid";
    return `<line class="${kind}" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at}" y2="${at}"/><text class="end" x="${LEFT - 6}" y="${px(up.at(tick) + 4)}">${escaped(short(tick))}</text>`;
  });
  const columns = xTicks.map(
    (tick) =>
      `<text class="mid" x="${px(across.at(tick))}" y="${height - 22}">${escaped(xNames?.[tick] ?? short(tick))}</text>`,
  );
  return `${rows.join("")}${columns.join("")}<text class="mid" x="${WIDTH / 2}" y="${height - 4}">${escaped(xLabel)}</text><text x="4" y="14">${escaped(yLabel)}</text>`;
}

function legend(entries: readonly { readonly name: string; readonly color: number }[]): string {
  let at = LEFT + 120;
  return entries
    .map(({ name, color }) => {
      const mark = `<rect class="b${color % COLORS}" x="${at}" y="6" width="10" height="10"/><text x="${at + 14}" y="15">${escaped(name)}</text>`;
      at += 30 + 7 * name.length;
      return mark;
    })
    .join("");
}

const svg = (title: string, height: number, parts: readonly string[]): string =>
  `<svg viewBox="0 0 ${WIDTH} ${Math.round(height)}" role="img" aria-label="${escaped(title)}">${parts.join("\n")}</svg>`;

/** A tenth of a unit of the picture is finer than a screen. */
const px = (value: number): string => String(Math.round(value * 10) / 10);

/** Three significant digits below a thousand, whole numbers above. */
export const short = (value: number): string =>
  Math.abs(value) >= 1000 ? Math.round(value).toLocaleString("en-US") : String(Number(value.toPrecision(3)));
