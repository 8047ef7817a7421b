// One account: its funds, its requests, its limits over all markets, and its PnL by day.

import { DayBars } from "./bars.js";
import { html } from "./html.js";
import { card, fact, table } from "./market.js";
import { Limits } from "./settings.js";
import { decimal, signed, toneOf } from "./words.js";

/**
 * @import { AccountDetail, Meanings } from "../detail.ts"
 * @import { AccountStatus } from "../status.ts"
 */

/** @param {{ readonly account: AccountStatus; readonly detail: AccountDetail | undefined; readonly meanings: Meanings }} props */
export const AccountCards = ({ account, detail, meanings }) => [
  html`<section class="card" key="facts" data-place=${account.accountId} aria-label=${`account ${account.accountId}`}>
    <h3>Account ${account.accountId}${account.isPaper ? " — PAPER" : ""}</h3>
    ${table([
      fact("equity at print, USDC", decimal(account.equityUsdc)),
      fact("equity at mid, USDC", decimal(account.equityAtMidUsdc)),
      fact("margin ratio", decimal(account.marginRatio)),
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
        account.agentKeyExpiresAtSec === null ? "never" : new Date(account.agentKeyExpiresAtSec * 1000).toUTCString(),
      ),
    ])}
    <${Limits} name="Limits over all markets" limits=${detail?.limits ?? {}} meanings=${meanings.accountLimits} />
  </section>`,
  card("PnL by day (UTC), USDC", html`<${DayBars} days=${detail?.days ?? []} />`),
];
