// HTML and SVG as text. Whatever comes from outside passes `escaped`.

/** As text or as an attribute's value. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

type Cell = string | { readonly html: string };

/** `rows`: text, escaped here, or ready markup. The first column names the row. */
export function table(caption: string, head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const headCells = head.map((text) => `<th scope="col">${escaped(text)}</th>`).join("");
  const body = rows.map((row) => {
    const cells = row.map((cell, column) => {
      const html = typeof cell === "string" ? escaped(cell) : cell.html;
      return column === 0 ? `<th scope="row">${html}</th>` : `<td>${html}</td>`;
    });
    return `<tr>${cells.join("")}</tr>`;
  });
  return `<div class="scroll"><table><caption>${escaped(caption)}</caption><thead><tr>${headCells}</tr></thead><tbody>${body.join("\n")}</tbody></table></div>`;
}

/** A picture with its words, and the numbers behind it where they are wanted. */
export function figure(title: string, svg: string, says: string, numbers = ""): string {
  const details = numbers === "" ? "" : `<details><summary>The numbers</summary>${numbers}</details>`;
  return `<figure><figcaption><h3>${escaped(title)}</h3><p>${escaped(says)}</p></figcaption>${svg}${details}</figure>`;
}

/** An amount for readers: thousands apart, two digits behind the point. */
export const money = (value: number): string =>
  value.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
