// The tiles at the top, the account's separate from the market's: whether the account makes money; how far the market is from its limits,
// whether it is quoted, and what comes next.

import { html } from "./html.js";
import { decimal, signed, timer, toneOf } from "./words.js";

/**
 * @import { AccountDetail, MarketDetail } from "../detail.ts"
 * @import { AccountStatus, MarketStatus } from "../status.ts"
 * @import { State } from "./stream.js"
 * @typedef {{ readonly both: number; readonly cells: readonly ("both" | "one" | "none" | "unknown")[] }} Quoted
 */

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const CELLS = 60;
const POINTS_MAX = 120;
const [BID_AT, ASK_AT, PNL_MID_AT] = [3, 4, 7];

/**
 * Share of the last hour with orders on both sides, and each of its minutes; null: no sample.
 *
 * @type {(state: State, place: string) => Quoted | null}
 */
export function quotedOf({ samples, status: { nowMs } }, place) {
  const minutes = Array.from({ length: CELLS }, () => ({ all: 0, both: 0, some: 0 }));
  for (let at = samples.length - 1; at >= 0; at -= 1) {
    const sample = samples[at];
    if (sample === undefined || nowMs - sample.atMs >= HOUR_MS) break;
    const values = sample.markets[place];
    const minute = minutes[CELLS - 1 - Math.floor(Math.max(0, nowMs - sample.atMs) / MINUTE_MS)];
    if (values === undefined || minute === undefined) continue;
    const sides = [values[BID_AT], values[ASK_AT]].filter((price) => price !== null && price !== undefined).length;
    minute.all += 1;
    if (sides === 2) minute.both += 1;
    if (sides > 0) minute.some += 1;
  }
  const all = minutes.reduce((sum, minute) => sum + minute.all, 0);
  if (all === 0) return null;
  return {
    both: minutes.reduce((sum, { both }) => sum + both, 0) / all,
    cells: minutes.map(({ all: of, both, some }) =>
      of === 0 ? "unknown" : both === of ? "both" : some > 0 ? "one" : "none",
    ),
  };
}

/** PnL of an account since midnight UTC, at the mid. @type {(state: State, account: AccountStatus) => readonly number[]} */
export function dayLine({ samples, status: { nowMs } }, { accountId, markets }) {
  const midnightMs = nowMs - (nowMs % (24 * HOUR_MS));
  const sums = samples.flatMap((sample) => {
    if (sample.atMs < midnightMs) return [];
    const values = markets.map(({ marketId }) => sample.markets[`${accountId}/${marketId}`]?.[PNL_MID_AT] ?? null);
    return values.includes(null) ? [] : [values.reduce((/** @type {number} */ sum, value) => sum + (value ?? 0), 0)];
  });
  return thinned(sums).map((value) => value - (sums[0] ?? 0));
}

/** @type {(state: State, accountId: string) => readonly number[]} */
const equityLine = ({ samples, status: { nowMs } }, accountId) =>
  thinned(
    samples.flatMap(({ atMs, equity }) => {
      const value = equity[accountId] ?? null;
      return value === null || nowMs - atMs > 24 * HOUR_MS ? [] : [value];
    }),
  );

/** @type {(values: readonly number[]) => readonly number[]} */
const thinned = (values) => {
  const step = Math.ceil(values.length / POINTS_MAX) || 1;
  return values.filter((_, at) => (values.length - 1 - at) % step === 0);
};

/** @type {(values: readonly number[], words: string, zero: boolean) => unknown} */
export function sparkline(values, words, zero) {
  if (values.length < 2) return null;
  const [low, high] = [Math.min(...values, ...(zero ? [0] : [])), Math.max(...values, ...(zero ? [0] : []))];
  const y = (/** @type {number} */ value) => (2 + (1 - (value - low) / (high - low || 1)) * 24).toFixed(1);
  const path = values.map(
    (value, at) => `${at === 0 ? "M" : "L"}${((at / (values.length - 1)) * 100).toFixed(1)} ${y(value)}`,
  );
  return html`<svg class="spark" viewBox="0 0 100 28" preserveAspectRatio="none" role="img" aria-label=${words}>
    ${zero ? html`<path class="zero" d=${`M0 ${y(0)}H100`} />` : null}
    <path class="curve" d=${path.join("")} />
  </svg>`;
}

/** @param {{ readonly name: string; readonly value: unknown; readonly tone?: string; readonly children?: unknown }} props */
const Tile = ({ name, value, tone = "", children }) =>
  html`<div class="tile"><h3>${name}</h3><p class=${`figure ${tone}`}>${value}</p>${children}</div>`;

/** Each number is the position that this side could reach, whatever its sign. @type {(detail: MarketDetail | undefined) => string} */
function worstText(detail) {
  const { worstLong = null, worstShort = null } = detail ?? {};
  const reach = `${signed(worstShort === null ? null : 0 - worstShort, 2)} … ${signed(worstLong, 2)}`;
  return `worst ${reach} of ±${decimal(Number(detail?.limits.maxPosition), 0)}`;
}

