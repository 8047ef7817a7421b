// Tiles: a figure with its unit and a short text, linked to its explanation.

import { decimal, escaped, signed, toneOf } from "./markup.ts";

/** `figure` is markup, the rest is text. `term`: anchor of its explanation. */
export const tile = (name: string, figure: string, subs: readonly string[], term: string): string =>
  `<div class="tile"><h3><a href="#${term}">${escaped(name)}</a></h3><p class="figure">${figure}</p>${subs.map((sub) => `<p class="sub">${escaped(sub)}</p>`).join("")}</div>`;

/** A bar from zero, 100 wide with zero in the middle; `share`: -1 to 1. */
export const diverging = (share: number): string => {
  const width = 50 * Math.min(1, Math.abs(share));
  return `<svg class="from-zero ${share < 0 ? "bad" : "good"}" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><path class="zero" d="M50 0V8"/><rect x="${(share < 0 ? 50 - width : 50).toFixed(1)}" y="1" width="${width.toFixed(1)}" height="6"/></svg>`;
};

/** Earnings of each source, as bars from zero. */
export function sourcesTile(name: string, bySource: Readonly<Record<string, number>>): string {
  const most = Math.max(1e-9, ...Object.values(bySource).map(Math.abs));
  const rows = Object.entries(bySource).map(
    ([source, value]) =>
      `<tr><th scope="row">${escaped(source)}</th><td>${diverging(value / most)}</td><td class="${toneOf(value)}">${signed(value)}</td></tr>`,
  );
  return `<div class="tile"><h3><a href="#sources">${escaped(name)}</a></h3><table class="by-source">${rows.join("")}</table></div>`;
}

/** Contracts; `limit` null: unknown. */
export type LargestPosition = { readonly name: string; readonly largest: number; readonly limit: number | null };

/** How close positions came to their limits, the closest first; empty without positions. */
export function positionTile(positions: readonly LargestPosition[]): string {
  const shareOf = ({ largest, limit }: LargestPosition): number => (limit === null ? 0 : largest / (limit || 1));
  const [nearest] = positions.toSorted((one, other) => shareOf(other) - shareOf(one));
  if (nearest === undefined) return "";
  const text = ({ name, largest, limit }: LargestPosition): string =>
    `${name} ${decimal(largest)}${limit === null ? "" : ` of ±${decimal(limit)}`}`;
  const share = shareOf(nearest);
  const full = share >= 1 ? "full" : share > 0.8 ? "near" : "";
  const bar =
    nearest.limit === null
      ? ""
      : `<svg class="reach ${full}" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="all" width="100" height="8"/><rect width="${Math.min(100, 100 * share).toFixed(1)}" height="8"/></svg>`;
  const figure = nearest.limit === null ? decimal(nearest.largest) : `${decimal(100 * share, 0)} %`;
  const unit = nearest.limit === null ? "contracts" : "of the limit";
  return `<div class="tile"><h3><a href="#position">Largest position</a></h3><p class="figure">${figure} <small>${unit}</small></p>${bar}${positions.map((of) => `<p class="sub">${escaped(text(of))} contracts</p>`).join("")}</div>`;
}
