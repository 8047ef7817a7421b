// One market in full: everything that says what the bot does there and why it does not.

import { chart, NARROW } from "./chart.js";
import { element } from "./dom.js";
import { countdown, decimal, durationText, plain, signed, timeText, toneOf } from "./words.js";

/**
 * @import { BookRow, MarketDetail } from "../detail.ts"
 * @import { AccountStatus, GateLine, MarketStatus, PnlLine } from "../status.ts"
 * @import { Tag, Part } from "./dom.js"
 * @import { State } from "./stream.js"
 */

/** @type {(name: string, value: string, tone?: string) => Tag} */
export const fact = (name, value, tone = "") =>
  element("tr", {}, element("th", { scope: "row" }, name), element("td", { class: tone }, value));

/** @type {(title: string, ...content: readonly Part[]) => Tag} */
export const card = (title, ...content) => element("section", { class: "card" }, element("h3", {}, title), ...content);

/** @type {(names: readonly string[]) => Tag} */
export const heads = (names) => element("tr", {}, ...names.map((name) => element("th", { scope: "col" }, name)));

/** @type {(side: string, row: BookRow) => Tag} */
const bookRow = (side, { price, size, own, ahead }) =>
  element(
    "tr",
    own > 0 ? { class: `own ${side}` } : { class: side },
    element("td", {}, side),
    element("td", {}, decimal(price)),
    element("td", {}, decimal(size, 3)),
    element("td", {}, own > 0 ? `● ${decimal(own, 3)}` : ""),
    element("td", {}, own === 0 ? "" : ahead === null ? "—" : decimal(ahead, 3)),
  );

/** @type {(detail: MarketDetail) => Tag} */
const bookCard = ({ book }) =>
  card(
    "Book",
    book === null
      ? element("p", { class: "soft" }, "no book yet")
      : element(
          "table",
          { class: "book" },
          heads(["side", "price", "size", "ours", "ahead of us"]),
          ...book.asks.toReversed().map((row) => bookRow("ask", row)),
          ...book.bids.map((row) => bookRow("bid", row)),
        ),
  );

/** @type {(market: MarketStatus) => Tag} */
const ordersCard = ({ asks, bids }) =>
  card(
    "Our orders",
    element(
      "table",
      {},
      heads(["side", "price", "size", "ahead of it", "state"]),
      ...[
        ...asks.toReversed().map((order) => ({ side: "ask", ...order })),
        ...bids.map((order) => ({ side: "bid", ...order })),
      ].map(({ side, price, size, queueAhead, state }) => {
        const ahead = queueAhead === null ? "—" : decimal(queueAhead, 3);
        const texts = [side, decimal(price), decimal(size, 3), ahead, state];
        return element("tr", {}, ...texts.map((text) => element("td", {}, text)));
      }),
    ),
  );

/** An open gate is named by what it found: "halted: open" would read as its opposite. @type {Readonly<Record<string, string>>} */
const openNames = { halted: "not halted", reducing: "not reducing" };

/** @type {(gate: GateLine, since: string) => Tag} */
const gateItem = ({ gate, open, reason }, since) =>
  open
    ? element("li", { class: "good" }, `✓ ${openNames[gate] ?? plain(gate)}`, element("small", {}, ` since ${since}`))
    : element("li", { class: "bad" }, `✗ ${reason ?? plain(gate)}`, element("small", {}, ` since ${since}`));

/** @type {(market: MarketStatus, place: string, state: State) => Tag} */
const gatesCard = ({ gates }, place, { since }) =>
  card(
    `Gates: ${gates.filter(({ open }) => !open).length} closed`,
    element(
      "ul",
      { class: "gates" },
      // Closed ones first: nobody should have to look for them.
      ...gates
        .toSorted((a, b) => Number(a.open) - Number(b.open))
        .map((gate) => gateItem(gate, timeText(since[`${place}/${gate.gate}`] ?? 0))),
    ),
  );

/** @type {readonly Exclude<keyof PnlLine, "valuation">[]} */
const pnlSources = ["spread", "inventory", "jump", "funding", "fees", "total"];

