// The fleet's page: overall state, nodes, accounts with their leases, takeovers, halt and resume.

import { html } from "./html.js";
import { ActionButton, signs } from "./top.js";
import { badgeOf, durationText, timeText, utcText } from "./words.js";

/**
 * @import { AccountLine, FleetOverview, FleetView, NodeLine, TakeoverLine } from "../fleet.ts"
 */

/** Every account is quoted, and nothing keeps the node from working. @type {(view: FleetView | null) => boolean} */
export const isWell = (view) =>
  view !== null && view.troubles.length === 0 && view.fleet.accounts.every(({ state }) => state === "quoting");

/** `stale`: the age of outdated data, as text; "": it is current. @param {{ readonly view: FleetView; readonly stale: string }} props */
export function FleetPage({ view, stale }) {
  const { fleet } = view;
  const halt = haltText(fleet);
  return html`<${Top} view=${view} stale=${stale} />
    <div class="body">
      <p class=${halt === "" ? "" : "banner"} role="status">${halt}</p>
      ${tiles(fleet)}
      <section class="card"><h3>Accounts</h3>${table(
        "Accounts",
        accountColumns,
        fleet.accounts.map((line) => accountRow(line, view)),
      )}</section>
      <div class="halves">
        <section class="card"><h3>Nodes</h3>${table(
          "Nodes",
          ["node", "state", "accounts", "program"],
          fleet.nodes.map((line) => nodeRow(line, fleet)),
        )}</section>
        <section class="card">
          <h3>Takeovers</h3>
          <ol class="log scrolled" aria-label="Takeovers" tabindex="0">${fleet.takeovers.map(takeover)}</ol>
          ${fleet.takeovers.length === 0 ? html`<p class="soft">none</p>` : null}
        </section>
      </div>
      <footer class="soft">Quoin ${view.version}</footer>
    </div>`;
}

/** @param {{ readonly view: FleetView; readonly stale: string }} props */
function Top({ view: { node, chainId, troubles, fleet }, stale }) {
  const [tone, says] = stateOf(fleet, stale === "" ? troubles : [stale]);
  const badge = badgeOf(chainId, false);
  return html`<header class=${`top ${badge.look}`}>
    <h1>Quoin fleet</h1>
    <strong class=${`badge ${badge.look}`} title=${badge.means}>${badge.word}</strong>
    <span class=${`state ${tone}`} role="status">${signs[tone]} ${says}</span>
    <span class="actions">${orderButtons(fleet)}</span>
    <span class="where"><span>seen from node ${node}</span><span class="chain">${chainId}</span></span>
  </header>`;
}

/** @type {(fleet: FleetOverview, troubles: readonly string[]) => readonly [tone: "good" | "warn" | "bad", says: string]} */
function stateOf({ accounts, nodes }, troubles) {
  if (troubles.length > 0) return ["bad", troubles.join("; ")];
  const quoted = accounts.filter(({ state }) => state === "quoting").length;
  const silent = nodes.filter(({ aliveMs }) => aliveMs <= 0).length;
  const says = `${quoted} of ${accounts.length} accounts quoted`;
  if (silent > 0)
    return [quoted === accounts.length ? "warn" : "bad", `${says}, ${silent} of ${nodes.length} nodes silent`];
  return [quoted === accounts.length ? "good" : "bad", says];
}

/**
 * Only buttons with an effect: both if some accounts are halted and others are not.
 *
 * @type {(fleet: FleetOverview) => readonly unknown[]}
 */
function orderButtons({ order, accounts }) {
  const isHalted = order?.isHalt ?? false;
  const some = (/** @type {string} */ wanted) => accounts.some(({ state }) => state === wanted);
  return [
    !isHalted || some("quoting") ? html`<${ActionButton} key="halt" action="haltFleet">Halt the fleet<//>` : null,
    isHalted || some("halted") ? html`<${ActionButton} key="resume" action="resumeFleet">Resume the fleet<//>` : null,
  ];
}

/** @type {(fleet: FleetOverview) => string} */
const haltText = ({ order, nowMs }) =>
  order === null || !order.isHalt
    ? ""
    : `✗ the fleet is halted since ${durationText(nowMs - order.atMs)}: ${order.reason}`;

