// `npm run mutants`: tries each mutant in a scratch copy of the project and writes the report var/mutants.md.
// Exits 1 when one survives. `--only TEXT` tries only those whose name contains the text, and writes nothing;
// `--benches N` says how many are tried at a time (default: one per core).

import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { messageOf } from "../../src/kernel/errors.ts";
import { allMutants } from "./all.ts";
import { Bench } from "./bench.ts";
import { equivalents } from "./equivalent.ts";
import { type Mutant, nameOfMutant } from "./mutant.ts";
import { reportText, type Tried } from "./report.ts";
import { project } from "./source.ts";
import { guardTests } from "./tests.ts";

const values = given();
const startedMs = performance.now();
if (!/^[1-9]\d?$/.test(values.benches)) wrongUsage(`--benches ${values.benches}: must be a whole number from 1 to 99`);
const benches = Array.from({ length: Number(values.benches) }, () => new Bench());
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
process.once("exit", () => {
  for (const bench of benches) bench.close();
});

const everyMutant = allMutants(benches[0]?.root ?? project);
const chosen = everyMutant.filter((mutant) => nameOfMutant(mutant).includes(values.only));
if (chosen.length === 0)
  wrongUsage(`--only ${values.only}: none of ${everyMutant.length} mutants has that in its name`);
const testsOf = (mutant: Mutant): readonly string[] => mutant.tests ?? guardTests(mutant.file);

/** Each bench takes the next question as soon as it is free; the results are in the order of the questions. */
async function share<Q, R>(line: readonly Q[], ask: (bench: Bench, question: Q) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  const waiting = line.entries();
  await Promise.all(
    benches.map(async (bench) => {
      for (const [at, question] of waiting) results[at] = await ask(bench, question);
    }),
  );
  return results;
}

await share([...new Set(chosen.flatMap(testsOf))], async (bench, test) => {
  const failed = await bench.run([test]);
  if (failed !== null) throw new Error(`fails without any mutant: ${failed}`);
});

let done = 0;
const tried: readonly Tried[] = await share(chosen, async (bench, mutant) => {
  const killedBy = await bench.tryOut(mutant, testsOf(mutant));
  done += 1;
  console.log(`${done}/${chosen.length} ${nameOfMutant(mutant)}: ${killedBy ?? "SURVIVES"}`);
  return { mutant, killedBy };
});
const run = { seconds: Math.round((performance.now() - startedMs) / 1000), benches: benches.length };
console.log(`${tried.length} mutants in ${run.seconds} s`);
if (values.only === "") {
  mkdirSync(resolve(project, "var"), { recursive: true });
  writeFileSync(resolve(project, "var/mutants.md"), reportText(tried, run));
}

const faults = [...lostEquivalents(), ...tried.flatMap(faultOf)];
for (const fault of faults) console.error(fault);
process.exit(faults.length === 0 ? 0 : 1);

function given(): { readonly only: string; readonly benches: string } {
  const benches = `${availableParallelism()}`;
  try {
    return parseArgs({
      options: { only: { type: "string", default: "" }, benches: { type: "string", default: benches } },
    }).values;
  } catch (error) {
    wrongUsage(`${messageOf(error)}; usage: npm run mutants -- [--only TEXT] [--benches N]`);
  }
}

function wrongUsage(why: string): never {
  console.error(why);
  process.exit(2);
}

function faultOf({ mutant, killedBy }: Tried): readonly string[] {
  const name = nameOfMutant(mutant);
  if (killedBy !== null) return name in equivalents ? [`is killed, so it is no equivalent: ${name}`] : [];
  return name in equivalents ? [] : [`survives: ${name}`];
}

function lostEquivalents(): readonly string[] {
  const names = new Set(everyMutant.map(nameOfMutant));
  return Object.keys(equivalents).flatMap((name) => (names.has(name) ? [] : [`there is no such mutant: ${name}`]));
}
