// HTML and SVG as text. All text from outside must go through `escaped`.

import { printable } from "../kernel/printable.ts";

/** For text or an attribute's value; characters that hide or reverse text become visible. */
export const escaped = (text: string): string =>
  printable(text).replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

export type Cell = string | { readonly html: string };

const htmlOf = (cell: Cell): string => (typeof cell === "string" ? escaped(cell) : cell.html);

/** `rows`: text, escaped here, or finished markup. The first column names the row. A table wider than the page scrolls in its own box. */
export function table(caption: string, head: readonly Cell[], rows: readonly (readonly Cell[])[]): string {
  const headCells = head.map((cell) => `<th scope="col">${htmlOf(cell)}</th>`).join("");
  const body = rows.map((row) => {
    const cells = row.map((cell, column) =>
      column === 0 ? `<th scope="row">${htmlOf(cell)}</th>` : `<td>${htmlOf(cell)}</td>`,
    );
    return `<tr>${cells.join("")}</tr>`;
  });
  return `<div class="wide" role="region" tabindex="0" aria-label="${escaped(caption)}"><table><caption>${escaped(caption)}</caption><thead><tr>${headCells}</tr></thead><tbody>${body.join("\n")}</tbody></table></div>`;
}

/** A section of the page with a text, and optionally the numbers behind it. */
export function card(title: string, says: string, body: string, numbers = ""): string {
  const soft = says === "" ? "" : `<p class="soft says">${escaped(says)}</p>`;
  return `<section class="card"><h3>${escaped(title)}</h3>${soft}${body}${folded("The numbers", numbers)}</section>`;
}

export const folded = (summary: string, html: string): string =>
  html === "" ? "" : `<details><summary>${escaped(summary)}</summary>${html}</details>`;

/** A number for people: thousands separators and this many decimals. */
export const decimal = (value: number, digits = 2): string =>
  (Math.abs(value) < 0.5 * 10 ** -digits ? 0 : value)
    .toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })
    .replace("-", "−");

/** The same with its sign. */
export const signed = (value: number, digits = 2): string => {
  const text = decimal(value, digits);
  return value > 0 && /[1-9]/.test(text) ? `+${text}` : text;
};

/** CSS class of the look; the sign of an amount says the same as its color. */
export const toneOf = (value: number): "good" | "bad" | "" => {
  const text = signed(value);
  return text.startsWith("+") ? "good" : text.startsWith("−") ? "bad" : "";
};

export const amount = (value: number): Cell => ({ html: `<span class="${toneOf(value)}">${signed(value)}</span>` });

/** `−1.20 to +3.40`; null: there is none. */
export const span = ([low, high]: readonly [number | null, number | null]): string | null =>
  low === null || high === null ? null : `${signed(low)} to ${signed(high)}`;
