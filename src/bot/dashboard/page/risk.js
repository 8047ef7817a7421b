// Possible losses, computed on request: the scenarios of `quoin risk` and the limits that should stop them.

import { html } from "./html.js";
import { storedToken } from "./session.js";
import { decimal, timeText } from "./words.js";

/**
 * @import { AccountAtRisk, AtRisk, MarketAtRisk } from "../risk.ts"
 * @typedef {AtRisk | { readonly failed: string }} Answer
 * @typedef {Extract<AccountAtRisk["lines"][number], { kind: "scenario" }>} Scenario
 */

/** The daemon's current result, or why it failed. @type {() => Promise<Answer>} */
export async function askRisk() {
  const token = storedToken();
  const headers = /** @type {Record<string, string>} */ (token === null ? {} : { authorization: `Bearer ${token}` });
  try {
    const answer = await fetch(`risk.json${location.search}`, { cache: "no-store", headers });
    if (answer.ok) return await answer.json();
    return { failed: `the daemon refused: HTTP ${answer.status}` };
  } catch {
    return { failed: "the daemon does not answer" };
  }
}

/** @type {(scenario: Scenario) => string} */
function nameOf({ scenario, deviations }) {
  if (deviations === null) return "one settlement of funding at its cap";
  const moves = `${deviations > 0 ? "+" : "−"}${Math.abs(deviations)} ${Math.abs(deviations) === 1 ? "deviation" : "deviations"}`;
  return scenario === "printGap" ? `print of ${moves}` : `print an interval late, ${moves}`;
}

/** @type {(bps: number | null) => string} */
const distanceText = (bps) => (bps === null ? "none" : bps === 0 ? "LIQUIDATED" : `${bps} bps`);

/**
 * Highlights a loss that reaches the account's limit, or the sum of its markets' limits.
 *
 * @type {(scenario: Scenario, limit: number) => unknown}
 */
const scenarioRow = (scenario, limit) =>
  html`<tr>
    <th scope="row">${nameOf(scenario)}</th>
    <td class=${Number(scenario.loss) >= limit ? "bad" : ""}>${decimal(Number(scenario.loss))}</td>
    <td>${scenario.marginRatio === null ? "no margin needed" : decimal(scenario.marginRatio)}</td>
    <td class=${scenario.liquidationDistanceBps === 0 ? "bad" : ""}>${distanceText(scenario.liquidationDistanceBps)}</td>
  </tr>`;

/** @type {(market: MarketAtRisk) => unknown} */
const limitRow = ({ name, position, maxLoss, actsAtBps, printDeviationBps, largestBelievedLoss }) => {
  const texts = [
    position,
    decimal(Number(maxLoss)),
    actsAtBps === null ? "no position fits" : `${actsAtBps} bps`,
    `${decimal(printDeviationBps, 1)} bps`,
    decimal(Number(largestBelievedLoss)),
  ];
  return html`<tr><th scope="row">${name}</th>${texts.map((text) => html`<td>${text}</td>`)}</tr>`;
};

/** @type {(label: string, heads: readonly string[], rows: readonly unknown[]) => unknown} */
const scrolled = (label, heads, rows) =>
  html`<div class="scrolled" tabindex="0" role="region" aria-label=${label}>
    <table class="wide">
      <thead><tr>${heads.map((name) => html`<th key=${name} scope="col">${name}</th>`)}</tr></thead>
      <tbody>${rows}</tbody>
    </table>
  </div>`;

const limitHeads = [
  "market",
  "contracts",
  "maxLoss, USDC",
  "acts after",
  "print deviation",
  "largest believed print loses, USDC",
];

/** @type {(account: AccountAtRisk) => unknown} */
function accountParts({ accountId, lacks, equity, maxLoss, lines, markets }) {
  if (lacks !== null) return html`<p class="bad">Account ${accountId}: ${lacks}.</p>`;
  const limit = maxLoss === null ? markets.reduce((sum, market) => sum + Number(market.maxLoss), 0) : Number(maxLoss);
  const name = maxLoss === null ? "its markets' maxLoss together" : "its maxLoss";
  return html`<h4>Account ${accountId}: equity ${decimal(Number(equity))} USDC, ${name} ${decimal(limit)}; every position at its limit, on the side that loses</h4>
    ${scrolled(
      `Scenarios of account ${accountId}`,
      ["scenario", "loss, USDC", "margin ratio", "to liquidation"],
      lines.flatMap((line) => (line.kind === "scenario" ? [scenarioRow(line, limit)] : [])),
    )}
    ${lines.map((line) =>
      line.kind === "var"
        ? html`<p>In ${Math.round(100 * line.confidence)} of 100 cases the next print of all markets together loses at most ${decimal(Number(line.loss))} USDC${line.assumed ? ", assumed from the print deviation until enough moves of each index are known" : ""}.</p>`
        : null,
    )}
    ${scrolled(`Limits of account ${accountId}`, limitHeads, markets.map(limitRow))}`;
}

/** `answer` null: not requested yet. @param {{ readonly answer: Answer | null }} props */
export const RiskCard = ({ answer }) =>
  html`<section class="card risk" aria-label="What would be lost">
    <h3>What would be lost</h3>
    <p class="actions">
      <button type="button" data-ask="risk">${answer === null ? "Work it out" : "Work it out again"}</button>
      <span class="soft">${answer !== null && "atMs" in answer ? ` as of ${timeText(answer.atMs)}` : " with every position at its limit"}</span>
    </p>
    ${answer === null ? null : "failed" in answer ? html`<p class="bad">${answer.failed}</p>` : answer.accounts.map(accountParts)}
  </section>`;