/** @type {(market: MarketStatus, detail: MarketDetail) => Tag} */
const positionCard = ({ position, fillCount, unknownOrders }, { worstLong, worstShort, dayPnl, limits, markouts }) =>
  card(
    "Position and limits",
    element(
      "table",
      {},
      fact("position", signed(position, 3)),
      fact("worst case long / limit", `${decimal(worstLong, 3)} / ${limits.maxPosition ?? "—"}`),
      fact("worst case short / limit", `${decimal(worstShort, 3)} / ${limits.maxPosition ?? "—"}`),
      fact("day's PnL (the lower) / loss limit", `${signed(dayPnl)} / ${limits.maxLoss ?? "—"}`, toneOf(dayPnl)),
      fact("fills", `${fillCount}`),
      fact("unknown orders", `${unknownOrders}`, unknownOrders > 0 ? "bad" : ""),
      ...markouts.map(({ horizon, count, meanBps }) =>
        fact(`markout ${horizon}`, `${signed(meanBps)} bps over ${count}`, toneOf(meanBps)),
      ),
    ),
  );

const HORIZONS = ["1s", "10s", "60s", "300s"];

/** Fills from deep in a queue are those of large takers. @type {(detail: MarketDetail) => readonly Tag[]} */
const placeCards = ({ placeMarkouts }) =>
  placeMarkouts.length === 0
    ? []
    : [
        card(
          "Markouts by place in the queue, bps",
          element(
            "table",
            {},
            heads(["tenth from the front", "fills", ...HORIZONS]),
            ...placeMarkouts.map(({ decile, markouts }) => {
              const means = HORIZONS.map(
                (horizon) => markouts.find((line) => line.horizon === horizon)?.meanBps ?? null,
              );
              return element(
                "tr",
                {},
                element("th", { scope: "row" }, `${decile}`),
                element("td", {}, `${markouts[0]?.count ?? 0}`),
                ...means.map((mean) => element("td", { class: toneOf(mean) }, mean === null ? "—" : signed(mean))),
              );
            }),
          ),
        ),
      ];

/** @type {(market: MarketStatus) => Tag} */
const pnlCard = ({ pnl, pnlAtMid }) =>
  card(
    "PnL by source, USDC",
    element(
      "table",
      {},
      heads(["", "at print", "at mid"]),
      ...pnlSources.map((source) =>
        element(
          "tr",
          {},
          element("th", { scope: "row" }, source),
          ...[pnl[source], pnlAtMid[source]].map((value) => element("td", { class: toneOf(value) }, signed(value))),
        ),
      ),
    ),
  );

/** @type {(detail: MarketDetail, nowMs: number) => Tag} */
const clockCard = (detail, nowMs) =>
  card(
    "Next",
    element(
      "table",
      {},
      fact("oracle print expires", countdown(detail.oracleExpiresAtMs, nowMs)),
      fact("next print expected", countdown(detail.nextPrintAtMs, nowMs)),
      fact("next funding", countdown(detail.nextFundingAtMs, nowMs)),
    ),
  );

/** @type {(detail: MarketDetail) => Tag} */
const feedCard = ({ facts }) =>
  card(
    "Feed and clock",
    element(
      "table",
      {},
      ...facts.map(({ fact: name, state, ageMs }) =>
        fact(name, `${state}${ageMs === null ? "" : `, ${durationText(ageMs)} old`}`, state === "fresh" ? "" : "bad"),
      ),
    ),
  );

/** @type {(market: MarketStatus) => Tag} */
const estimatesCard = ({ estimates }) =>
  card(
    "Estimates",
    element(
      "table",
      {},
      heads(["", "value", "observed", "age"]),
      ...estimates.map(({ name, value, dataShare, ageMs }) =>
        element(
          "tr",
          {},
          element("th", { scope: "row" }, name),
          element("td", {}, value === null ? "—" : value.toPrecision(3)),
          element("td", {}, `${Math.round(100 * dataShare)} %`),
          element("td", {}, ageMs === null ? "—" : durationText(ageMs)),
        ),
      ),
    ),
  );

