// The trading chart of a market: prices with our quotes as a band and fills, position and PnL below on the same time axis. A label
// describes the canvas for screen readers.

import { useEffect, useRef, useState } from "preact/hooks";
import { ChartCanvas } from "./chart-canvas.js";
import { ranges, rowsOf } from "./chart-data.js";
import { html } from "./html.js";
import { FILLS_MAX } from "./stream.js";
import { decimal, momentText, signed, timeText, utcText } from "./words.js";

/**
 * @import { Looked } from "./chart-canvas.js"
 * @import { Range, Row } from "./chart-data.js"
 * @import { State } from "./stream.js"
 */

const LATELY_MS = 60_000;

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

/** The time of the oldest marked fill, if older ones are no longer kept. @type {(state: State) => string} */
const knownSince = ({ fills, status }) =>
  fills.length < FILLS_MAX ? "" : ` since ${momentText(fills[0]?.atMs ?? 0, status.nowMs)}`;

/** How to use the canvas. */
const moves = /** @type {const} */ ([
  ["zoom", "wheel, two fingers, + and −"],
  ["pan", "drag, ← and →"],
  ["back to now", "End, or a range"],
  ["values of a moment", "point at it"],
  ["fills of an arrow", "point at it"],
]);

/** @param {{ readonly state: State; readonly place: string; readonly name: string }} props */
export function Chart({ state, place, name }) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const drawn = useRef(/** @type {ChartCanvas | null} */ (null));
  const [range, setRange] = useState(/** @type {Range} */ (ranges[1]));
  const [looked, setLooked] = useState(/** @type {Looked | null} */ (null));
  useEffect(() => {
    if (box.current === null) return undefined;
    const made = new ChartCanvas(box.current, setLooked);
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
      <p class="moment soft">${row === null || looked === null ? "now" : `${timeText(row.time * 1000)} · ${utcText(row.time * 1000)}`} · ▲ bought ▼ sold${knownSince(state)}</p>
      <div class="ranges" role="group" aria-label="Range">
        ${ranges.map(
          (each) =>
            html`<button key=${each.name} type="button" aria-pressed=${`${each === range}`} onClick=${choose(each)}>${each.name}</button>`,
        )}
      </div>
      <details class="menu help">
        <summary aria-label="How to move the chart" title="How to move the chart">?</summary>
        <div><table><tbody>${moves.map(([what, how]) => html`<tr key=${what}><th scope="row">${what}</th><td>${how}</td></tr>`)}</tbody></table></div>
      </details>
    </div>
    <div class="plot">
      <div class="canvas" ref=${box} role="img" tabindex="0"
        aria-label=${`Prices, position and PnL of ${name}: ${label.join(", ")}. Arrows pan, plus and minus zoom, End follows.`}></div>
      ${looked === null ? null : tip(looked)}
    </div>
  </section>`;
}
