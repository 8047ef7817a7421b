// A table in Markdown: the first column names its row, the others are figures.

export function tableOf(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const rule = headings.map((_, at) => (at === 0 ? "---" : "--:"));
  return [headings, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}
