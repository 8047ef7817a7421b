// docs/interface.md as text, made from the table.

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
    "- *Italics*: an assumption where the interface is silent, under the fact that it completes, with the reason. Another exchange may differ.",
    "- NS-n: the interface says that it does not specify this. xn: it is silent. Neither: a detail of ours.",
    "- **Bot**: what the daemon uses the fact for.",
    "- **Choose**: where another reading can be set, in the devnet's configuration or the client.",
    "- **Elsewhere**: how dYdX v4, Hyperliquid or Drift differ ([sources](#elsewhere)).",
    "",
    "Generated from `test/interface`, which also names code and tests of every fact: `npx vitest run test/interface/document.test.ts -u`. A fact",
    "without a test fails the suite.",
    "",
    ...sections.flatMap(sectionText),
    ...missingText(missing),
    ...refusalsText(),
    ...sourcesText(),
  ].join("\n");
}

/** Facts, each with its assumptions under it. An assumption that several facts make stands under the first. */
function sectionText({ title, rows: of }: Section): readonly string[] {
  const body = of.flatMap((row) => {
    const { number, fact, missing, bot, assumed } = row;
    const first = assumed.filter((each) => rows.find((other) => other.assumed.includes(each)) === row);
    return [
      [number, missing === null ? fact : `${fact} **Missing.**`, bot === null ? "" : `**Bot**: ${bot}`],
      ...first.map((each) => [[...othersOf(each), each.id].join(" "), `*${escaped(each.what)}*`, reasonOf(each)]),
    ];
  });
  return [`## ${title}`, "", ...table(["Row", "Fact, *assumption*", "Why"], body), ""];
}

/** The further rows that make an assumption. */
const othersOf = (each: Assumption): readonly string[] =>
  rows
    .filter(({ assumed }) => assumed.includes(each))
    .slice(1)
    .map(({ number }) => number);

const reasonOf = ({ why, elsewhere, choose }: Assumption): string =>
  [why, elsewhere && `**Elsewhere**: ${elsewhere}`, choose && `**Choose**: ${choose}`].filter(Boolean).join(". ");

const missingText = (missing: readonly Row[]): readonly string[] =>
  missing.length === 0
    ? []
    : ["## Missing on the devnet", "", ...missing.map((row) => `- ${row.number}: ${row.missing}`), ""];

/** What a transaction can be refused with, and who asks for that. */
const refusalsText = (): readonly string[] => [
  "## Refusals",
  "",
  "Every code with which an executed transaction, or an operator's act, can be refused. S: the interface asks for it; otherwise, or where it",
  "leaves details open, the reason is given.",
  "",
  ...table(
    ["Code", "When", "By", "Reason"],
    refusals.map(({ code: name, when, by, why }) => [code(name), when, by || "ours", why]),
  ),
  "",
];

/** By what the column Elsewhere was checked. */
const sourcesText = (): readonly string[] => [
  "## Elsewhere",
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
