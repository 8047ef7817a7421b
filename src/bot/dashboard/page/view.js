// The whole page as plain data: the daemon, its accounts, a row for each market, the market that is chosen in full, and the log.

import { bars } from "./chart.js";
import { element } from "./dom.js";
import { card, fact, heads, lacksText, marketSection } from "./market.js";
import { riskCard } from "./risk.js";
import { decimal, durationText, signed, timeText, toneOf } from "./words.js";

/**
 * @import { AccountDetail } from "../detail.ts"
 * @import { AccountStatus, Status } from "../status.ts"
 * @import { Part, Tag } from "./dom.js"
 * @import { Answer } from "./risk.js"
 * @import { State } from "./stream.js"
 */

/** @type {(status: Status) => string} */
const clockText = ({ chainTimeOffsetMs }) => (chainTimeOffsetMs === null ? "—" : `${Math.round(chainTimeOffsetMs)} ms`);

/** What is said above everything: whether the daemon can trade. `stale`: how old what is shown is, in words; "": it is not. */
/** @type {(status: Status, stale: string) => Tag} */
export const header = (status, stale) =>
  element(
    "header",
    {},
    element("h1", {}, "Quoin"),
    stale !== ""
      ? element("span", { class: "bad" }, `✗ ${stale}`)
      : status.reasons.length === 0
        ? element("span", { class: "good" }, "✓ ready")
        : element("span", { class: "bad" }, `✗ not ready: ${status.reasons.join("; ")}`),
    element(
      "span",
      { class: "soft" },
      [
        status.phase,
        status.chainId,
        `height ${status.height ?? "—"}`,
        `clock ${clockText(status)}`,
        `config ${status.config}`,
        status.version,
        `up ${durationText(status.nowMs - status.startedAtMs)}`,
      ].join(" · "),
    ),
    element(
      "span",
      { class: "actions" },
      element("button", { type: "button", "data-action": "halt" }, "Halt everything"),
      " ",
      element("button", { type: "button", "data-action": "resumeAll" }, "Resume everything"),
      " ",
      element("button", { type: "button", "data-action": "flatten" }, "Flatten"),
    ),
  );

/** @type {(account: AccountStatus, detail: AccountDetail | undefined) => Tag} */
const accountCard = (
  { accountId, isPaper, equityUsdc, equityAtMidUsdc, marginRatio, latches, agentKeyExpiresAtSec },
  detail,
) =>
  card(
    `Account ${accountId}${isPaper ? " — PAPER" : ""}`,
    element(
      "table",
      {},
      fact("equity at print, USDC", decimal(equityUsdc)),
      fact("equity at mid, USDC", decimal(equityAtMidUsdc)),
      fact("margin ratio", decimal(marginRatio)),
      fact("day's PnL (the lower), USDC", signed(detail?.dayPnl), toneOf(detail?.dayPnl)),
      fact("unresolved transactions", `${detail?.unresolved ?? "—"}`, (detail?.unresolved ?? 0) > 0 ? "bad" : ""),
      fact(
        "requests left, by lane",
        Object.entries(detail?.budget ?? {})
          .map(([lane, left]) => `${lane} ${left}`)
          .join(" · ") || "—",
      ),
      fact(
        "agent key expires",
        agentKeyExpiresAtSec === null ? "never" : new Date(agentKeyExpiresAtSec * 1000).toUTCString(),
      ),
    ),
    element("h4", {}, "PnL by day (UTC), USDC"),
    bars(
      "PnL by day",
      (detail?.days ?? []).map(({ date, print, mid }) => ({
        name: date.slice(5),
        values: [
          { look: "oracle", value: print, words: `${date}: ${signed(print)} at print` },
          { look: "mid", value: mid, words: `${date}: ${signed(mid)} at mid` },
        ],
      })),
    ),
    element(
      "p",
      { class: "legend soft" },
      element("span", { class: "key oracle" }, "at print"),
      " ",
      element("span", { class: "key mid" }, "at mid"),
    ),
    element("p", { class: "bad" }, latches.length === 0 ? "" : `✗ ${latches.join(" · ")}`),
  );

