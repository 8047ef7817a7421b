// PnL as bars from zero: by day at the print and at the mid, and by source.

import { html } from "./html.js";
import { decimal, signed, toneOf } from "./words.js";

/**
 * @import { DayBar } from "../detail.ts"
 * @import { PnlLine } from "../status.ts"
 */

const [WIDTH, HEIGHT, RIGHT, BOTTOM] = [360, 130, 46, 18];

/** @param {{ readonly days: readonly DayBar[] }} props */
export function DayBars({ days }) {
  if (days.length === 0) return html`<p class="soft">no day yet</p>`;
  const values = days.flatMap(({ print, mid }) => [print, mid]);
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const y = (/** @type {number} */ value) => ((high - value) / (high - low || 1)) * (HEIGHT - BOTTOM - 12) + 6;
  const step = Math.min(60, (WIDTH - RIGHT) / days.length);
  const named = Math.ceil(days.length / 5);
  const width = Math.min(step * 0.38, 18);
  const last = days.at(-1);
  const label = `PnL by day, the last ${last?.date}: ${signed(last?.print)} at print, ${signed(last?.mid)} at mid`;
  const bar = (
    /** @type {number} */ left,
    /** @type {string} */ look,
    /** @type {number} */ value,
    /** @type {string} */ words,
  ) =>
    html`<path class=${`bar ${look}`} d=${`M${left.toFixed(1)} ${y(0).toFixed(1)}h${width.toFixed(1)}V${y(value).toFixed(1)}h${(-width).toFixed(1)}Z`}><title>${words}</title></path>`;
  return html`<svg class="bars" viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label=${label}>
    ${[...new Set([low, 0, high])].map(
      (value) =>
        html`<g key=${value}><line class="grid" x1="0" x2=${WIDTH - RIGHT} y1=${y(value)} y2=${y(value)} /><text x=${WIDTH - RIGHT + 4} y=${y(value) + 4}>${decimal(value, 1)}</text></g>`,
    )}
    ${days.map(({ date, print, mid }, at) => {
      const left = at * step + (step - 2 * width) / 2;
      return html`<g key=${date}>
        ${bar(left, "mid", mid, `${date}: ${signed(mid)} at mid`)}
        ${bar(left + width, "print", print, `${date}: ${signed(print)} at print`)}
        ${(days.length - 1 - at) % named === 0 ? html`<text class="centered" x=${at * step + step / 2} y=${HEIGHT - 3}>${date.slice(5)}</text>` : null}
      </g>`;
    })}
  </svg>
  <p class="keys soft"><span class="key mid-bar">at mid</span> <span class="key print-bar">at print</span></p>`;
}

/** @type {readonly Exclude<keyof PnlLine, "valuation" | "total">[]} */
const sources = ["spread", "inventory", "jump", "funding", "fees"];

/** @param {{ readonly pnl: PnlLine; readonly pnlAtMid: PnlLine }} props */
export function SourceTable({ pnl, pnlAtMid }) {
  const most = Math.max(1e-9, ...sources.flatMap((source) => [Math.abs(pnl[source]), Math.abs(pnlAtMid[source])]));
  const bar = (/** @type {number} */ value) => {
    const share = (50 * Math.abs(value)) / most;
    return html`<span class=${`diverging ${toneOf(value)}`} aria-hidden="true"><i style=${{ left: `${value < 0 ? 50 - share : 50}%`, width: `${share}%` }}></i></span>`;
  };
  const cells = (/** @type {number} */ print, /** @type {number} */ mid) =>
    [mid, print].map((value) => html`<td class=${toneOf(value)}>${signed(value)}</td>`);
  return html`<table class="sources">
    <thead><tr><th scope="col">source</th><td></td><th scope="col">at mid</th><th scope="col">at print</th></tr></thead>
    <tbody>
      ${sources.map((source) => html`<tr key=${source}><th scope="row">${source}</th><td>${bar(pnlAtMid[source])}</td>${cells(pnl[source], pnlAtMid[source])}</tr>`)}
      <tr class="sum"><th scope="row">total</th><td></td>${cells(pnl.total, pnlAtMid.total)}</tr>
    </tbody>
  </table>`;
}
