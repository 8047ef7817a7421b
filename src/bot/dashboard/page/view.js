// The whole page: the summary, the chosen market in full, the account, possible losses, fills and decisions.

import { AccountCards } from "./account.js";
import { html } from "./html.js";
import { Blotter, Log } from "./lists.js";
import { Market } from "./market.js";
import { Proposals } from "./proposals.js";
import { RiskCard } from "./risk.js";
import { exposure, Tiles } from "./tiles.js";
import { ActionButton, lacksText, signs, TopBar, toneOfQuotes } from "./top.js";
import { signed, toneOf } from "./words.js";

/**
 * @import { MarketDetail, Meanings } from "../detail.ts"
 * @import { AccountStatus, MarketStatus, Status } from "../status.ts"
 * @import { Answer } from "./risk.js"
 * @import { State } from "./stream.js"
 * @typedef {{ readonly account: AccountStatus; readonly market: MarketStatus }} Found
 */

/** @type {(accounts: readonly AccountStatus[]) => unknown} */
const latches = (accounts) =>
  accounts
    .filter((account) => account.latches.length > 0)
    .map(
      (account) =>
        html`<p key=${account.accountId} class="banner">✗ account ${account.accountId}: ${account.latches.join(" · ")}</p>`,
    );

/** Shown as long as it is true: the next start would run another configuration. @type {(differences: readonly string[]) => unknown} */
const fileNotice = (differences) =>
  differences.length === 0
    ? null
    : html`<div class="banner mild">
        <span>! The saved file differs from what runs: ${differences.join(" · ")}</span>
        <${ActionButton} action="previewSaved">Preview the saved file<//>
      </div>`;

/**
 * A sentence for each market of the account, which selects it.
 *
 * @type {(account: AccountStatus, details: readonly MarketDetail[], chosen: MarketStatus | undefined, choose: (place: string) => void) => unknown}
 */
const markets = (account, details, chosen, choose) =>
  html`<nav aria-label="Markets">
    ${account.markets.map((market) => {
      const lacks = lacksText(market);
      const tone = toneOfQuotes(market);
      const place = `${account.accountId}/${market.marketId}`;
      return html`<button key=${place} type="button" data-choose=${place} aria-pressed=${`${market === chosen}`} onClick=${() => choose(place)}>
        <b>${market.name}</b>
        ${exposure(
          market,
          details.find(({ accountId, marketId }) => accountId === account.accountId && marketId === market.marketId),
        )}
        <span class="soft">${signed(market.position, 3)} · PnL at mid <i class=${toneOf(market.pnlAtMid.total)}>${signed(market.pnlAtMid.total)}</i>, at print <i class=${toneOf(market.pnl.total)}>${signed(market.pnl.total)}</i></span>
        <span class=${`says ${tone}`} title=${lacks}>${signs[tone]} ${lacks === "" ? "quotes both sides" : lacks}</span>
      </button>`;
    })}
  </nav>`;

/** @type {(status: Status) => string} */
const clockText = ({ chainTimeOffsetMs }) => (chainTimeOffsetMs === null ? "—" : `${Math.round(chainTimeOffsetMs)} ms`);

/**
 * The market with this name, `account/market`; the first one if there is none.
 *
 * @type {(status: Status, chosen: string) => Found | undefined}
 */
export function foundIn({ accounts }, chosen) {
  const all = accounts.flatMap((account) => account.markets.map((market) => ({ account, market })));
  return all.find(({ account, market }) => `${account.accountId}/${market.marketId}` === chosen) ?? all[0];
}

/** `stale`: the age of outdated data, as text; "": it is current. `risk`: as last requested. */
/** @param {{ readonly state: State; readonly chosen: string; readonly stale: string; readonly risk: Answer | null; readonly meanings: Meanings; readonly home: string; readonly choose: (place: string) => void }} props */
export function Page({ state, chosen, stale, risk, meanings, home, choose }) {
  const { status, detail } = state;
  const found = foundIn(status, chosen);
  const account = found?.account ?? status.accounts[0];
  const of = detail.markets.find(
    ({ accountId, marketId }) => accountId === account?.accountId && marketId === found?.market.marketId,
  );
  return html`<${TopBar} status=${status} account=${account} stale=${stale} home=${home} choose=${choose} />
    <div class="body">
      ${latches(status.accounts)}
      ${fileNotice(status.fileDifferences)}
      <${Proposals} proposals=${status.proposals} />
      ${account === undefined ? null : html`<${Tiles} state=${state} account=${account} market=${found?.market} />`}
      ${account === undefined ? null : markets(account, detail.markets, found?.market, choose)}
      ${
        found === undefined
          ? null
          : html`<${Market} account=${found.account} market=${found.market} detail=${of} state=${state} meanings=${meanings}>
              <div class="halves"><${Blotter} state=${state} /><${Log} state=${state} /></div>
            <//>`
      }
      <div class="accounts">
        ${status.accounts.map(
          (each) =>
            html`<${AccountCards} key=${each.accountId} account=${each} meanings=${meanings}
              detail=${detail.accounts.find(({ accountId }) => accountId === each.accountId)} />`,
        )}
        <${RiskCard} answer=${risk} />
      </div>
      <footer class="soft">
        Quoin ${status.version} · ${status.phase} · config ${status.config} · clock of the chain ${clockText(status)} from ours · charts by <a href="https://www.tradingview.com/" rel="noreferrer">TradingView Lightweight Charts™</a>
      </footer>
    </div>`;
}
