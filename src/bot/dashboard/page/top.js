// The bar at the top: what this is, whether it is real money, whether it can trade, and the button that stops everything.

import { html } from "./html.js";
import { badgeOf, durationText } from "./words.js";

/**
 * @import { AccountStatus, MarketStatus, Status } from "../status.ts"
 */

/** @param {{ readonly action: string; readonly children?: unknown }} props */
export const ActionButton = ({ action, children }) =>
  html`<button type="button" class=${dangers.has(action) ? "danger" : resumes.has(action) ? "main" : ""} data-action=${action}>${children}</button>`;

/** Actions that stop or sell look dangerous. */
const dangers = new Set(["halt", "haltFleet", "flatten", "haltMarket"]);
/** Shown while something is halted, as the most visible button. */
const resumes = new Set(["resume", "resumeAccount", "resumeAll", "resumeFleet"]);

/** The sentence of each side, or one if both are the same. @type {(market: MarketStatus) => string} */
export const lacksText = ({ buy, sell }) =>
  buy.sentence === sell.sentence
    ? (buy.sentence ?? "")
    : [buy.sentence && `bid: ${buy.sentence}`, sell.sentence && `ask: ${sell.sentence}`].filter(Boolean).join("; ");

/** @type {(market: MarketStatus) => boolean} */
const isQuoted = ({ buy, sell }) => buy.quoting && sell.quoting;

/** @type {(market: MarketStatus) => "good" | "warn" | "bad"} */
export const toneOfQuotes = (market) => (!isQuoted(market) ? "bad" : lacksText(market) === "" ? "good" : "warn");

/** A sign in addition to the color. */
export const signs = { good: "✓", warn: "!", bad: "✗" };

/**
 * In one line; with several reasons, each is shown with its market.
 *
 * @type {(status: Status, stale: string) => readonly [tone: "good" | "warn" | "bad", says: string]}
 */
export function stateOf(status, stale) {
  if (stale !== "") return ["bad", stale];
  const markets = status.accounts.flatMap((account) => account.markets);
  const quoted = markets.filter(isQuoted).length;
  const less = markets.filter((market) => isQuoted(market) && lacksText(market) !== "").length;
  if (markets.length > 0 && markets.every(({ state }) => state === "halted")) return ["bad", "halted"];
  const share = `${quoted} of ${markets.length} markets quoted on both sides`;
  if (status.reasons.length > 0)
    return ["bad", `not ready: ${status.reasons.length === 1 ? status.reasons[0] : share}`];
  if (quoted < markets.length) return ["warn", `ready, ${share}`];
  return less === 0
    ? ["good", "ready, quotes both sides everywhere"]
    : ["warn", `ready, quotes both sides, less than wanted in ${less} of ${markets.length} markets`];
}

/** `home`: address of the fleet's page; "": there is none. */
/** @param {{ readonly status: Status; readonly account: AccountStatus | undefined; readonly stale: string; readonly home: string; readonly choose: (place: string) => void }} props */
export function TopBar({ status, account, stale, home, choose }) {
  const badge = badgeOf(status.chainId, account?.isPaper ?? false);
  const [tone, says] = stateOf(status, stale);
  return html`<header class=${`top ${badge.look}`}>
    <h1>Quoin</h1>
    ${home === "" ? null : html`<a href=${home}>← fleet</a>`}
    <strong class=${`badge ${badge.look}`} title=${badge.means}>${badge.word}</strong>
    <span class=${`state ${tone}`} role="status" title=${status.reasons.join("\n")}>${signs[tone]} ${says}</span>
    <span class="actions">
      ${status.accounts.some(({ latches }) => latches.length > 0) ? html`<${ActionButton} key="resume" action="resumeAll">Resume everything<//>` : null}
      <${ActionButton} key="halt" action="halt">Halt everything<//>
      <details class="menu" key="more">
        <summary>More</summary>
        <div><${ActionButton} action="flatten">Flatten<//></div>
      </details>
    </span>
    <span class="where">
      ${picker(status, account, choose)}
      <span class="chain">${status.chainId}</span>
      <span>height ${status.height ?? "—"}</span>
      <span>up ${durationText(status.nowMs - status.startedAtMs)}</span>
    </span>
  </header>`;
}

/**
 * A single account is named; of several, one is chosen.
 *
 * @type {(status: Status, account: AccountStatus | undefined, choose: (place: string) => void) => unknown}
 */
function picker({ accounts }, account, choose) {
  const named = (/** @type {AccountStatus} */ { accountId, isPaper }) =>
    `account ${accountId}${isPaper ? ", paper" : ""}`;
  if (accounts.length < 2) return account === undefined ? null : html`<span>${named(account)}</span>`;
  const onChange = (/** @type {Event} */ { target }) => choose(/** @type {HTMLSelectElement} */ (target).value);
  return html`<select aria-label="Account" onChange=${onChange}>
    ${accounts.map(
      (each) =>
        html`<option key=${each.accountId} value=${`${each.accountId}/${each.markets[0]?.marketId}`} selected=${each === account}>${named(each)}</option>`,
    )}
  </select>`;
}
