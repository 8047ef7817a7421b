// The series of the chart, their styles, and the band between our best bid and ask. Lines differ by pattern as well as by color.

import { BaselineSeries, LineSeries, LineStyle, LineType } from "lightweight-charts";
import { clear, formatted, quiet } from "../../../look/chart-frame.js";

/**
 * @import { CustomData, CustomSeriesOptions, IChartApi, ICustomSeriesPaneRenderer, ICustomSeriesPaneView, ISeriesApi, PaneRendererCustomData, SeriesType, Time } from "lightweight-charts"
 * @import { Colors } from "../../../look/chart-frame.js"
 * @import { Column, Row } from "./chart-data.js"
 * @typedef {CustomData<Time> & { readonly bid?: number | null; readonly ask?: number | null }} BandData
 */

/** @typedef {Parameters<Parameters<Parameters<ICustomSeriesPaneRenderer["draw"]>[0]["useBitmapCoordinateSpace"]>[0]>[0]} Scope */

/**
 * The area between our best bid and best ask; only an edge if one side is missing.
 *
 * @implements {ICustomSeriesPaneView<Time, BandData, CustomSeriesOptions>}
 */
export class Band {
  /** @type {PaneRendererCustomData<Time, BandData> | null} */
  #data = null;
  /** @type {Colors} */
  colors;

  /** @param {Colors} colors */
  constructor(colors) {
    this.colors = colors;
  }

  /** @returns {ICustomSeriesPaneRenderer} */
  renderer() {
    return {
      draw: (target, priceToCoordinate) =>
        target.useBitmapCoordinateSpace((scope) => this.#draw(scope, priceToCoordinate)),
    };
  }

  /** @type {(data: PaneRendererCustomData<Time, BandData>) => void} */
  update(data) {
    this.#data = data;
  }

  /** @type {(row: BandData) => number[]} */
  priceValueBuilder({ bid, ask }) {
    const values = [bid, ask].filter((value) => value !== null && value !== undefined);
    return [Math.min(...values), Math.max(...values), values.reduce((sum, value) => sum + value, 0) / values.length];
  }

  /** @type {(row: BandData | { readonly time: Time }) => row is { readonly time: Time }} */
  isWhitespace = /** @type {(row: BandData | { readonly time: Time }) => row is { readonly time: Time }} */ (
    (row) => ("bid" in row ? (row.bid ?? row.ask ?? null) : null) === null
  );

  /** @returns {CustomSeriesOptions} */
  defaultOptions() {
    return /** @type {CustomSeriesOptions} */ ({ color: this.colors.accent, conflationThresholdFactor: 0 });
  }

  /** @type {(scope: Scope, priceToCoordinate: (price: number) => number | null) => void} */
  #draw({ context, horizontalPixelRatio: across, verticalPixelRatio: down }, priceToCoordinate) {
    const { bars, visibleRange } = this.#data ?? { bars: [], visibleRange: null };
    if (visibleRange === null) return;
    const y = (/** @type {number | null | undefined} */ price) => {
      const at = price === null || price === undefined ? null : priceToCoordinate(price);
      return at === null ? null : at * down;
    };
    // Bars outside the visible range have outdated positions.
    const points = bars.slice(visibleRange.from, visibleRange.to).map((bar) => ({
      at: bar.time,
      x: bar.x * across,
      bid: y(bar.originalData.bid),
      ask: y(bar.originalData.ask),
    }));
    context.lineWidth = Math.max(1, Math.round(across));
    for (const run of runsOf(points, ({ bid, ask }) => bid !== null && ask !== null)) {
      context.beginPath();
      steps(
        context,
        run.map(({ x, ask }) => ({ x, y: ask ?? 0 })),
        true,
      );
      steps(context, run.map(({ x, bid }) => ({ x, y: bid ?? 0 })).reverse(), false);
      context.closePath();
      context.fillStyle = clear(this.colors.accent, 0x1c);
      context.fill();
    }
    for (const [side, color] of /** @type {const} */ ([
      ["bid", this.colors.good],
      ["ask", this.colors.bad],
    ])) {
      context.strokeStyle = clear(color, 0xb0);
      for (const run of runsOf(points, (point) => point[side] !== null)) {
        context.beginPath();
        steps(
          context,
          run.map((point) => ({ x: point.x, y: point[side] ?? 0 })),
          true,
        );
        context.stroke();
      }
    }
  }
}

