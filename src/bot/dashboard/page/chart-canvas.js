// The canvas of the trading chart: one chart of the library, updated to each state of the page.

import { createSeriesMarkers, TickMarkType } from "lightweight-charts";
import { colorsNow, frameOf } from "../../../look/chart-frame.js";
import { clustersOf, rowsMax, rowsOf } from "./chart-data.js";
import { addSeries, paint, paneNames, pointsOf } from "./chart-series.js";
import { dayText, timeText } from "./words.js";

/**
 * @import { ISeriesMarkersPluginApi, MouseEventParams, Time, UTCTimestamp } from "lightweight-charts"
 * @import { Frame } from "../../../look/chart-frame.js"
 * @import { Cluster, Range, Row } from "./chart-data.js"
 * @import { Lines } from "./chart-series.js"
 * @import { State } from "./stream.js"
 * @typedef {{ readonly row: Row | null; readonly cluster: Cluster | null; readonly x: number; readonly y: number; readonly isLeft: boolean }} Looked
 */

/** Fills closer than this would overlap. */
const MARK_PIXELS = 18;
const MARK_SIZE = 14;
/** Pixels of a marker of size 1 in the library, by the width of a row. */
const MARK_SIZES = { least: 12, most: 30 };
const ROWS_SHOWN_MIN = 30;
const LOOK_AHEAD_ROWS = 4;

/** The library has no time zones: it gets local times, so that days and hours on its axis start at the reader's. */
const ZONE_SEC = -60 * new Date().getTimezoneOffset();
/** @type {(sec: number) => UTCTimestamp} */
const toAxis = (sec) => /** @type {UTCTimestamp} */ (sec + ZONE_SEC);
/** @type {(time: Time) => number} */
const fromAxis = (time) => Number(time) - ZONE_SEC;

/** Local time; a date at the start of a day, seconds if ticks are that close. @type {(time: Time, kind: TickMarkType) => string} */
function tickText(time, kind) {
  const atMs = fromAxis(time) * 1000;
  if (kind !== TickMarkType.Time && kind !== TickMarkType.TimeWithSeconds) return dayText(atMs);
  return timeText(atMs).replace(/:00$/, "");
}

export class ChartCanvas {
  /** @type {Frame} */ #frame;
  /** @type {Lines} */ #lines;
  /** @type {ISeriesMarkersPluginApi<Time>} */ #markers;
  /** @type {Map<number, Row>} */ #rows = new Map();
  /** @type {ReadonlyMap<string, Cluster>} */ #clusters = new Map();
  /** @type {{ readonly state: State; readonly place: string; readonly range: Range } | null} */ #shown = null;
  #isFollowing = true;
  #marked = "";
  #lastTime = 0;

