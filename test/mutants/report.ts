// docs/mutants.md as text: what the last whole run tried, where it was, and the test that noticed.

import { equivalents } from "./equivalent.ts";
import { type Mutant, nameOfMutant } from "./mutant.ts";

export type Tried = { readonly mutant: Mutant; readonly killedBy: string | null };

const row = (...cells: readonly (string | number)[]): string =>
  `| ${cells.map((cell) => `${cell}`.replaceAll(/\s+/g, " ").replaceAll("|", "\\|")).join(" | ")} |`;
const head = (...cells: readonly string[]): readonly string[] => [row(...cells), row(...cells.map(() => "---"))];

/** The cells of a row that say which mutant it is of, as they stand in the report. */
export const rowStart = ({ subject, what, file }: Mutant): string => row(subject, what, file);

const parts = [
  { title: "Gates", holds: ({ subject }: Mutant) => subject.startsWith("gate ") },
  { title: "Limits", holds: ({ subject }: Mutant) => subject.startsWith("limit ") },
  { title: "Latches", holds: ({ subject }: Mutant) => subject.startsWith("latch ") },
  { title: "The rest of the guard", holds: ({ file }: Mutant) => file.startsWith("src/bot/risk/") },
  { title: "Other parts", holds: () => true },
];

type Part = { readonly title: string; readonly tried: readonly Tried[] };

/** Each mutant in the first part that holds it. */
function partsOf(tried: readonly Tried[]): readonly Part[] {
  const groups = Map.groupBy(tried, ({ mutant }) => parts.find(({ holds }) => holds(mutant))?.title);
  return parts.map(({ title }) => ({ title, tried: groups.get(title) ?? [] }));
}

const killedIn = (tried: readonly Tried[], folder: string): number =>
  tried.filter(({ killedBy }) => killedBy?.startsWith(`test/${folder}/`)).length;

const isEquivalent = ({ mutant }: Tried): boolean => nameOfMutant(mutant) in equivalents;

function summaryRow({ title, tried }: Part): string {
  const live = tried.filter(({ killedBy }) => killedBy === null);
  const equal = live.filter(isEquivalent).length;
  const counts = ["unit", "property", "simulation"].map((folder) => killedIn(tried, folder));
  const slow = tried.length - live.length - counts.reduce((sum, count) => sum + count, 0);
  return row(title, tried.length, ...counts, slow, equal, live.length - equal);
}

const fateOf = (one: Tried): string => one.killedBy ?? (isEquivalent(one) ? "equivalent, see above" : "**survives**");

const section = ({ title, tried }: Part): readonly string[] => [
  `## ${title}`,
  "",
  ...head("Of", "Mutant", "Source", "Killed by"),
  ...tried.map((one) => `${rowStart(one.mutant)}${row(fateOf(one)).slice(1)}`),
  "",
];

/** `seconds`: how long the run took on so many `benches`. */
export function reportText(
  tried: readonly Tried[],
  run: { readonly seconds: number; readonly benches: number },
): string {
  const all = partsOf(tried);
  return [
    "# Mutants",
    "",
    "Made by `npm run mutants`: each row is the product with one thing wrong, and the first test that noticed. A gate, limit or latch",
    "that is added to the guard's tables is added here by the next run, and a test fails until then. The mutants of other parts are",
    "written by hand, faults that have cost others money (`test/mutants/elsewhere.ts`). Tests of documents do not count.",
    "",
    "- **removed**: the gate is always open, the limit never exceeded, the latch never tripped. **inverted**: only what was fine is not.",
    "- **increase**, **reduce**, **cancel**: another word in that cell of what passes the closed gate. **judges**: whom a limit judges.",
    "- **read as twice**, **as half**: the number of the configuration where the guard reads it.",
    "- **old passes for fresh**, `notFresh(…)` **passes**: a fact that is missing or old is taken for good. What is left are comparisons",
    "  at their edge and turned round, conditions that always or never hold, joins, sums and steps left out.",
    "",
    `${tried.length} mutants in ${run.seconds} s, ${run.benches} at a time.`,
    "",
    ...head(
      "Part",
      "Mutants",
      "Killed by unit tests",
      "properties",
      "simulation",
      "scenarios or time",
      "Equivalent",
      "Survive",
    ),
    ...all.map(summaryRow),
    "",
    "## Equivalent",
    "",
    "What changes nothing that anyone could see, with the proof. The run fails when one of them is killed after all.",
    "",
    ...head("Mutant", "Proof"),
    ...Object.entries(equivalents).map(([name, proof]) => row(name, proof)),
    "",
    ...all.flatMap(section),
  ].join("\n");
}
