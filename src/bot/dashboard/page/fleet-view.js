// The fleet's page as plain data: whether all is well, nodes, accounts with their leases, takeovers, halt and resume.

import { element } from "./dom.js";
import { card } from "./market.js";
import { durationText, timeText } from "./words.js";

/**
 * @import { AccountLine, FleetOverview, FleetView, NodeLine, TakeoverLine } from "../fleet.ts"
 * @import { Part, Tag } from "./dom.js"
 */

/** Every account is quoted, and nothing keeps the node from its work. @type {(view: FleetView | null) => boolean} */
export const isWell = (view) =>
  view !== null && view.troubles.length === 0 && view.fleet.accounts.every(({ state }) => state === "quoting");

/** `stale`: how old what is shown is, in words; "": it is not. @type {(view: FleetView, stale: string) => readonly Part[]} */
export function fleetPage(view, stale) {
  const { fleet } = view;
  return [
    header(view, stale),
    element("p", { class: "bad", role: "status" }, haltText(fleet)),
    card(
      "Accounts",
      table(
        "Accounts",
        accountColumns,
        fleet.accounts.map((line) => accountRow(line, view, fleet)),
      ),
    ),
    element(
      "div",
      { class: "cards" },
      card(
        "Nodes",
        table(
          "Nodes",
          ["node", "state", "accounts", "program"],
          fleet.nodes.map((line) => nodeRow(line, fleet)),
        ),
      ),
      card(
        "Takeovers",
        element("ol", { class: "log", "aria-label": "Takeovers", tabindex: "0" }, ...fleet.takeovers.map(takeover)),
      ),
    ),
  ];
}

/** @type {(view: FleetView, stale: string) => Tag} */
function header({ node, version, chainId, troubles, fleet }, stale) {
  const quoted = fleet.accounts.filter(({ state }) => state === "quoting").length;
  const all = fleet.accounts.length;
  const said = stale !== "" ? stale : troubles.length > 0 ? troubles.join("; ") : `${quoted} of ${all} accounts quoted`;
  const isGood = stale === "" && troubles.length === 0 && quoted === all;
  return element(
    "header",
    {},
    element("h1", {}, "Quoin fleet"),
    element("span", { class: isGood ? "good" : "bad" }, `${isGood ? "✓" : "✗"} ${said}`),
    element("span", { class: "soft" }, `seen from node ${node} · ${chainId} · ${version}`),
    element("span", { class: "actions" }, ...orderButtons(fleet)),
  );
}

/** Only what would change something: both, where some accounts are halted and others are not. @type {(fleet: FleetOverview) => readonly Part[]} */
function orderButtons({ order, accounts }) {
  const isHalted = order?.isHalt ?? false;
  const some = (/** @type {string} */ wanted) => accounts.some(({ state }) => state === wanted);
  return [
    ...(!isHalted || some("quoting") ? [orderButton("haltFleet", "Halt the fleet"), " "] : []),
    ...(isHalted || some("halted") ? [orderButton("resumeFleet", "Resume the fleet")] : []),
  ];
}

/** @type {(action: string, name: string) => Tag} */
const orderButton = (action, name) => element("button", { type: "button", "data-action": action }, name);

/** @type {(fleet: FleetOverview) => string} */
const haltText = ({ order, nowMs }) =>
  order === null || !order.isHalt
    ? ""
    : `✗ the fleet is halted since ${durationText(nowMs - order.atMs)}: ${order.reason}`;

const accountColumns = ["account", "state", "node", "since", "lease left", "epoch", "halts"];

/** @type {(line: AccountLine, view: FleetView, fleet: FleetOverview) => Tag} */
const accountRow = ({ shard, node, epoch, state, sinceMs, leaseMs }, { own, leaseMs: whole }, { nowMs }) =>
  row(
    shard,
    own[shard] === undefined ? shard : element("a", { href: `account?account=${encodeURIComponent(shard)}` }, shard),
    element("span", { class: state === "quoting" ? "good" : "bad" }, `${state === "quoting" ? "✓" : "✗"} ${state}`),
    node ?? "—",
    durationText(nowMs - sinceMs),
    node === null
      ? "—"
      : element(
          "span",
          {},
          element("meter", {
            min: "0",
            max: `${whole}`,
            low: `${whole / 4}`,
            value: `${leaseMs}`,
            "aria-label": `lease on account ${shard}`,
          }),
          ` ${(leaseMs / 1000).toFixed(1)} s`,
        ),
    `${epoch}`,
    (own[shard] ?? []).join(" · ") || "—",
  );

/** @type {(line: NodeLine, fleet: FleetOverview) => Tag} */
function nodeRow({ node, isDraining, program, aliveMs }, { accounts }) {
  const state = aliveMs <= 0 ? `silent for ${durationText(aliveMs)}` : isDraining ? "draining" : "alive";
  return row(
    node,
    node,
    element("span", { class: state === "alive" ? "good" : "bad" }, `${state === "alive" ? "✓" : "✗"} ${state}`),
    `${accounts.filter((line) => line.node === node).length}`,
    program,
  );
}

/** @type {(line: TakeoverLine) => Tag} */
const takeover = ({ account, epoch, node, from, isClean, atMs }) =>
  element(
    "li",
    { "data-key": `${account}/${epoch}` },
    element("time", {}, timeText(atMs)),
    ` account ${account}: ${node} took it${from === null ? ", which nobody held" : isClean ? ` after ${from} gave it up` : ` when the lease of ${from} ended`} (epoch ${epoch})`,
  );

/** @type {(name: string, columns: readonly string[], rows: readonly Tag[]) => Tag} */
const table = (name, columns, rows) =>
  element(
    "table",
    { class: "fleet", "aria-label": name },
    element("tr", {}, ...columns.map((column) => element("th", { scope: "col" }, column))),
    ...rows,
  );

/** @type {(key: string, ...cells: readonly Part[]) => Tag} */
const row = (key, ...cells) => element("tr", { "data-key": key }, ...cells.map((cell) => element("td", {}, cell)));