/** @type {(state: State, chosen: string) => Tag} */
const overview = ({ status }, chosen) =>
  element(
    "nav",
    { "aria-label": "Markets" },
    element(
      "table",
      { class: "overview" },
      element(
        "tr",
        {},
        ...["market", "state", "position", "PnL at print", "PnL at mid", "quotes"].map((name) =>
          element("th", { scope: "col" }, name),
        ),
      ),
      ...status.accounts.flatMap(({ accountId, markets }) =>
        markets.map((market) => {
          const place = `${accountId}/${market.marketId}`;
          const lacks = lacksText(market);
          return element(
            "tr",
            {},
            element(
              "td",
              {},
              element(
                "button",
                { type: "button", "data-choose": place, "aria-pressed": `${place === chosen}` },
                market.name,
              ),
            ),
            element("td", { class: market.state === "active" ? "good" : "bad" }, market.state),
            element("td", {}, signed(market.position, 3)),
            ...[market.pnl, market.pnlAtMid].map(({ total }) => element("td", { class: toneOf(total) }, signed(total))),
            element("td", { class: lacks === "" ? "good" : "bad" }, lacks === "" ? "✓ both sides" : `✗ ${lacks}`),
          );
        }),
      ),
    ),
  );

const FILLS_SHOWN = 50;

/** The newest fills of all markets. @type {(state: State) => Tag} */
function blotter({ fills, status }) {
  /** @type {ReadonlyMap<string, string>} */
  const names = new Map(
    status.accounts.flatMap(({ accountId, markets }) =>
      markets.map(({ marketId, name }) => /** @type {[string, string]} */ ([`${accountId}/${marketId}`, name])),
    ),
  );
  const columns = ["time, UTC", "account", "market", "side", "", "price", "size", "fee, USDC", "realized PnL, USDC"];
  return element(
    "section",
    { class: "card wide" },
    element("h3", {}, "Fills"),
    element(
      "div",
      { class: "scrolled", tabindex: "0", role: "region", "aria-label": "Fills" },
      element(
        "table",
        { class: "blotter" },
        heads(columns),
        ...fills
          .slice(-FILLS_SHOWN)
          .toReversed()
          .map(({ atMs, place, fill }) =>
            element(
              "tr",
              { "data-key": fill.key },
              element("td", {}, new Date(atMs).toISOString().slice(0, 19).replace("T", " ")),
              element("td", {}, place.split("/")[0] ?? ""),
              element("td", {}, names.get(place) ?? place),
              element("td", {}, fill.side),
              element("td", {}, fill.liquidity ?? ""),
              element("td", {}, decimal(fill.price)),
              element("td", {}, decimal(fill.size, 3)),
              element("td", {}, decimal(fill.fee, 4)),
              element("td", { class: toneOf(fill.realizedPnl) }, signed(fill.realizedPnl, 4)),
            ),
          ),
      ),
    ),
    fills.length === 0 ? element("p", { class: "soft" }, "none yet") : "",
  );
}

const NOTES_SHOWN = 100;

/** @type {(state: State) => Tag} */
const logCard = ({ notes }) =>
  element(
    "section",
    { class: "card wide" },
    element("h3", {}, "Log of decisions and denials"),
    element(
      "ol",
      { class: "log", "aria-label": "Log of decisions and denials", tabindex: "0" },
      ...notes
        .slice(-NOTES_SHOWN)
        .toReversed()
        .map(({ atMs, text }) =>
          element("li", { "data-key": `${atMs} ${text}` }, element("time", {}, timeText(atMs)), ` ${text}`),
        ),
    ),
  );

/** `chosen`: the market that is shown in full, `account/market`; the first where there is none of that name. `risk`: as last asked for. */
/** @type {(state: State, chosen: string, stale: string, risk: Answer | null) => readonly Part[]} */
export function page(state, chosen, stale, risk) {
  const all = state.status.accounts.flatMap((account) => account.markets.map((market) => ({ account, market })));
  const found = all.find(({ account, market }) => `${account.accountId}/${market.marketId}` === chosen) ?? all[0];
  const detail = state.detail.markets.find(
    ({ accountId, marketId }) => accountId === found?.account.accountId && marketId === found.market.marketId,
  );
  return [
    header(state.status, stale),
    overview(state, found === undefined ? "" : `${found.account.accountId}/${found.market.marketId}`),
    element(
      "div",
      { class: "cards" },
      ...state.status.accounts.map((account) =>
        accountCard(
          account,
          state.detail.accounts.find(({ accountId }) => accountId === account.accountId),
        ),
      ),
    ),
    ...(found === undefined ? [] : [marketSection(found.account, found.market, detail, state)]),
    riskCard(risk),
    blotter(state),
    logCard(state),
  ];
}
