// One market in full: what the bot does there, and why it does not do more.

import { SourceTable } from "./bars.js";
import { Chart } from "./chart.js";
import { html } from "./html.js";
import { Ladder, Orders } from "./ladder.js";
import { Gates } from "./lists.js";
import { Settings } from "./settings.js";
import { ActionButton } from "./top.js";
import { countdown, decimal, durationText, plain, signed, timeText, toneOf } from "./words.js";

/**
 * @import { MarketDetail, MarkoutLine, Meanings } from "../detail.ts"
 * @import { AccountStatus, MarketStatus, ShadowLine } from "../status.ts"
 * @import { State } from "./stream.js"
 */

/** @type {(name: string, value: unknown, tone?: string) => unknown} */
export const fact = (name, value, tone = "") =>
  html`<tr key=${name}><th scope="row">${name}</th><td class=${tone}>${value}</td></tr>`;

/** @type {(title: string, ...content: readonly unknown[]) => unknown} */
export const card = (title, ...content) =>
  html`<section class="card" key=${title}><h3>${title}</h3>${content}</section>`;

/** @type {(rows: readonly unknown[], heads?: readonly string[]) => unknown} */
export const table = (rows, heads = []) =>
  html`<table>
    ${heads.length === 0 ? null : html`<thead><tr>${heads.map((name) => (name === "" ? html`<td></td>` : html`<th key=${name} scope="col">${name}</th>`))}</tr></thead>`}
    <tbody>${rows}</tbody>
  </table>`;

/** @type {(market: MarketStatus, detail: MarketDetail) => unknown} */
const positionCard = ({ position, fillCount, unknownOrders }, { worstLong, worstShort, dayPnl, limits }) =>
  card(
    "Position and limits",
    table([
      fact("position", signed(position, 3)),
      fact("worst case long / limit", `${decimal(worstLong, 3)} / ${limits.maxPosition ?? "—"}`),
      fact("worst case short / limit", `${decimal(worstShort, 3)} / ${limits.maxPosition ?? "—"}`),
      fact("day's PnL (the lower) / loss limit", `${signed(dayPnl)} / ${limits.maxLoss ?? "—"}`, toneOf(dayPnl)),
      fact("fills", `${fillCount}`),
      fact("unknown orders", `${unknownOrders}`, unknownOrders > 0 ? "bad" : ""),
    ]),
  );

const HORIZONS = ["1s", "10s", "60s", "300s"];

/** A mean as a bar from zero next to its number. @type {(line: MarkoutLine, most: number) => unknown} */
function markoutRow({ horizon, count, meanBps }, most) {
  const share = (50 * Math.abs(meanBps)) / most;
  return html`<tr key=${horizon}>
    <th scope="row">${horizon}</th>
    <td><span class=${`diverging ${toneOf(meanBps)}`} aria-hidden="true"><i style=${{ left: `${meanBps < 0 ? 50 - share : 50}%`, width: `${share}%` }}></i></span></td>
    <td class=${toneOf(meanBps)}>${signed(meanBps)}</td>
    <td>${count}</td>
  </tr>`;
}

/** Fills from deep in a queue come from large takers. @type {(detail: MarketDetail) => unknown} */
const markoutCard = ({ markouts, placeMarkouts }) =>
  card(
    "Markouts, bps",
    markouts.length === 0
      ? html`<p class="soft">no fill is old enough yet</p>`
      : table(
          markouts.map((line) => markoutRow(line, Math.max(1e-9, ...markouts.map(({ meanBps }) => Math.abs(meanBps))))),
          ["after", "", "mean", "fills"],
        ),
    placeMarkouts.length === 0
      ? null
      : html`<details><summary>by place in the queue</summary>${table(
          placeMarkouts.map(({ decile, markouts: lines }) => {
            const means = HORIZONS.map((horizon) => lines.find((line) => line.horizon === horizon)?.meanBps ?? null);
            return html`<tr key=${decile}>
              <th scope="row">${decile}</th><td>${lines[0]?.count ?? 0}</td>
              ${means.map((mean) => html`<td class=${toneOf(mean)}>${mean === null ? "—" : signed(mean)}</td>`)}
            </tr>`;
          }),
          ["tenth from the front", "fills", ...HORIZONS],
        )}</details>`,
  );

/** @type {(detail: MarketDetail, nowMs: number) => unknown} */
const feedCard = ({ facts, oracleExpiresAtMs, nextPrintAtMs, nextFundingAtMs, fundingRatePpb }, nowMs) =>
  card(
    "Feed and clock",
    table([
      ...facts.map(({ fact: name, state, ageMs }) =>
        fact(name, `${state}${ageMs === null ? "" : `, ${durationText(ageMs)} old`}`, state === "fresh" ? "" : "bad"),
      ),
      fact("oracle print expires", countdown(oracleExpiresAtMs, nowMs)),
      fact("next print expected", countdown(nextPrintAtMs, nowMs)),
      fact("next funding", countdown(nextFundingAtMs, nowMs)),
      fact("funding rate", fundingRatePpb === null ? "—" : `${signed(fundingRatePpb / 1e5, 3)} bps`),
    ]),
  );

