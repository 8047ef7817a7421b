// Every mutant there is: those of the guard's tables and of its code by rule, and those of other parts by name.

import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { keyMutants, passageMutants, rowMutants } from "./controls.ts";
import { namedMutants } from "./faults.ts";
import { type Mutant, numbered } from "./mutant.ts";
import { operatorMutants } from "./operators.ts";
import { readSource, type Source } from "./source.ts";

const GUARD = "src/bot/risk";
/** What the guard counts by, and the account's sums with it. */
const EXPOSURE = "src/domain/exposure.ts";

/** Of the sources below `root`, in the order of the report. Throws where a source has moved away from a mutant that is kept by name. */
export const allMutants = (root: string): readonly Mutant[] =>
  numbered([...ofTables(root), ...guardSources(root).flatMap(operatorMutants), ...namedMutants(root)]);

/** Those that the tables of the guard and the list of faults name, whatever the code between looks like. */
export const tabledMutants = (root: string): readonly Mutant[] => numbered([...ofTables(root), ...namedMutants(root)]);

function ofTables(root: string): readonly Mutant[] {
  const sources = guardSources(root);
  const passages = sources.filter(({ file }) => file === `${GUARD}/gates/gate.ts`).flatMap(passageMutants);
  return [...sources.flatMap(rowMutants), ...passages, ...sources.flatMap(keyMutants)];
}

function guardSources(root: string): readonly Source[] {
  const files = readdirSync(resolve(root, GUARD), { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  const guard = files.sort((a, b) => (a < b ? -1 : 1)).map((file) => `${GUARD}/${file}`);
  return [...guard, EXPOSURE].map((file) => readSource(root, file));
}