/** @type {(fleet: FleetOverview) => unknown} */
function tiles({ accounts, nodes, takeovers, nowMs }) {
  const quoted = accounts.filter(({ state }) => state === "quoting").length;
  const held = accounts.filter(({ node }) => node !== null);
  const alive = nodes.filter(({ aliveMs }) => aliveMs > 0).length;
  const shortest = held.length === 0 ? "—" : `${(Math.min(...held.map(({ leaseMs }) => leaseMs)) / 1000).toFixed(1)} s`;
  const last = takeovers[0];
  const shown = [
    ["Accounts quoted", `${quoted} of ${accounts.length}`, quoted === accounts.length ? "" : "bad"],
    ["Nodes alive", `${alive} of ${nodes.length}`, alive === nodes.length ? "" : "bad"],
    ["Shortest lease left", shortest, ""],
    ["Last takeover", last === undefined ? "none" : `${durationText(nowMs - last.atMs)} ago`, ""],
  ];
  return html`<section aria-label="At a glance">
    <h2 class="tiles-of">The fleet</h2>
    <div class="tiles brief">
      ${shown.map(([name, value, tone]) => html`<div class="tile" key=${name}><h3>${name}</h3><p class=${`figure ${tone}`}>${value}</p></div>`)}
    </div>
  </section>`;
}

const accountColumns = ["account", "state", "node", "since", "lease left", "epoch", "halts"];

/** @type {(line: AccountLine, view: FleetView) => unknown} */
const accountRow = ({ shard, node, epoch, state, sinceMs, leaseMs }, { own, leaseMs: whole, fleet: { nowMs } }) =>
  row(
    shard,
    own[shard] === undefined ? shard : html`<a href=${`account?account=${encodeURIComponent(shard)}`}>${shard}</a>`,
    html`<span class=${state === "quoting" ? "good" : "bad"}>${state === "quoting" ? "✓" : "✗"} ${state}</span>`,
    node ?? "—",
    durationText(nowMs - sinceMs),
    node === null
      ? "—"
      : html`<meter min="0" max=${whole} low=${whole / 4} value=${leaseMs} aria-label=${`lease on account ${shard}`}></meter> ${(leaseMs / 1000).toFixed(1)} s`,
    `${epoch}`,
    (own[shard] ?? []).join(" · ") || "—",
  );

/** @type {(line: NodeLine, fleet: FleetOverview) => unknown} */
function nodeRow({ node, isDraining, unable, program, aliveMs }, { accounts }) {
  const state =
    aliveMs <= 0
      ? `silent for ${durationText(aliveMs)}`
      : isDraining
        ? "draining"
        : unable === null
          ? "alive"
          : `cannot quote: ${unable}`;
  return row(
    node,
    node,
    html`<span class=${state === "alive" ? "good" : "bad"}>${state === "alive" ? "✓" : "✗"} ${state}</span>`,
    `${accounts.filter((line) => line.node === node).length}`,
    program,
  );
}

/** @type {(line: TakeoverLine) => unknown} */
const takeover = ({ account, epoch, node, from, isClean, atMs }) =>
  html`<li key=${`${account}/${epoch}`}>
    <time title=${utcText(atMs)}>${timeText(atMs)}</time>${` account ${account}: ${node} took it${from === null ? ", which nobody held" : isClean ? ` after ${from} gave it up` : ` when the lease of ${from} ended`} (epoch ${epoch})`}
  </li>`;

/** @type {(name: string, columns: readonly string[], rows: readonly unknown[]) => unknown} */
const table = (name, columns, rows) =>
  html`<div class="scrolled" tabindex="0" role="region" aria-label=${`${name}, a table`}>
    <table class="wide fleet" aria-label=${name}>
      <thead><tr>${columns.map((column) => html`<th key=${column} scope="col">${column}</th>`)}</tr></thead>
      <tbody>${rows}</tbody>
    </table>
  </div>`;

/** @type {(key: string, ...cells: readonly unknown[]) => unknown} */
const row = (key, ...cells) => html`<tr key=${key}>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`;