  /** @param {HTMLElement} box @param {(looked: Looked | null) => void} onLook */
  constructor(box, onLook) {
    const options = {
      localization: { timeFormatter: (/** @type {Time} */ time) => timeText(fromAxis(time) * 1000) },
      timeScale: { tickMarkFormatter: tickText, rightOffset: LOOK_AHEAD_ROWS },
    };
    this.#frame = frameOf(box, options, paneNames, {
      dressed: (colors) => {
        paint(this.#lines, colors);
        this.#marked = "";
        this.#mark();
      },
      moved: () => {
        this.#isFollowing = false;
      },
      follow: () => this.follow(),
    });
    const { chart } = this.#frame;
    this.#lines = addSeries(chart, colorsNow());
    this.#markers = createSeriesMarkers(this.#lines.fair, [], { autoScale: false });
    this.#frame.dress();
    chart.subscribeCrosshairMove((event) => onLook(this.#lookedAt(event)));
    chart.timeScale().subscribeVisibleLogicalRangeChange(() => this.#mark());
    // The library keeps the width of a row, not the range.
    chart.timeScale().subscribeSizeChange(() => this.#isFollowing && this.follow());
  }

  /** @type {(event: MouseEventParams<Time>) => Looked | null} */
  #lookedAt({ time, point, hoveredInfo, hoveredObjectId }) {
    if (point === undefined || time === undefined) return null;
    const id = `${hoveredInfo?.objectId ?? hoveredObjectId ?? ""}`;
    const row = this.#rows.get(fromAxis(time)) ?? null;
    return {
      row,
      cluster: this.#clusters.get(id) ?? null,
      ...point,
      isLeft: 2 * point.x < this.#frame.chart.timeScale().width(),
    };
  }

  /** Shows the end of the range, and keeps following it until the reader pans or zooms. */
  follow() {
    this.#isFollowing = true;
    if (this.#shown === null) return;
    const { spanMs, stepMs } = this.#shown.range;
    const wanted = Math.max(ROWS_SHOWN_MIN, Math.min(this.#rows.size, spanMs / stepMs));
    const to = this.#rows.size - 1 + Math.max(1, wanted * 0.02);
    this.#frame.chart.timeScale().setVisibleLogicalRange({ from: this.#rows.size - wanted, to });
  }

  /** @type {(state: State, place: string, range: Range) => void} */
  show(state, place, range) {
    const before = this.#shown;
    this.#shown = { state, place, range };
    const isSame =
      before?.place === place &&
      before.range.stepMs === range.stepMs &&
      before.state.snapshots === state.snapshots &&
      // If the clock was set back, the chart starts again from the history.
      state.status.nowMs >= this.#lastTime * 1000 &&
      this.#rows.size < 1.25 * rowsMax(range.stepMs) + 10;
    const news = rowsOf(state, place, range.stepMs, isSame ? this.#lastTime * 1000 : 0);
    if (!isSame) this.#rows.clear();
    for (const row of news) this.#rows.set(row.time, row);
    const length = this.#rows.size;
    const points = news.map((row) => pointsOf({ ...row, time: toAxis(row.time) }));
    for (const name of /** @type {const} */ ([
      "band",
      "oracle",
      "mid",
      "fair",
      "position",
      "print",
      "pnlMid",
      "shadow",
    ])) {
      const data = /** @type {{ time: UTCTimestamp }[]} */ (points.map((point) => point[name]));
      if (isSame) for (const point of data) this.#lines[name].update(point);
      else this.#lines[name].setData(data);
    }
    const isNewRow = (news.at(-1)?.time ?? 0) > this.#lastTime;
    this.#lastTime = news.at(-1)?.time ?? 0;
    if (!isSame || before?.range !== range) this.follow();
    else if (isNewRow && this.#isFollowing && length > 0) this.follow();
    this.#mark();
  }

  /** Fills as markers, merged by their distance at this zoom. */
  #mark() {
    if (this.#shown === null) return;
    const { state, place, range } = this.#shown;
    const spacing = this.#frame.chart.timeScale().options().barSpacing;
    const width = Math.max(1, Math.ceil(MARK_PIXELS / spacing));
    // The library scales a marker with the rows; here it keeps its size.
    const scale = MARK_SIZE / Math.min(MARK_SIZES.most, Math.max(MARK_SIZES.least, spacing));
    const name = `${place} ${range.stepMs} ${width} ${scale.toFixed(1)} ${state.fills.at(-1)?.fill.key} ${state.fills.length} ${this.#rows.size}`;
    if (name === this.#marked) return;
    this.#marked = name;
    const since = this.#rows.keys().next().value ?? 0;
    const clusters = clustersOf(state.fills, place, range.stepMs, width, since);
    this.#clusters = new Map(clusters.map((cluster) => [cluster.id, cluster]));
    const { good, bad } = colorsNow();
    this.#markers.setMarkers(
      clusters.map(({ id, time, isBuy, count, price }) => ({
        id,
        time: toAxis(time),
        price,
        position: isBuy ? "atPriceBottom" : "atPriceTop",
        shape: isBuy ? "arrowUp" : "arrowDown",
        color: isBuy ? good : bad,
        size: scale * Math.min(1.6, 0.8 + Math.log10(count) / 2),
        ...(count > 1 && { text: `${count}` }),
      })),
    );
  }

  remove() {
    this.#frame.remove();
  }
}
