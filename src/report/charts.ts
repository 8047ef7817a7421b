// Static SVG charts from pure functions, without scripts in the browser. Colors and patterns come from the look, so they follow light, dark
// and print. A legend next to the chart names the lines.

import { escaped } from "./markup.ts";
import { type Scale, scaleOf, ticksOf } from "./scale.ts";

export type Line = {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
  /** Index of its color; null: one of many, drawn faintly. */
  readonly color: number | null;
  /** Interval around the line, for each of its points. */
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

const WIDTH = 560;
const HEIGHT = 230;
const LEFT = 66;
const RIGHT = 24;
const TOP = 24;
const BOTTOM = 40;
export const COLORS = 6;
const GROUPS_NAMED_MAX = 12;
/** Opacity at which the number in a square is still easy to read. */
const DEEPEST = 0.45;

export function lineChart({ title, lines, x, y, height = HEIGHT }: LineChart): string {
  const points = lines.flatMap((line) => line.points);
  const ys = [...points.map((point) => point[1]), ...lines.flatMap(({ band }) => (band ?? []).flat()), 0];
  const across = scaleOf(
    points.map((point) => point[0]),
    [LEFT, WIDTH - RIGHT],
  );
  const up = scaleOf(ys, [height - BOTTOM, TOP]);
  const xTicks = x.names === undefined ? ticksOf(across, 8) : x.names.map((_, nth) => nth);
  const drawn = lines.map((line) => drawLine(line, across, up, x.names !== undefined));
  return svg(title, height, [
    grid(across, up, { xTicks, xNames: x.names, xLabel: x.label, yLabel: y.label, height }),
    ...drawn,
  ]);
}

/** Bars side by side for each group, from zero up or down. `range`: a thin line per group, from its lowest to its highest. */
export function barChart(chart: {
  readonly title: string;
  readonly groups: readonly string[];
  readonly bars: readonly { readonly name: string; readonly values: readonly number[] }[];
  readonly range?: readonly (readonly [low: number, high: number])[];
  readonly yLabel: string;
}): string {
  const { title, groups, bars, range = [], yLabel } = chart;
  const up = scaleOf([0, ...bars.flatMap(({ values }) => values), ...range.flat()], [HEIGHT - BOTTOM, TOP]);
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
  const spans = range.map(([low, high], group) => {
    const at = px(across.at(group));
    return low === high
      ? ""
      : `<line class="span" x1="${at}" x2="${at}" y1="${px(up.at(low))}" y2="${px(up.at(high))}"/>`;
  });
  const every = Math.ceil(groups.length / GROUPS_NAMED_MAX);
  const xTicks = groups.flatMap((_, nth) => (nth % every === 0 ? [nth] : []));
  const names = { xTicks, xNames: groups, xLabel: "", yLabel, height: HEIGHT };
  return svg(title, HEIGHT, [grid(across, up, names), ...rects, ...spans]);
}

/** A point per item, drawn in the given order; `color` null: one of many. The legend names the colors. */
export function scatterChart(chart: {
  readonly title: string;
  readonly points: readonly {
    readonly name: string;
    readonly x: number;
    readonly y: number;
    readonly color: number | null;
  }[];
  readonly xLabel: string;
  readonly yLabel: string;
  /** Names instead of numbers; then each `x` is the index of one. */
  readonly xNames?: readonly string[];
}): string {
  const { title, points, xLabel, yLabel, xNames } = chart;
  const across = scaleOf(xNames === undefined ? points.map(({ x }) => x) : [-0.5, xNames.length - 0.5], [
    LEFT,
    WIDTH - RIGHT,
  ]);
  const up = scaleOf(
    points.map(({ y }) => y),
    [HEIGHT - BOTTOM, TOP],
  );
  const xTicks = xNames === undefined ? ticksOf(across, 8) : xNames.map((_, nth) => nth);
  const dots = points.map(
    ({ name, x, y, color }) =>
      `<circle class="${color === null ? "dot" : `b${color % COLORS}`}" cx="${px(across.at(x))}" cy="${px(up.at(y))}" r="${color === null ? 3 : 5}"><title>${escaped(`${name}: ${short(y)}`)}</title></circle>`,
  );
  return svg(title, HEIGHT, [grid(across, up, { xTicks, xNames, xLabel, yLabel, height: HEIGHT }), ...dots]);
}

/** One square per pair of values, colored from worst to best, with its number. */
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
      const depth = value === null ? 0 : (DEEPEST * Math.abs(value)) / largest;
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

function drawLine(
  { points, color, band, isArea = false, name }: Line,
  across: Scale,
  up: Scale,
  isDotted: boolean,
): string {
  const path = points.map(([x, y]) => `${px(across.at(x))},${px(up.at(y))}`).join(" ");
  const kind = color === null ? "faint" : `l${color % COLORS}`;
  const fill = `a${(color ?? 0) % COLORS}`;
  const shape = band === undefined ? "" : `<polygon class="${fill}" points="${bandPath(points, band, across, up)}"/>`;
  const [first, last] = [points[0]?.[0] ?? 0, points.at(-1)?.[0] ?? 0];
  const zero = px(up.at(0));
  const area = isArea
    ? `<polygon class="${fill}" points="${px(across.at(first))},${zero} ${path} ${px(across.at(last))},${zero}"/>`
    : "";
  const dots = isDotted
    ? points.map(
        ([x, y]) =>
          `<circle class="b${(color ?? 0) % COLORS}" cx="${px(across.at(x))}" cy="${px(up.at(y))}" r="3.5"><title>${escaped(`${name}: ${short(y)}`)}</title></circle>`,
      )
    : [];
  return `${shape}${area}<polyline class="${kind}" points="${path}"><title>${escaped(name)}</title></polyline>${dots.join("")}`;
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

/** Names of the lines with their colors; null: the color is not used. */
export function legend(names: readonly (string | null)[]): string {
  const keys = names.map((name, nth) =>
    name === null ? "" : `<span class="key line-${nth % COLORS}">${escaped(name)}</span>`,
  );
  return `<p class="keys">${keys.filter((key) => key !== "").join(" ")}</p>`;
}

const svg = (title: string, height: number, parts: readonly string[]): string =>
  `<svg class="picture-of" viewBox="0 0 ${WIDTH} ${Math.round(height)}" role="img" aria-label="${escaped(title)}">${parts.join("\n")}</svg>`;

/** A tenth of a picture unit is finer than a screen. */
const px = (value: number): string => String(Math.round(value * 10) / 10);

/** Three significant digits below a thousand, whole numbers above. */
export const short = (value: number): string =>
  (Math.abs(value) >= 1000 ? Math.round(value).toLocaleString("en-US") : String(Number(value.toPrecision(3)))).replace(
    "-",
    "−",
  );
