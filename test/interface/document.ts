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
    "Made from the table in `test/interface` by `npx vitest run test/interface/document.test.ts -u`; a test fails when the two differ. The",
    "table also names code and tests of every fact, and a fact without a test fails the suite. S4.6 is section 4.6 of the interface.",
    `${rows.length} facts in ${sections.length} sections; ${missing.length === 0 ? "none is missing on the devnet" : `${missing.length} are missing on the devnet`}.`,
    "",
    "*What is in italics is assumed*: it stands under the fact that it is about, with the reason, and nothing of it is given by the",
    "interface, so another exchange may do otherwise. NS-n: the interface says that it does not show it. xn: it does not say so. Without",
    "either: a detail of ours. **Elsewhere**: how dYdX v4, Hyperliquid or Drift differ, where one would expect their way, by",
    "[these pages](#elsewhere). **Choose**: where another reading can be had, in the devnet's configuration or in the client. **Bot**: what",
    "the daemon uses of a fact.",
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
  "Every code of a transaction that was executed and refused, or of an operator's act. S: the interface asks for it; a reason stands where",
  "it does not, or where it leaves open how.",
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