/**
 * A value holds until the next one: forward, the step is at the next point, backward at its own.
 *
 * @type {(context: CanvasRenderingContext2D, points: readonly { readonly x: number; readonly y: number }[], isForward: boolean) => void}
 */
function steps(context, points, isForward) {
  points.forEach(({ x, y }, at) => {
    const before = points[at - 1];
    if (before !== undefined) context.lineTo(isForward ? x : before.x, isForward ? before.y : y);
    if (before === undefined && isForward) context.moveTo(x, y);
    else context.lineTo(x, y);
  });
}

/**
 * Groups neighboring points that fit.
 *
 * @template {{ readonly at: number }} P
 * @param {readonly P[]} points
 * @param {(point: P) => boolean} fits
 * @returns {readonly (readonly P[])[]}
 */
function runsOf(points, fits) {
  /** @type {P[][]} */
  const runs = [];
  let before = Number.NaN;
  for (const point of points) {
    if (!fits(point)) continue;
    if (point.at === before + 1) runs.at(-1)?.push(point);
    else runs.push([point]);
    before = point.at;
  }
  return runs.filter(({ length }) => length > 1);
}

/**
 * Adds all series. The keys of the result are the columns of a row; `band` has two of them.
 *
 * @typedef {Readonly<Record<"band" | Exclude<Column, "bid" | "ask">, ISeriesApi<SeriesType>>> & { readonly view: Band }} Lines
 * @type {(chart: IChartApi, colors: Colors) => Lines}
 */
export function addSeries(chart, colors) {
  const view = new Band(colors);
  const band = chart.addCustomSeries(view, { ...quiet, ...formatted(2) });
  const line = (/** @type {object} */ options, pane = 0) =>
    chart.addSeries(LineSeries, { ...quiet, lineWidth: 1, ...formatted(2), ...options }, pane);
  const lines = {
    band: /** @type {ISeriesApi<SeriesType>} */ (/** @type {unknown} */ (band)),
    oracle: line({ lineType: LineType.WithSteps, lastValueVisible: true }),
    mid: line({ lineStyle: LineStyle.Dotted }),
    fair: line({ lineWidth: 2, lastValueVisible: true }),
    position: chart.addSeries(
      BaselineSeries,
      { ...quiet, lineWidth: 1, lineType: LineType.WithSteps, lastValueVisible: true, ...formatted(3) },
      1,
    ),
    print: line({ lineStyle: LineStyle.Dashed }, 2),
    shadow: line({ lineStyle: LineStyle.SparseDotted, lineWidth: 2 }, 2),
    pnlMid: line({ lineWidth: 2, lastValueVisible: true }, 2),
  };
  const [prices, position, pnl] = chart.panes();
  prices?.setStretchFactor(5);
  position?.setStretchFactor(1.1);
  pnl?.setStretchFactor(1.5);
  const made = { ...lines, view };
  paint(made, colors);
  return made;
}

/** Names of the panes; the price pane needs none. */
export const paneNames = ["", "POSITION, contracts", "PnL, USDC"];

/** @type {(lines: Lines, colors: Colors) => void} */
export function paint(lines, colors) {
  lines.view.colors = colors;
  lines.band.applyOptions({ color: colors.accent });
  lines.oracle.applyOptions({ color: colors.oracle });
  lines.mid.applyOptions({ color: colors.soft });
  lines.fair.applyOptions({ color: colors.accent });
  lines.print.applyOptions({ color: colors.oracle });
  lines.pnlMid.applyOptions({ color: colors.accent });
  lines.shadow.applyOptions({ color: colors.soft });
  lines.position.applyOptions({
    topLineColor: colors.good,
    topFillColor1: clear(colors.good, 0x40),
    topFillColor2: clear(colors.good, 0x10),
    bottomLineColor: colors.bad,
    bottomFillColor1: clear(colors.bad, 0x10),
    bottomFillColor2: clear(colors.bad, 0x40),
  });
}

/** A row as the point of each series. @type {(row: Row) => Readonly<Record<Exclude<keyof Lines, "view">, object>>} */
export function pointsOf({ time, bid, ask, ...values }) {
  const of = (/** @type {number | null} */ value) => (value === null ? { time } : { time, value });
  const { oracle, mid, fair, position, print, pnlMid, shadow } = values;
  return {
    band: bid === null && ask === null ? { time } : { time, bid, ask },
    oracle: of(oracle),
    mid: of(mid),
    fair: of(fair),
    position: of(position),
    print: of(print),
    pnlMid: of(pnlMid),
    shadow: of(shadow),
  };
}