/** @type {(market: MarketStatus) => unknown} */
const estimatesCard = ({ estimates }) =>
  card(
    "Estimates",
    table(
      estimates.map(
        ({ name, value, dataShare, ageMs }) => html`<tr key=${name}>
          <th scope="row">${plain(name)}</th><td>${value === null ? "—" : value.toPrecision(3)}</td>
          <td>${Math.round(100 * dataShare)} %</td><td>${ageMs === null ? "—" : durationText(ageMs)}</td>
        </tr>`,
      ),
      ["estimate", "value", "observed", "age"],
    ),
  );

/** @type {(market: MarketStatus) => unknown} */
const signalsCard = ({ signals }) =>
  card(
    "Outside facts",
    table(
      signals.map(
        ({ name, value, ageMs, weight }) => html`<tr key=${name}>
          <th scope="row">${name}</th><td class=${value === null ? "bad" : ""}>${value ?? "absent"}</td>
          <td>${ageMs === null ? "—" : durationText(ageMs)}</td><td>${weight.toFixed(2)}</td>
        </tr>`,
      ),
      ["signal", "value", "age", "weight in fair value"],
    ),
  );

/** @type {(shadow: ShadowLine, market: MarketStatus, accountId: string) => unknown} */
const shadowCard = (shadow, { strategy, pnlAtMid, marketId }, accountId) =>
  card(
    "Shadow, on paper",
    table(
      [
        html`<tr><th scope="row">strategy</th><td>${shadow.strategy}</td><td>${strategy}</td></tr>`,
        html`<tr><th scope="row">PnL at mid, USDC</th>
          ${[shadow.pnlAtMid.total, pnlAtMid.total].map((total) => html`<td class=${toneOf(total)}>${signed(total)}</td>`)}</tr>`,
        html`<tr><th scope="row">position, contracts</th><td>${signed(shadow.position, 3)}</td><td></td></tr>`,
        html`<tr><th scope="row">fills</th><td>${shadow.fillCount}</td><td></td></tr>`,
        html`<tr><th scope="row">state</th><td class=${shadow.reason === null ? "" : "bad"}>${shadow.state}</td><td></td></tr>`,
      ],
      ["", "shadow", "trading"],
    ),
    shadow.reason === null
      ? html`<p class="soft">to make it trade: the command <code>promote --account ${accountId} --market ${marketId}</code></p>`
      : html`<p class="bad">${shadow.reason}</p>`,
  );

/** @type {(market: MarketStatus, accountId: string) => readonly unknown[]} */
const rareCards = (market, accountId) => {
  const { shadow, trial, strategy, premium, signals } = market;
  return [
    shadow === null ? null : shadowCard(shadow, market, accountId),
    trial === null
      ? null
      : card(
          "On trial",
          html`<p>${strategy} since ${timeText(trial.sinceMs)}, ${trial.fills} fills measured</p>
            <p class="soft">rolled back to ${trial.from} if it fails, or its fills are worse</p>`,
        ),
    signals.length === 0 ? null : signalsCard(market),
    premium === null
      ? null
      : card(
          "Premium book",
          table([
            fact("target, contracts", signed(premium.target, 3)),
            fact("held, contracts", signed(premium.held, 3)),
            fact("its PnL at mid, USDC", signed(premium.pnl), toneOf(premium.pnl)),
            fact("all other PnL at mid, USDC", signed(premium.spreadPnl), toneOf(premium.spreadPnl)),
            fact("may lose yet, USDC", decimal(premium.lossLeft)),
          ]),
          html`<p class=${premium.isStopped ? "bad" : "soft"}>${premium.reason ?? ""}</p>`,
        ),
  ];
};

/** @param {{ readonly account: AccountStatus; readonly market: MarketStatus; readonly detail: MarketDetail | undefined; readonly state: State; readonly meanings: Meanings; readonly children?: unknown }} props */
export function Market({
  account: { accountId, isPaper, state: accountState },
  market,
  detail,
  state,
  meanings,
  children,
}) {
  const place = `${accountId}/${market.marketId}`;
  return html`<article aria-label=${market.name} data-place=${place}>
    <div class="market-head">
      <h2>${market.name} <span class="soft">market ${market.marketId} of account ${accountId}${isPaper ? " — PAPER: nothing is sent" : ""}</span></h2>
      <span class=${`mode ${market.state}`}>${market.state}</span>
      <span class="soft">${market.quotesReason ?? ""}</span>
      <span class="actions">
        ${market.state === "active" ? null : html`<${ActionButton} action=${accountState === "active" ? "resume" : "resumeAccount"}>Resume<//>`}
        <${ActionButton} action="haltMarket">Halt<//>
        <${ActionButton} action="reduce">Reduce only<//>
      </span>
    </div>
    <div class="first">
      <${Chart} state=${state} place=${place} name=${market.name} />
      ${detail === undefined ? null : html`<div class="side"><${Ladder} detail=${detail} /><${Orders} market=${market} /></div>`}
    </div>
    ${children}
    ${
      detail === undefined
        ? null
        : html`<div class="cards">
            <${Gates} market=${market} place=${place} state=${state} />
            ${positionCard(market, detail)}
            ${card("PnL by source, USDC", html`<${SourceTable} pnl=${market.pnl} pnlAtMid=${market.pnlAtMid} />`)}
            ${markoutCard(detail)}
            ${rareCards(market, accountId)}
            ${feedCard(detail, state.status.nowMs)}
            ${estimatesCard(market)}
          </div>
          <${Settings} market=${market} detail=${detail} meanings=${meanings} />`
    }
  </article>`;
}