/** From our short limit to our long limit: the position, and the position if every order of a side filled. */
/** @type {(market: MarketStatus, detail: MarketDetail | undefined) => unknown} */
export function exposure({ position }, detail) {
  const limit = Number(detail?.limits.maxPosition);
  const { worstLong = null, worstShort = null } = detail ?? {};
  const at = (/** @type {number} */ contracts) => 50 + 50 * Math.max(-1, Math.min(1, contracts / (limit || 1)));
  const [left, right] = [at(worstShort === null ? position : -worstShort), at(worstLong ?? position)];
  const worst = Math.max(worstLong ?? 0, worstShort ?? 0) / limit;
  const words = worstText(detail);
  return html`<span class=${`exposure ${worst >= 1 ? "full" : worst > 0.8 ? "near" : ""}`} role="img" aria-label=${words} title=${words}>
    <i class="reach" style=${{ left: `${left}%`, width: `${Math.max(0, right - left)}%` }}></i>
    <i class="zero"></i>
    <i class="held" style=${{ left: `${at(position)}%` }}></i>
  </span>`;
}

/** @type {(quoted: Quoted | null) => unknown} */
const minutesBar = (quoted) =>
  quoted === null
    ? null
    : html`<svg class="minutes" viewBox="0 0 60 10" preserveAspectRatio="none" role="img"
        aria-label="The last sixty minutes: full height both sides, half height one side, a line none">
        ${["both", "one", "none"].map(
          (kind) =>
            html`<path key=${kind} class=${kind} d=${quoted.cells.map((cell, at) => (cell !== kind ? "" : `M${at + 0.1} ${tops[kind]}h.8V10h-.8Z`)).join("")} />`,
        )}
      </svg>`;
/** @type {Readonly<Record<string, number>>} */
const tops = { both: 0, one: 5, none: 8.5 };

/** @type {(count: number, of: string) => string} */
const counted = (count, of) => `${count} ${of}${count === 1 ? "" : "s"}`;

/** @param {{ readonly count: number; readonly limit: number }} props */
const Share = ({ count, limit }) =>
  html`<div class="share"><i style=${{ width: `${Math.min(100, (100 * count) / (limit || 1))}%` }}></i></div>`;

/** @type {(state: State, account: AccountStatus, detail: AccountDetail | undefined) => readonly unknown[]} */
function accountTiles(state, account, detail) {
  const today = detail?.days.at(-1);
  const line = dayLine(state, account);
  const equity = equityLine(state, account.accountId);
  return [
    html`<${Tile} name="Equity at print, USDC" value=${decimal(account.equityUsdc)}>
      ${sparkline(equity, "equity at print over the last day", false)}
      <p class="sub">at mid <b>${decimal(account.equityAtMidUsdc)}</b></p>
    <//>`,
    html`<${Tile} name="PnL today at mid, USDC" value=${signed(today?.mid)} tone=${toneOf(today?.mid)}>
      ${sparkline(line, `PnL at mid since midnight UTC, now ${signed(line.at(-1))}`, true)}
      <p class="sub">at print <b class=${toneOf(today?.print)}>${signed(today?.print)}</b></p>
    <//>`,
  ];
}

/** @type {(state: State, accountId: string, market: MarketStatus) => readonly unknown[]} */
function marketTiles(state, accountId, market) {
  const { nowMs } = state.status;
  const place = `${accountId}/${market.marketId}`;
  const of = state.detail.markets.find(({ accountId, marketId }) => `${accountId}/${marketId}` === place);
  const quoted = quotedOf(state, place);
  const orders = market.bids.length + market.asks.length;
  const limit = Number(of?.limits.maxOpenOrders);
  const side = market.position === 0 ? "flat" : market.position > 0 ? "long" : "short";
  return [
    html`<${Tile} name="Position" value=${html`${signed(market.position, 3)} <small>${side}</small>`}>
      ${exposure(market, of)}
      <p class="sub">${worstText(of)}</p>
    <//>`,
    html`<${Tile} name="Both sides quoted, last hour" value=${quoted === null ? "—" : `${decimal(Math.floor(1000 * quoted.both) / 10, 1)} %`}
      tone=${quoted === null || quoted.both > 0.95 ? "" : "warn"}>
      ${minutesBar(quoted)}
    <//>`,
    html`<${Tile} name="Open orders" value=${html`${orders} <small>of ${Number.isFinite(limit) ? limit : "—"}</small>`}>
      <${Share} count=${orders} limit=${limit} />
      <p class="sub">${market.bids.length} bids · ${market.asks.length} asks · ${counted(market.fillCount, "fill")}</p>
    <//>`,
    html`<${Tile} name="Next print" value=${timer(of?.nextPrintAtMs, nowMs)}>
      <p class="sub">funding in <b>${timer(of?.nextFundingAtMs, nowMs)}</b></p>
      <p class="sub">print valid <b>${timer(of?.oracleExpiresAtMs, nowMs)}</b></p>
    <//>`,
  ];
}

/** @type {(of: string, label: string, tiles: readonly unknown[]) => unknown} */
const group = (of, label, tiles) =>
  html`<section aria-label=${label}><h2 class="tiles-of">${of}</h2><div class="tiles">${tiles}</div></section>`;

/** @param {{ readonly state: State; readonly account: AccountStatus; readonly market: MarketStatus | undefined }} props */
export function Tiles({ state, account, market }) {
  const { accountId } = account;
  const detail = state.detail.accounts.find((of) => of.accountId === accountId);
  return html`<div class="glance">
    ${group(`Account ${accountId}`, "The account at a glance", accountTiles(state, account, detail))}
    ${market === undefined ? null : group(market.name, "The market at a glance", marketTiles(state, accountId, market))}
  </div>`;
}
