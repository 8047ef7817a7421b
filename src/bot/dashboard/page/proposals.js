// Open proposals: what each would change, as text, and the buttons with which a person decides.

import { html } from "./html.js";
import { utcText } from "./words.js";

/** @import { ProposalLine } from "../status.ts" */

/** @type {(proposal: ProposalLine) => string} */
const wordsOf = ({ id, by, difference, reason }) =>
  `proposal ${id} of ${by}: ${difference.join("; ")}. Its reason: ${JSON.stringify(reason)}.`;

/** @type {(action: string, verb: string, proposal: ProposalLine) => unknown} */
const decision = (action, verb, proposal) =>
  html`<button type="button" data-action=${action} data-id=${proposal.id} data-means=${wordsOf(proposal)}>${verb}</button>`;

/** @param {{ readonly proposals: readonly ProposalLine[] }} props */
export const Proposals = ({ proposals }) =>
  proposals.map(
    (proposal) => html`<section key=${proposal.id} class="banner mild" aria-label=${`proposal ${proposal.id}`}>
      <span>? ${wordsOf(proposal)} It expires at ${utcText(Date.parse(proposal.expiresAt))}.</span>
      <span>${decision("approve", "Approve…", proposal)} ${decision("refuse", "Refuse…", proposal)}</span>
    </section>`,
  );
