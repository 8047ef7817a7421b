// Charts over the time of a run: their data in the page, for the script that draws them, and a picture if no script runs.

import { COLORS, type Line, lineChart, short } from "./charts.ts";
import { escaped, signed } from "./markup.ts";

export type TimeLine = {
  readonly name: string;
  readonly pane: number;
  /** Index of its color and pattern; "faint": one of many. */
  readonly look: number | "faint";
  /** One number per moment. */
  readonly values: readonly number[];
  /** Filled to zero. */
  readonly isArea?: boolean;
  /** Holds its value until the next. */
  readonly isStepped?: boolean;
  /** The choice to which it belongs; absent: to all. If not chosen, it is faint or hidden. */
  readonly choice?: number;
  readonly unchosen?: "faint" | "hidden";
};

export type TimeChart = {
  /** Id of the DOM element. */
  readonly id: string;
  readonly title: string;
  readonly panes: readonly { readonly name: string; readonly digits: number; readonly share: number }[];
  /** Minutes since the start, increasing. */
  readonly minutes: readonly number[];
  /** Start in minutes since 1970 (UTC); absent: a backtest run, which begins at a midnight. */
  readonly startMinute?: number;
  readonly lines: readonly TimeLine[];
  readonly choices?: { readonly label: string; readonly names: readonly string[]; readonly chosen: number };
};

/** Points of all lines of a chart together, so that the page stays small with many seeds. */
const POINTS_OF_CHART = 24_000;
const POINTS_OF_PICTURE = 240;
/** Finer than a screen. */
const POINTS_OF_LINE = 1440;
const MINUTES_OF_HOUR = 60;

/**
 * Ends of equal intervals, including the last point: at most as many as a chart with this many lines may have. Keeps only the last point
 * within one minute, because a chart accepts a time once.
 */
export function stretchesOf(hours: readonly number[], lines: number): readonly number[] {
  const most = Math.min(POINTS_OF_LINE, Math.max(2, Math.floor(POINTS_OF_CHART / Math.max(1, lines))));
  const ends = endsOf(hours.length, most);
  return ends.filter((end, nth) => minuteOf(hours, end) !== minuteOf(hours, ends[nth + 1]));
}

function endsOf(points: number, most: number): readonly number[] {
  const every = Math.max(1, Math.ceil(points / most));
  const count = Math.ceil(points / every);
  return Array.from({ length: count }, (_, nth) => points - 1 - (count - 1 - nth) * every);
}

/** The last value of each interval. */
export const lastOf = (ends: readonly number[], values: readonly number[]): readonly number[] =>
  ends.map((end) => shown(values[end] ?? 0));

/** The smallest value of each interval: the deepest drawdown. */
export const leastOf = (ends: readonly number[], values: readonly number[]): readonly number[] =>
  ends.map((end, nth) => shown(Math.min(...values.slice((ends[nth - 1] ?? -1) + 1, end + 1))));

const shown = (value: number): number => Math.round(value * 100) / 100;

export const minutesOf = (ends: readonly number[], hours: readonly number[]): readonly number[] =>
  ends.map((end) => minuteOf(hours, end));

const minuteOf = (hours: readonly number[], at = -1): number => Math.round((hours[at] ?? -1) * MINUTES_OF_HOUR);

/** A card: legend, controls, and the picture in place of the chart. `says`: what is drawn. */
export function timeChart(chart: TimeChart, says: string, below = ""): string {
  const { id, title, panes, lines, choices } = chart;
  const whole = chart.startMinute === undefined ? "run" : "period";
  const chosen = choices?.chosen;
  const legend = lines.map((line, nth) => {
    const isNamed = line.look !== "faint" && (line.choice === undefined || line.choice === chosen);
    const digits = panes[line.pane]?.digits ?? 2;
    return line.look === "faint"
      ? ""
      : `<div data-line="${nth}"${isNamed ? "" : " hidden"}><dt class="key line-${line.look}">${escaped(line.name)}</dt><dd>${escaped(signed(line.values.at(-1) ?? 0, digits))}</dd></div>`;
  });
  const options = (choices?.names ?? []).map(
    (name, nth) => `<option value="${nth}"${nth === chosen ? " selected" : ""}>${escaped(name)}</option>`,
  );
  const choice =
    choices === undefined ? "" : `<label>${escaped(choices.label)} <select>${options.join("")}</select></label>`;
  const drawn = panes.map((pane, nth) => picture(chart, nth, pane.name)).join("\n");
  const spoken = `${title}: ${lines
    .filter(({ look, choice: of }) => look !== "faint" && (of === undefined || of === chosen))
    .map(({ name, values }) => `${name} ${short(values.at(-1) ?? 0)}`)
    .join(", ")} at the end. Arrows pan, plus and minus zoom, End shows the whole ${whole}.`;
  return `<section class="card chart" id="${id}" aria-label="${escaped(title)}">
<div class="card-head"><h3>${escaped(title)}</h3><div class="ranges" role="group" aria-label="Zoom" hidden><button type="button" data-zoom="out" aria-label="zoom out">−</button><button type="button" data-zoom="in" aria-label="zoom in">+</button><button type="button" data-zoom="whole">whole ${whole}</button></div></div>
<p class="soft">${escaped(says)}</p>
<div class="choices" hidden>${choice}</div>
<dl class="legend">${legend.join("")}</dl>
<p class="moment soft">at the end of the ${whole}</p>
<div class="plot"><div class="canvas" role="img" tabindex="0" aria-label="${escaped(spoken)}" hidden></div><div class="picture">${drawn}</div></div>
${below}</section>`;
}

function picture({ title, minutes, lines, choices }: TimeChart, pane: number, name: string): string {
  const ends = endsOf(minutes.length, POINTS_OF_PICTURE);
  const drawn = lines.flatMap((line): readonly Line[] => {
    const isChosen = line.choice === undefined || line.choice === choices?.chosen;
    if (line.pane !== pane || (!isChosen && line.unchosen === "hidden")) return [];
    const values = line.isArea ? leastOf(ends, line.values) : lastOf(ends, line.values);
    return [
      {
        name: line.name,
        points: ends.map((end, nth) => [(minutes[end] ?? 0) / MINUTES_OF_HOUR, values[nth] ?? 0] as const),
        color: line.look === "faint" || !isChosen ? null : line.look % COLORS,
        ...(line.isArea === true && { isArea: true }),
      },
    ];
  });
  return lineChart({
    title: `${title}: ${name}`,
    lines: drawn,
    x: { label: "hours since the start" },
    y: { label: name },
    height: pane === 0 ? 230 : 130,
  });
}

/** Data for the script; escapes `<`, which could end the element. */
export const chartData = (charts: readonly TimeChart[]): string => JSON.stringify(charts).replaceAll("<", "\\u003c");
