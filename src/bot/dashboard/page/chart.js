// The trading chart of a market: prices with our quotes as a band and fills, position and PnL below on the same time axis. It draws itself on
// a canvas; what a reader cannot see of it stands in its label.

import { createSeriesMarkers, TickMarkType } from "lightweight-charts";
import { useEffect, useRef, useState } from "preact/hooks";
import { colorsNow, frameOf } from "../../../look/chart-frame.js";
import { clustersOf, ranges, rowsMax, rowsOf } from "./chart-data.js";
import { addSeries, paint, paneNames, pointsOf } from "./chart-series.js";
import { html } from "./html.js";
import { decimal, signed, timeText, utcText } from "./words.js";

/**
 * @import { ISeriesMarkersPluginApi, MouseEventParams, Time, UTCTimestamp } from "lightweight-charts"
 * @import { Frame } from "../../../look/chart-frame.js"
 * @import { Cluster, Range, Row } from "./chart-data.js"
 * @import { Lines } from "./chart-series.js"
 * @import { State } from "./stream.js"
 * @typedef {{ readonly row: Row | null; readonly cluster: Cluster | null; readonly x: number; readonly y: number; readonly isLeft: boolean }} Looked
 */

/** Fills closer than this would cover each other. */
const MARK_PIXELS = 18;
const MARK_SIZE = 14;
/** Pixels that the library takes for a marker of size 1, by the width of a row. */
const MARK_SIZES = { least: 12, most: 30 };
const ROWS_SHOWN_MIN = 30;
const LOOK_AHEAD_ROWS = 4;
const LATELY_MS = 60_000;

/** Local time; a day where one begins, seconds where ticks are that near. @type {(time: Time, kind: TickMarkType) => string} */
function tickText(time, kind) {
  const at = new Date(Number(time) * 1000);
  if (kind === TickMarkType.TimeWithSeconds || at.getSeconds() > 0) return timeText(Number(time) * 1000);
  return at.getHours() + at.getMinutes() + at.getSeconds() === 0
    ? at.toLocaleDateString("en-GB", { day: "numeric", month: "short" })
    : at.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
}

/** What lies outside of preact: one chart, brought to each state of the page. */
class Drawn {
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
      localization: { timeFormatter: (/** @type {Time} */ time) => timeText(Number(time) * 1000) },
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
  }

  /** @type {(event: MouseEventParams<Time>) => Looked | null} */
  #lookedAt({ time, point, hoveredInfo, hoveredObjectId }) {
    if (point === undefined || time === undefined) return null;
    const id = `${hoveredInfo?.objectId ?? hoveredObjectId ?? ""}`;
    const row = this.#rows.get(Number(time)) ?? null;
    return {
      row,
      cluster: this.#clusters.get(id) ?? null,
      ...point,
      isLeft: 2 * point.x < this.#frame.chart.timeScale().width(),
    };
  }

  /** Shows the end of the range, and keeps doing so until somebody pans or zooms. */
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
      // A clock that was set back begins the chart from its history.
      state.status.nowMs >= this.#lastTime * 1000 &&
      this.#rows.size < 1.25 * rowsMax(range.stepMs) + 10;
    const news = rowsOf(state, place, range.stepMs, isSame ? this.#lastTime * 1000 : 0);
    if (!isSame) this.#rows.clear();
    for (const row of news) this.#rows.set(row.time, row);
    const length = this.#rows.size;
    const points = news.map(pointsOf);
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

  /** Fills as markers, merged by how close they are at this zoom. */
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
        time: /** @type {UTCTimestamp} */ (time),
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

/** @type {readonly (readonly [name: string, key: string, look: string, text: (row: Row) => string])[]} */
const legend = [
  ["fair value", "fair", "fair", ({ fair }) => decimal(fair)],
  ["mid", "mid", "mid", ({ mid }) => decimal(mid)],
  ["oracle", "oracle", "oracle", ({ oracle }) => decimal(oracle)],
  ["our quotes", "bid", "band", ({ bid, ask }) => `${decimal(bid)} / ${decimal(ask)}`],
  ["position", "position", "position", ({ position }) => signed(position, 3)],
  ["PnL at mid", "pnlMid", "fair", ({ pnlMid }) => signed(pnlMid)],
  ["at print", "print", "print", ({ print }) => signed(print)],
  ["shadow from its start", "shadow", "shadow", ({ shadow }) => signed(shadow)],
];

/** @type {(row: Row | null, hasShadow: boolean) => readonly (readonly [name: string, look: string, text: string])[]} */
const legendOf = (row, hasShadow) =>
  legend.flatMap(([name, key, look, text]) =>
    key === "shadow" && !hasShadow ? [] : [[name, look, row === null ? "—" : text(row)]],
  );

/** @type {(looked: Looked) => unknown} */
const tip = ({ cluster, x, y, isLeft }) =>
  cluster === null
    ? null
    : html`<div class=${`tip ${isLeft ? "" : "before"}`} style=${{ left: `${x}px`, top: `${y}px` }}>
        <strong class=${cluster.isBuy ? "good" : "bad"}>${cluster.isBuy ? "▲ bought" : "▼ sold"} ${decimal(cluster.size, 3)}</strong>
        <span> at ${decimal(cluster.price)}${cluster.count > 1 ? ` on average, in ${cluster.count} fills` : ""}</span>
      </div>`;

/** @param {{ readonly state: State; readonly place: string; readonly name: string }} props */
export function Chart({ state, place, name }) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const drawn = useRef(/** @type {Drawn | null} */ (null));
  const [range, setRange] = useState(/** @type {Range} */ (ranges[1]));
  const [looked, setLooked] = useState(/** @type {Looked | null} */ (null));
  useEffect(() => {
    if (box.current === null) return undefined;
    const made = new Drawn(box.current, setLooked);
    drawn.current = made;
    return () => made.remove();
  }, []);
  useEffect(() => drawn.current?.show(state, place, range), [state, place, range]);
  const last = rowsOf(state, place, 10_000, state.status.nowMs - LATELY_MS).at(-1) ?? null;
  const row = looked?.row ?? last;
  const hasShadow = (last?.shadow ?? null) !== null;
  const values = legendOf(row, hasShadow);
  const label = legendOf(last, hasShadow).map(([what, , text]) => `${what} ${text}`);
  const choose = (/** @type {Range} */ wanted) => () => {
    setRange(wanted);
    drawn.current?.follow();
  };
  return html`<section class="card chart" aria-label=${`Chart of ${name}`}>
    <dl class="legend">
      ${values.map(([what, look, text]) => html`<div key=${what}><dt class=${`key ${look}`}>${what}</dt><dd>${text}</dd></div>`)}
    </dl>
    <div class="chart-head">
      <p class="moment soft">${row === null || looked === null ? "now" : `${timeText(row.time * 1000)} · ${utcText(row.time * 1000)}`} · ▲ bought ▼ sold</p>
      <div class="ranges" role="group" aria-label="Range">
        ${ranges.map(
          (each) =>
            html`<button key=${each.name} type="button" aria-pressed=${`${each === range}`} onClick=${choose(each)}>${each.name}</button>`,
        )}
      </div>
    </div>
    <div class="plot">
      <div class="canvas" ref=${box} role="img" tabindex="0"
        aria-label=${`Prices, position and PnL of ${name}: ${label.join(", ")}. Arrows pan, plus and minus zoom, End follows.`}></div>
      ${looked === null ? null : tip(looked)}
    </div>
  </section>`;
}
