// What would be lost, asked for by a button: the scenarios of `quoin risk` beside the limits that are to stop them.

import { storedToken } from "./actions.js";
import { element } from "./dom.js";
import { heads } from "./market.js";
import { decimal, timeText } from "./words.js";

/**
 * @import { AccountAtRisk, AtRisk, MarketAtRisk } from "../risk.ts"
 * @import { Part, Tag } from "./dom.js"
 * @typedef {AtRisk | { readonly failed: string }} Answer
 * @typedef {Extract<AccountAtRisk["lines"][number], { kind: "scenario" }>} Scenario
 */

/** What the daemon works out now, or why it did not. @type {() => Promise<Answer>} */
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

/** A loss that reaches the account's limit, or all of its markets' together, stands out. @type {(scenario: Scenario, limit: number) => Tag} */
const scenarioRow = (scenario, limit) =>
  element(
    "tr",
    {},
    element("th", { scope: "row" }, nameOf(scenario)),
    element("td", { class: Number(scenario.loss) >= limit ? "bad" : "" }, decimal(Number(scenario.loss))),
    element("td", {}, scenario.marginRatio === null ? "no margin needed" : decimal(scenario.marginRatio)),
    element(
      "td",
      { class: scenario.liquidationDistanceBps === 0 ? "bad" : "" },
      distanceText(scenario.liquidationDistanceBps),
    ),
  );

/** @type {(market: MarketAtRisk) => Tag} */
const limitRow = ({ name, position, maxLoss, actsAtBps, printDeviationBps, largestBelievedLoss }) =>
  element(
    "tr",
    {},
    element("th", { scope: "row" }, name),
    ...[
      position,
      decimal(Number(maxLoss)),
      actsAtBps === null ? "no position fits" : `${actsAtBps} bps`,
      `${decimal(printDeviationBps, 1)} bps`,
      decimal(Number(largestBelievedLoss)),
    ].map((text) => element("td", {}, text)),
  );

/** @type {(account: AccountAtRisk) => readonly Tag[]} */
function accountParts({ accountId, lacks, equity, maxLoss, lines, markets }) {
  if (lacks !== null) return [element("p", { class: "bad" }, `Account ${accountId}: ${lacks}.`)];
  const limit = maxLoss === null ? markets.reduce((sum, market) => sum + Number(market.maxLoss), 0) : Number(maxLoss);
  const name = maxLoss === null ? "its markets' maxLoss together" : "its maxLoss";
  return [
    element(
      "h4",
      {},
      `Account ${accountId}: equity ${decimal(Number(equity))} USDC, ${name} ${decimal(limit)}; every position at its limit, on the side that loses`,
    ),
    element(
      "div",
      { class: "scrolled", tabindex: "0", role: "region", "aria-label": `Scenarios of account ${accountId}` },
      element(
        "table",
        { class: "blotter" },
        heads(["scenario", "loss, USDC", "margin ratio", "to liquidation"]),
        ...lines.flatMap((line) => (line.kind === "scenario" ? [scenarioRow(line, limit)] : [])),
      ),
    ),
    ...lines.flatMap((line) =>
      line.kind === "var"
        ? [
            element(
              "p",
              {},
              `In ${Math.round(100 * line.confidence)} of 100 cases the next print of all markets together loses at most ${decimal(Number(line.loss))} USDC.`,
            ),
          ]
        : [],
    ),
    element(
      "div",
      { class: "scrolled", tabindex: "0", role: "region", "aria-label": `Limits of account ${accountId}` },
      element(
        "table",
        { class: "blotter" },
        heads([
          "market",
          "contracts",
          "maxLoss, USDC",
          "acts after",
          "print deviation",
          "largest believed print loses, USDC",
        ]),
        ...markets.map(limitRow),
      ),
    ),
  ];
}

/** `answer` null: nobody has asked. @type {(answer: Answer | null) => Tag} */
export const riskCard = (answer) =>
  element(
    "section",
    { class: "card wide", "aria-label": "What would be lost" },
    element("h3", {}, "What would be lost"),
    element(
      "p",
      { class: "actions" },
      element("button", { type: "button", "data-ask": "risk" }, answer === null ? "Work it out" : "Work it out again"),
      element("span", { class: "soft" }, answer !== null && "atMs" in answer ? ` as of ${timeText(answer.atMs)}` : ""),
    ),
    .../** @type {readonly Part[]} */ (
      answer === null
        ? []
        : "failed" in answer
          ? [element("p", { class: "bad" }, answer.failed)]
          : answer.accounts.flatMap(accountParts)
    ),
  );
