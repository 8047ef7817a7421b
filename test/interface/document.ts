// docs/interface.md and docs/reference/interface-assumptions.md as text, made from the table.

import { refusals } from "./refusals.ts";
import type { Assumption, Row, Section } from "./row.ts";
import { sections } from "./rows.ts";
import { sources } from "./sources.ts";

const rows: readonly Row[] = sections.flatMap((section) => section.rows);

export function interfaceText(): string {
  const missing = rows.filter((row) => row.missing !== null);
  return [
    "# The exchange's interface, row by row",
    "",
    "What the devnet serves and the bot relies on, by section of the interface (S4.6 is its section 4.6).",
    `${rows.length} facts in ${sections.length} sections; ${missing.length === 0 ? "none is missing on the devnet" : `${missing.length} are missing on the devnet`}.`,
    "",
    "- *Italics*: an assumption where the interface is silent. Another exchange may differ; [why these](reference/interface-assumptions.md), and",
    "  how other exchanges do it. The [codes of refusals](reference/interface-assumptions.md#refusals) stand there too.",
    "- NS-n: the interface says that it does not specify this. xn: it is silent. Neither: a detail of ours.",
    "- **Bot**: what the daemon uses the fact for. **Choose**: where another reading can be set.",
    "",
    "Generated from `test/interface`, which proves every fact: `npx vitest run test/interface/document.test.ts -u`. A fact",
    "without a test fails the suite.",
    "",
    ...sections.flatMap(sectionText),
    ...missingText(missing),
  ].join("\n");
}

/** docs/reference/interface-assumptions.md as text: why each assumption is made, and what other exchanges do. */
export const assumptionsText = (): string =>
  [
    "# Why the interface's gaps are filled as they are",
    "",
    "Each assumption of [the exchange's interface](../interface.md) by its row there, with its reason, and where dYdX v4, Hyperliquid or Drift differ",
    "([sources](#sources)). Generated from `test/interface`: `npx vitest run test/interface/document.test.ts -u`.",
    "",
    ...sections.flatMap(({ title, rows: of }) => {
      const reasons = of.flatMap((row) => firstOf(row).map((each) => reasonText(row, each)));
      return reasons.length === 0 ? [] : [`## ${title}`, "", ...reasons, ""];
    }),
    ...refusalsText(),
    ...sourcesText(),
  ].join("\n");

const reasonText = ({ number }: Row, each: Assumption): string =>
  `- **${[number, ...othersOf(each), each.id].filter(Boolean).join(" ")}** *${escaped(each.what)}*: ${each.why}.${each.elsewhere === null ? "" : ` Elsewhere: ${each.elsewhere}.`}`;

/** Facts, each with its assumptions under it. An assumption that several facts make stands under the first. */
function sectionText({ title, rows: of }: Section): readonly string[] {
  const items = of.flatMap((row) => {
    const { number, fact, missing, bot } = row;
    const says = [fact, missing === null ? "" : "**Missing.**", bot === null ? "" : `**Bot**: ${bot}`];
    return [
      `- **${number}** ${says.filter(Boolean).join(" ")}`,
      ...firstOf(row).map((each) => {
        const names = [...othersOf(each), each.id].filter(Boolean).join(" ");
        const chosen = each.choose === null ? "" : `. **Choose**: ${each.choose}`;
        return `  - ${names === "" ? "" : `**${names}** `}*${escaped(each.what)}*${chosen}`;
      }),
    ];
  });
  return [`## ${title}`, "", ...items, ""];
}

/** The row's assumptions that no earlier row makes. */
const firstOf = (row: Row): readonly Assumption[] =>
  row.assumed.filter((each) => rows.find((other) => other.assumed.includes(each)) === row);

/** The further rows that make an assumption. */
const othersOf = (each: Assumption): readonly string[] =>
  rows
    .filter(({ assumed }) => assumed.includes(each))
    .slice(1)
    .map(({ number }) => number);

const missingText = (missing: readonly Row[]): readonly string[] =>
  missing.length === 0
    ? []
    : ["## Missing on the devnet", "", ...missing.map((row) => `- ${row.number}: ${row.missing}`), ""];

/** What a transaction can be refused with, who asks for that, and where the interface leaves it open, why. */
const refusalsText = (): readonly string[] => [
  "## Refusals",
  "",
  "Every code with which an executed transaction, or an operator's act, can be refused, and the section that asks for it. Without a section it is",
  "ours.",
  "",
  ...refusals.map(
    ({ code: name, when, by, why }) =>
      `- ${code(name)}: ${when}${by === "" ? "" : ` (${by})`}${why === "" ? "" : `; ${why}`}`,
  ),
  "",
];

/** The pages that the remarks on other exchanges were checked against. */
const sourcesText = (): readonly string[] => [
  "## Sources",
  "",
  ...table(
    ["Exchange", "Page", "Says"],
    sources.map(({ exchange, page, of }) => [exchange, `<${page}>`, of]),
  ),
  "",
];

/** As italics around it need. */
const escaped = (text: string): string => text.replaceAll(/[*_]/g, (sign) => `\\${sign}`);
const code = (text: string): string => `\`${text}\``;

function table(head: readonly string[], body: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...body.map(line)];
}
