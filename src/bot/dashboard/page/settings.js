// Settings that an operator may change: strategy parameters, and limits, each with its meaning and its allowed direction.

import { html } from "./html.js";
import { storedToken } from "./session.js";
import { plain } from "./words.js";

/**
 * @import { LimitMeanings, MarketDetail, Meanings } from "../detail.ts"
 * @import { MarketStatus } from "../status.ts"
 * @typedef {{ readonly name: string; readonly value: string; readonly means: string; readonly tighter: string }} Line
 */

/** @type {Meanings} */
export const noMeanings = { limits: {}, accountLimits: {}, params: {} };

/** Empty if the daemon does not answer: settings are then shown without meanings. @type {() => Promise<Meanings>} */
export async function askMeanings() {
  const token = storedToken();
  const headers = /** @type {Record<string, string>} */ (token === null ? {} : { authorization: `Bearer ${token}` });
  try {
    const answer = await fetch(`meanings.json${location.search}`, { cache: "no-store", headers });
    return answer.ok ? await answer.json() : noMeanings;
  } catch {
    return noMeanings;
  }
}

/** @type {(kind: "params" | "limits", line: Line) => unknown} */
const row = (kind, { name, value, means, tighter }) =>
  html`<tr key=${name}>
    <th scope="row">${plain(name)}${means === "" ? null : html`<small class="means">${means}</small>`}</th>
    <td>${value}</td>
    <td>
      <button type="button" data-action=${kind} data-name=${name} data-value=${value} data-means=${means} data-tighter=${tighter}
        aria-label=${`${kind === "params" ? "change" : "tighten"} ${plain(name)}`}>
        ${kind === "params" ? "change" : tighter === "higher" ? "tighten ↑" : "tighten ↓"}
      </button>
    </td>
  </tr>`;

/** @param {{ readonly market: MarketStatus; readonly detail: MarketDetail; readonly meanings: Meanings }} props */
export function Settings({ market: { strategy }, detail: { params, limits }, meanings }) {
  const ofStrategy = meanings.params[strategy] ?? {};
  return html`<section class="card settings" aria-label="Settings">
    <h3>Strategy ${strategy}</h3>
    <table><tbody>
      ${Object.entries(params).map(([name, value]) => row("params", { name, value, means: ofStrategy[name] ?? "", tighter: "" }))}
    </tbody></table>
    <${Limits} name="Limits" limits=${limits} meanings=${meanings.limits} />
  </section>`;
}

/** @param {{ readonly name: string; readonly limits: Readonly<Record<string, string>>; readonly meanings: LimitMeanings }} props */
export const Limits = ({ name: title, limits, meanings }) =>
  html`<details class="settings">
    <summary>${title} (you can only tighten them here)</summary>
    <table><tbody>
      ${Object.entries(limits).map(([name, value]) => row("limits", { name, value, means: "", tighter: "lower", ...meanings[name] }))}
    </tbody></table>
  </details>`;