/** @type {(market: MarketStatus) => readonly Tag[]} */
const shadowCards = ({ shadow, trial, strategy, pnlAtMid }) => [
  ...(shadow === null
    ? []
    : [
        card(
          "Shadow, on paper",
          element(
            "table",
            {},
            fact("strategy", shadow.strategy),
            fact("state", shadow.state, shadow.reason === null ? "" : "bad"),
            fact("position, contracts", signed(shadow.position, 3)),
            fact("fills", `${shadow.fillCount}`),
            fact("its PnL at mid, USDC", signed(shadow.pnlAtMid.total), toneOf(shadow.pnlAtMid.total)),
            fact(`PnL of ${strategy} at mid, USDC`, signed(pnlAtMid.total), toneOf(pnlAtMid.total)),
          ),
          element(
            "p",
            { class: shadow.reason === null ? "soft" : "bad" },
            shadow.reason ?? "quoin promote makes it trade",
          ),
        ),
      ]),
  ...(trial === null
    ? []
    : [
        card(
          "On trial",
          element("p", {}, `${strategy} since ${timeText(trial.sinceMs)}, ${trial.fills} fills measured`),
          element("p", { class: "soft" }, `rolled back to ${trial.from} if it fails, or its fills are worse`),
        ),
      ]),
];

/** @type {(market: MarketStatus) => readonly Tag[]} */
const premiumCards = ({ premium }) =>
  premium === null
    ? []
    : [
        card(
          "Premium book",
          element(
            "table",
            {},
            fact("target, contracts", signed(premium.target, 3)),
            fact("held, contracts", signed(premium.held, 3)),
            fact("its PnL at mid, USDC", signed(premium.pnl), toneOf(premium.pnl)),
            fact("all other PnL at mid, USDC", signed(premium.spreadPnl), toneOf(premium.spreadPnl)),
            fact("may lose yet, USDC", decimal(premium.lossLeft)),
          ),
          element("p", { class: premium.isStopped ? "bad" : "soft" }, premium.reason ?? ""),
        ),
      ];

/** @type {(kind: "params" | "limits", values: Readonly<Record<string, string>>) => readonly Tag[]} */
const settingRows = (kind, values) =>
  Object.entries(values).map(([name, value]) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, plain(name)),
      element("td", {}, value),
      element(
        "td",
        {},
        element(
          "button",
          {
            type: "button",
            "data-action": kind,
            "data-name": name,
            "data-value": value,
            "aria-label": `change ${plain(name)}`,
          },
          kind === "params" ? "change" : "lower",
        ),
      ),
    ),
  );

/** @type {(market: MarketStatus, detail: MarketDetail) => Tag} */
const settingsCard = ({ strategy }, { params, limits }) =>
  element(
    "section",
    { class: "card" },
    element("h3", {}, `Strategy ${strategy}`),
    element("table", {}, ...settingRows("params", params)),
    element(
      "details",
      {},
      element("summary", {}, "Limits (you can only tighten them here)"),
      element("table", {}, ...settingRows("limits", limits)),
    ),
  );

/** Each line's look has a pattern of its own in page.css. */
const priceLines = /** @type {const} */ ([
  ["oracle", 0],
  ["fair", 1],
  ["mid", 2],
  ["bid", 3],
  ["ask", 4],
]);
const PNL_AT = 6;
const PNL_AT_MID_AT = 7;
const SHADOW_AT = 8;
const POSITION_AT = 5;

/**
 * The shadow's PnL from what was earned when it was first seen: so both lines begin at one point. None without a shadow now.
 *
 * @typedef {readonly (readonly [number, number | null])[]} Points
 * @type {(live: Points, shadow: Points) => readonly { readonly name: string; readonly look: string; readonly points: Points }[]}
 */
function shadowLines(live, shadow) {
  const first = shadow.findIndex(([, value]) => value !== null);
  if ((shadow.at(-1)?.[1] ?? null) === null) return [];
  const from = (live[first]?.[1] ?? 0) - (shadow[first]?.[1] ?? 0);
  const points = shadow.map(([at, value]) => /** @type {const} */ ([at, value === null ? null : value + from]));
  return [{ name: "shadow at mid", look: "bid", points }];
}

/** @type {(title: string, content: Tag) => Tag} */
const titled = (title, content) => element("div", {}, element("h3", {}, title), content);

