// What a whole run found, as text: a summary by part, then a row per mutant.

import { equivalents } from "./equivalent.ts";
import { type Mutant, nameOfMutant } from "./mutant.ts";

/** `killedBy`: the first test that failed with the mutant in place; null when none did. */
export type Tried = { readonly mutant: Mutant; readonly killedBy: string | null };

/** `seconds`: how long the run took with so many mutants tried at a time. */
export type Run = { readonly seconds: number; readonly benches: number };

const row = (...cells: readonly (string | number)[]): string =>
  `| ${cells.map((cell) => `${cell}`.replaceAll(/\s+/g, " ").replaceAll("|", "\\|")).join(" | ")} |`;
const head = (...cells: readonly string[]): readonly string[] => [row(...cells), row(...cells.map(() => "---"))];

const parts = [
  { title: "Gates", holds: ({ subject }: Mutant) => subject.startsWith("gate ") },
  { title: "Limits", holds: ({ subject }: Mutant) => subject.startsWith("limit ") },
  { title: "Latches", holds: ({ subject }: Mutant) => subject.startsWith("latch ") },
  { title: "The rest of the guard", holds: ({ file }: Mutant) => file.startsWith("src/bot/risk/") },
  { title: "Other parts", holds: () => true },
];

/** Each item in the first part that holds its mutant, in the order of the report. */
function byPart<T>(items: readonly T[], mutantOf: (item: T) => Mutant): readonly (readonly [string, readonly T[]])[] {
  const groups = Map.groupBy(items, (item) => parts.find(({ holds }) => holds(mutantOf(item)))?.title);
  return parts.map(({ title }) => [title, groups.get(title) ?? []]);
}

const isEquivalent = ({ mutant }: Tried): boolean => nameOfMutant(mutant) in equivalents;
const hasSurvived = (one: Tried): boolean => one.killedBy === null && !isEquivalent(one);

function resultRow([title, tried]: readonly [string, readonly Tried[]]): string {
  const killedIn = (folder: string): number =>
    tried.filter(({ killedBy }) => killedBy?.startsWith(`test/${folder}/`)).length;
  const counts = ["unit", "property", "simulation"].map(killedIn);
  const live = tried.filter(({ killedBy }) => killedBy === null);
  const slow = tried.length - live.length - counts.reduce((sum, count) => sum + count, 0);
  const survivors = live.filter(hasSurvived);
  return row(title, tried.length, ...counts, slow, live.length - survivors.length, survivors.length);
}

/** The report of a whole run, as Markdown. */
export function reportText(tried: readonly Tried[], { seconds, benches }: Run): string {
  const survivors = tried.filter(hasSurvived).map(({ mutant }) => `- ${nameOfMutant(mutant)}`);
  return [
    "# Mutants",
    "",
    "A mutant is the product with one thing wrong. `npm run mutants` tries each one in a copy of the project and records the first test",
    "that fails. Tests of documents do not count.",
    "",
    `This run tried ${tried.length} mutants in ${seconds} s, ${benches} at a time.`,
    "",
    ...head(
      "Part",
      "Mutants",
      "Killed by unit tests",
      "properties",
      "simulation",
      "scenarios or time",
      "Equivalent",
      "Survived",
    ),
    ...byPart(tried, ({ mutant }) => mutant).map(resultRow),
    "",
    "- **Gates, limits, latches**: each row of the guard's tables is removed and inverted; each cell of what passes a closed gate gets each",
    "  other value; each limit judges other commands than it should; each number of the configuration is read as twice and as half.",
    "- **The rest of the guard**: comparisons at their edge and inverted, conditions that always or never hold, other operators, steps left",
    "  out, stale facts that pass for fresh.",
    "- **Other parts**: faults that have cost others money, written by hand in `test/mutants/faults.txt`.",
    "",
    "## Survivors",
    "",
    ...(survivors.length === 0 ? ["None."] : survivors),
    "",
    "## Equivalent mutants",
    "",
    "These change nothing that anyone could observe; the reason stands beside each. The run fails when a test kills one of them.",
    "",
    ...head("Mutant", "Reason"),
    ...Object.entries(equivalents).map(([name, reason]) => row(name, reason)),
    "",
    "## Every mutant",
    "",
    ...head("Part", "Subject", "Mutant", "Source", "Killed by"),
    ...byPart(tried, ({ mutant }) => mutant).flatMap(([title, some]) =>
      some.map((one) => row(title, one.mutant.subject, one.mutant.what, one.mutant.file, fateOf(one))),
    ),
    "",
  ].join("\n");
}

const fateOf = (one: Tried): string => one.killedBy ?? (isEquivalent(one) ? "equivalent" : "**survived**");
