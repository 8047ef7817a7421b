// Explains the figures of a report, as a card to which they link.

import { escaped } from "./markup.ts";

/** Figures link to the anchor. */
export type Term = readonly [anchor: string, term: string, means: string];

/** `pages`: where the full explanation is. */
export const termsCard = (terms: readonly Term[], pages: string): string =>
  `<section class="card" aria-labelledby="terms"><h3 id="terms">What the figures mean</h3><dl class="terms">${terms.map(([anchor, term, means]) => `<div id="${anchor}"><dt>${escaped(term)}</dt><dd>${escaped(means)}</dd></div>`).join("\n")}</dl><p class="soft">The whole: ${escaped(pages)} of Quoin.</p></section>`;