/** @type {(place: string, accountId: string, state: State) => Tag} */
function charts(place, accountId, { samples, fills }) {
  /** @type {(index: number) => readonly (readonly [number, number | null])[]} */
  const series = (index) => samples.map(({ atMs, markets }) => [atMs, markets[place]?.[index] ?? null]);
  const marks = fills
    .filter((fill) => fill.place === place)
    .map(({ fill: { atMs, side, price, size } }) => ({
      atMs,
      value: price,
      isBuy: side === "buy",
      words: `${timeText(atMs)}: ${side === "buy" ? "bought" : "sold"} ${size} at ${price}`,
    }));
  return element(
    "section",
    { class: "card wide" },
    element("h3", {}, "Quotes, oracle, fair value and mid"),
    chart(
      "Prices",
      priceLines.map(([look, index]) => ({ name: look, look, points: series(index) })),
      { marks },
    ),
    element(
      "p",
      { class: "legend soft" },
      ...priceLines.flatMap(([look]) => [element("span", { class: `key ${look}` }, look), " "]),
      "▲ bought ▼ sold",
    ),
    element(
      "div",
      { class: "charts" },
      titled(
        "PnL, USDC",
        chart(
          "PnL",
          [
            { name: "at print", look: "oracle", points: series(PNL_AT) },
            { name: "at mid", look: "mid", points: series(PNL_AT_MID_AT) },
            ...shadowLines(series(PNL_AT_MID_AT), series(SHADOW_AT)),
          ],
          { width: NARROW },
        ),
      ),
      titled(
        "Position, contracts",
        chart("Position", [{ name: "position", look: "mid", points: series(POSITION_AT) }], { width: NARROW }),
      ),
      titled(
        "Equity of the account at print, USDC",
        chart(
          "Equity",
          [
            {
              name: "equity",
              look: "oracle",
              points: samples.map(({ atMs, equity }) => [atMs, equity[accountId] ?? null]),
            },
          ],
          { width: NARROW },
        ),
      ),
    ),
  );
}

/** The sentence of each side, one where both say the same. @type {(market: MarketStatus) => string} */
export const lacksText = ({ buy, sell }) =>
  buy.sentence === sell.sentence
    ? (buy.sentence ?? "")
    : [buy.sentence && `bid: ${buy.sentence}`, sell.sentence && `ask: ${sell.sentence}`].filter(Boolean).join("; ");

const marketActions = [
  ["pause", "Pause"],
  ["reduce", "Reduce only"],
  ["resume", "Resume"],
];

/** @type {(account: AccountStatus, market: MarketStatus, detail: MarketDetail | undefined, state: State) => Tag} */
export function marketSection({ accountId, isPaper }, market, detail, state) {
  const place = `${accountId}/${market.marketId}`;
  const lacks = lacksText(market);
  return element(
    "article",
    { "aria-label": market.name, "data-place": place },
    element(
      "h2",
      {},
      `${market.name} `,
      element(
        "span",
        { class: "soft" },
        `market ${market.marketId} of account ${accountId}${isPaper ? " — PAPER: nothing is sent" : ""}`,
      ),
      " ",
      element("span", { class: market.state === "active" ? "good" : "bad" }, market.state),
    ),
    element(
      "p",
      { class: "actions" },
      ...marketActions.flatMap(([action = "", name = ""]) => [
        element("button", { type: "button", "data-action": action }, name),
        " ",
      ]),
    ),
    element("p", { class: lacks === "" ? "good" : "bad" }, lacks === "" ? "Both sides are quoted as wanted." : lacks),
    element("p", { class: "soft" }, market.quotesReason ?? ""),
    ...(detail === undefined
      ? []
      : [
          charts(place, accountId, state),
          element(
            "div",
            { class: "cards" },
            bookCard(detail),
            ordersCard(market),
            positionCard(market, detail),
            ...placeCards(detail),
            pnlCard(market),
            ...premiumCards(market),
            ...shadowCards(market),
            gatesCard(market, place, state),
            clockCard(detail, state.status.nowMs),
            feedCard(detail),
            estimatesCard(market),
            settingsCard(market, detail),
          ),
        ]),
  );
}
