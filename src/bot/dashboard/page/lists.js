// Events, newest first: fills of all markets; decisions and denials as sentences with a filter; and the gates.

import { useState } from "preact/hooks";
import { html } from "./html.js";
import { decimal, momentText, plain, signed, timeText, toneOf, utcText } from "./words.js";

/**
 * @import { GateLine, MarketStatus, Status } from "../status.ts"
 * @import { Filled, Note, State } from "./stream.js"
 */

const FILLS_SHOWN = 100;
const NOTES_SHOWN = 150;
const fillColumns = [
  "time",
  "account",
  "market",
  "side",
  "liquidity",
  "price",
  "size",
  "fee, USDC",
  "realized PnL, USDC",
];

/**
 * Rebuilt for each update: a kept element would keep preact's whole tree at that time.
 *
 * @type {(fills: readonly Filled[], status: Status) => readonly unknown[]}
 */
function fillRows(fills, { accounts, nowMs }) {
  /** @type {ReadonlyMap<string, string>} */
  const names = new Map(
    accounts.flatMap(({ accountId, markets }) =>
      markets.map(({ marketId, name }) => /** @type {[string, string]} */ ([`${accountId}/${marketId}`, name])),
    ),
  );
  return fills
    .slice(-FILLS_SHOWN)
    .toReversed()
    .map(
      ({ atMs, place, fill }) => html`<tr key=${fill.key}>
        <td title=${utcText(atMs)}>${momentText(atMs, nowMs)}</td>
        <td>${place.split("/")[0]}</td>
        <td>${names.get(place) ?? place}</td>
        <td class=${fill.side === "buy" ? "good" : "bad"}>${fill.side === "buy" ? "▲ buy" : "▼ sell"}</td>
        <td>${fill.liquidity ?? ""}</td>
        <td>${decimal(fill.price)}</td>
        <td>${decimal(fill.size, 3)}</td>
        <td>${decimal(fill.fee, 4)}</td>
        <td class=${toneOf(fill.realizedPnl)}>${signed(fill.realizedPnl, 4)}</td>
      </tr>`,
    );
}

/** @param {{ readonly state: State }} props */
export const Blotter = ({ state: { fills, status } }) =>
  html`<section class="card fills">
    <h3>Fills</h3>
    <div class="scrolled" tabindex="0" role="region" aria-label="Fills">
      <table class="wide">
        <thead><tr>${fillColumns.map((name) => html`<th key=${name} scope="col">${name}</th>`)}</tr></thead>
        <tbody>${fillRows(fills, status)}</tbody>
      </table>
      ${fills.length === 0 ? html`<p class="soft">none yet</p>` : null}
    </div>
  </section>`;

/** Subjects of the sentences of notes.ts. */
const kinds = /** @type {const} */ ([
  ["all", () => true],
  ["quoting", (/** @type {string} */ text) => / (bid|ask): /.test(text)],
  ["halts", (/** @type {string} */ text) => /: (latch|lifted) /.test(text)],
  ["changes", (/** @type {string} */ text) => /quoted by |^The daemon /.test(text)],
]);

/** @type {(notes: readonly Note[], kind: string, words: string) => readonly Note[]} */
export function filtered(notes, kind, words) {
  const fits = kinds.find(([name]) => name === kind)?.[1] ?? (() => true);
  const wanted = words.trim().toLowerCase();
  return notes.filter(({ text }) => fits(text) && text.toLowerCase().includes(wanted));
}

/** @type {(note: Note, nowMs: number) => unknown} */
const noteItem = ({ atMs, text }, nowMs) =>
  html`<li key=${`${atMs} ${text}`}><time title=${utcText(atMs)}>${momentText(atMs, nowMs)}</time> ${text}</li>`;

/** @param {{ readonly state: State }} props */
export function Log({ state: { notes, status } }) {
  const [kind, setKind] = useState("all");
  const [words, setWords] = useState("");
  const found = filtered(notes, kind, words);
  return html`<section class="card decisions">
    <div class="card-head">
      <h3>Decisions and denials</h3>
      <div class="ranges" role="group" aria-label="Kind">
        ${kinds.map(([name]) => html`<button key=${name} type="button" aria-pressed=${`${name === kind}`} onClick=${() => setKind(name)}>${name}</button>`)}
      </div>
      <input type="search" placeholder="filter" aria-label="Filter decisions by words" value=${words}
        onInput=${(/** @type {Event} */ { target }) => setWords(/** @type {HTMLInputElement} */ (target).value)} />
    </div>
    <ol class="log scrolled" aria-label="Decisions and denials" tabindex="0">
      ${found
        .slice(-NOTES_SHOWN)
        .toReversed()
        .map((note) => noteItem(note, status.nowMs))}
    </ol>
    ${found.length === 0 ? html`<p class="soft">${notes.length === 0 ? "nothing has changed yet" : "nothing fits the filter"}</p>` : null}
  </section>`;
}

/** Open gates have other names: "halted: open" would read as its opposite. @type {Readonly<Record<string, string>>} */
const openNames = { halted: "not halted", reducing: "not reducing" };

/** @type {(gate: GateLine, since: string) => unknown} */
const gateItem = ({ gate, open, reason }, since) =>
  html`<li key=${gate} class=${open ? "good" : "bad"}>${open ? `✓ ${openNames[gate] ?? plain(gate)}` : `✗ ${reason ?? plain(gate)}`}<small> since ${since}</small></li>`;

/** @param {{ readonly market: MarketStatus; readonly place: string; readonly state: State }} props */
export function Gates({ market: { gates }, place, state: { since } }) {
  const closed = gates.filter(({ open }) => !open);
  const open = gates.filter((gate) => gate.open);
  const item = (/** @type {GateLine} */ gate) => gateItem(gate, timeText(since[`${place}/${gate.gate}`] ?? 0));
  return html`<section class=${`card ${closed.length > 0 ? "alarm" : ""}`} aria-label="Gates">
    <h3>${closed.length === 0 ? "Gates" : `Gates: ${closed.length} of ${gates.length} closed`}</h3>
    ${closed.length === 0 ? null : html`<ul class="gates">${closed.map(item)}</ul>`}
    <details>
      <summary class=${closed.length === 0 ? "good" : "soft"}>${closed.length === 0 ? `✓ all ${gates.length} open` : `the other ${open.length} are open`}</summary>
      <ul class="gates">${open.map(item)}</ul>
    </details>
  </section>`;
}
