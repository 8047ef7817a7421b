// docs/interface.md as text, made from the table.

import { refusals } from "./refusals.ts";
import type { Assumption, Row, Section } from "./row.ts";
import { sections } from "./rows.ts";

const rows: readonly Row[] = sections.flatMap((section) => section.rows);

export function interfaceText(): string {
  const missing = rows.filter((row) => row.missing !== null);
  return [
    "# The exchange's interface, row by row",
    "",
    "Made from the table in `test/interface` by `npx vitest run test/interface/document.test.ts -u`; a test fails when the two differ.",
    "",
    "Every row names the tests that prove it on the devnet through its public HTTP and WebSocket interface, with the project's own client",
    "(`test/interface/client`). A row without a test, or with a test that does not exist, fails the suite. S4.6 is section 4.6 of the",
    `interface. ${rows.length} facts in ${sections.length} sections; ${missing.length === 0 ? "none is missing on the devnet" : `${missing.length} are missing on the devnet`}.`,
    "",
    "**Devnet**: files under `src/devnet`, or `src` where they are shared. **Client**: functions of the client, or files under `src`.",
    "**Bot**: what the daemon uses of it, – where it uses nothing. **Assumed**: where the interface shows nothing; see the end.",
    "",
    ...sections.flatMap(sectionText),
    ...missingText(missing),
    ...assumptionsText(),
    ...refusalsText(),
  ].join("\n");
}

const sectionText = ({ title, rows: of }: Section): readonly string[] => [
  `## ${title}`,
  "",
  ...table(
    ["Row", "Fact", "Devnet", "Client", "Bot", "Assumed"],
    of.map((row) => [
      row.number,
      row.missing === null ? row.fact : `${row.fact} **Missing.**`,
      row.devnet.map(code).join(" "),
      row.client.map(code).join(" "),
      row.bot ?? "–",
      row.assumed.map(reference).join(", ") || "–",
    ]),
  ),
  "",
  "<details><summary>Tests</summary>",
  "",
  ...of.map((row) => `- ${row.number}: ${row.tests.map((name) => `*${escaped(name)}*`).join(" · ")}`),
  "",
  "</details>",
  "",
];

const missingText = (missing: readonly Row[]): readonly string[] =>
  missing.length === 0
    ? []
    : ["## Missing on the devnet", "", ...missing.map((row) => `- ${row.number}: ${row.missing}`), ""];

/** Each assumption once, under the rows that make it. */
function assumptionsText(): readonly string[] {
  const made = new Map<Assumption, readonly string[]>();
  for (const row of rows) for (const each of row.assumed) made.set(each, [...(made.get(each) ?? []), row.number]);
  return [
    "## What is assumed",
    "",
    "Nothing here is given by the interface. NS-n: the interface says that it does not show it. xn: it does not say so. Without either:",
    "a detail of ours. Another exchange may do otherwise; where that can be tried on the devnet, or chosen in the client, it says where.",
    "",
    ...table(
      ["Rows", "", "Assumption", "Reason", "Chosen by"],
      [...made].map(([{ id, what, why, choose }, of]) => [of.join(", "), id, what, why, choose ?? "–"]),
    ),
    "",
  ];
}

/** What a transaction can be refused with, and who asks for that. */
const refusalsText = (): readonly string[] => [
  "## Refusals",
  "",
  "Every code of a transaction that was executed and refused, or of an operator's act. S: the interface asks for it; a reason stands where",
  "it does not, or where it leaves open how.",
  "",
  ...table(
    ["Code", "When", "By", "Reason"],
    refusals.map(({ code: name, when, by, why }) => [code(name), when, by || "ours", why || "–"]),
  ),
  "",
];

const reference = ({ id }: Assumption): string => id || "yes";
const code = (text: string): string => `\`${text}\``;
const escaped = (text: string): string => text.replaceAll(/[|*_<]/g, (sign) => `\\${sign}`);

function table(head: readonly string[], body: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...body.map(line)];
}
