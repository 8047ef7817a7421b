// `npm run bench`: measures and prints a table, with --json one object per line, or with --markdown the page docs/benchmarks.md. `--only
// NAME[,NAME]` selects benches, `--quick` is short (goal: 40 seconds for all). `--against REF` compares another commit with this state.

import { fork } from "node:child_process";
import { once } from "node:events";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { messageOf } from "../src/kernel/errors.ts";
import { type Comparison, checkOut, commitOf, compare } from "./against.ts";
import { benches } from "./benches.ts";
import { type Bench, type BenchResult, figuresOf, shown } from "./measure.ts";
import { pageOf } from "./page.ts";

const values = given();

/** Mostly waits: a quick run of all benches runs it in a parallel process. */
const WAITS = "recovery";

const short = (value: number): string => shown(value).padStart(12);

function rounded(line: Readonly<Record<string, string | number>>): Readonly<Record<string, string | number>> {
  return Object.fromEntries(
    Object.entries(line).map(([key, value]) => [key, typeof value === "number" ? Number(value.toPrecision(6)) : value]),
  );
}

const named = values.only?.split(",").map((name) => name.trim());
const chosen = benches.filter(({ name }) => named === undefined || named.includes(name));
const unknown = (named ?? []).filter((name) => benches.every((bench) => bench.name !== name));
if (unknown.length > 0) {
  console.error(`no bench is named ${unknown.join(", ")}; there are ${benches.map((bench) => bench.name).join(", ")}`);
  process.exitCode = 2;
} else if (values.against !== undefined) {
  process.exitCode = await runAgainst(values.against);
} else if (process.send !== undefined) {
  for (const bench of chosen) process.send(await bench.run({ quick: values.quick }));
} else if (values.markdown) {
  const results: BenchResult[] = [];
  for (const run of runsOf(chosen)) results.push(await run());
  const date = new Date().toISOString().slice(0, 10);
  process.stdout.write(pageOf(results, { machine: machine(), date, isQuick: values.quick }));
} else {
  if (!values.json) console.log(`${machine()}\n`);
  for (const run of runsOf(chosen)) print(await run());
}

/** One after the other. */
function runsOf(of: readonly Bench[]): readonly (() => Promise<BenchResult>)[] {
  const waiting = values.quick && of.length > 1 ? inOwnProcess(WAITS) : null;
  return of.map((bench) => () => {
    // The page is printed at the end, so this shows the progress.
    if (values.markdown && process.stderr.isTTY) console.error(bench.name);
    return bench.name === WAITS && waiting !== null ? waiting : bench.run({ quick: values.quick });
  });
}

/** Returns the exit code. */
async function runAgainst(ref: string): Promise<number> {
  const commit = await commitOf(ref);
  if (commit === null) {
    console.error(`no commit is named ${ref}: give a branch, a tag or a hash of this checkout`);
    return 2;
  }
  const other = await checkOut(commit);
  const stop = (): void => void other.remove().finally(() => process.exit(1));
  process.once("SIGINT", stop).once("SIGTERM", stop);
  try {
    if (!values.json)
      console.log(`${machine()}
`);
    for (const { name } of chosen)
      printComparison(ref, await compare(name, other, { pairs: values.quick ? 3 : 5, quick: values.quick }));
    return 0;
  } finally {
    await other.remove();
  }
}

function printComparison(against: string, { name, unit, value, againstValue, ratio }: Comparison): void {
  if (values.json) {
    const line = { name, value, against, againstValue, ratio, unit };
    const rounding = (figure: unknown) => (typeof figure === "number" ? Number(figure.toPrecision(6)) : figure);
    console.log(JSON.stringify(Object.fromEntries(Object.entries(line).map(([key, is]) => [key, rounding(is)]))));
    return;
  }
  const cell = (figure: number | null): string => (figure === null ? "none".padStart(12) : short(figure));
  console.log(
    `${name.padEnd(14)} ${cell(value)} ${unit}   ${against}: ${cell(againstValue)}   ${ratio === null ? "" : `${ratio.toFixed(3)} x`}`,
  );
}

async function inOwnProcess(name: string): Promise<BenchResult> {
  const child = fork(import.meta.filename, ["--quick", "--only", name]);
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`bench ${name} ended with ${code}`);
  });
  const [result] = await Promise.race([once(child, "message"), ended]);
  return result as BenchResult;
}

function given() {
  try {
    return parseArgs({
      options: {
        json: { type: "boolean", default: false },
        markdown: { type: "boolean", default: false },
        quick: { type: "boolean", default: false },
        only: { type: "string" },
        against: { type: "string" },
      },
    }).values;
  } catch (error) {
    console.error(
      `${messageOf(error)}; usage: npm run bench -- [--quick] [--only NAME[,NAME]] [--against REF] [--json | --markdown]`,
    );
    process.exit(2);
  }
}

function machine(): string {
  const [cpu] = cpus();
  return `${cpu?.model ?? "unknown processor"}, ${cpus().length} cores, Node ${process.version}, ${process.platform}`;
}

function print(result: BenchResult): void {
  const { name, value, unit, reference, referenceValue, ratio } = result;
  if (values.json) {
    console.log(JSON.stringify(rounded({ name, value, unit, reference, referenceValue, ratio, ...figuresOf(result) })));
    return;
  }
  console.log(
    `${name.padEnd(14)} ${short(value)} ${unit}   ${ratio.toFixed(2)} x ${reference} (${short(referenceValue)})`,
  );
  for (const [key, figure] of Object.entries(figuresOf(result)))
    console.log(`${"".padEnd(14)} ${short(figure)}   ${key}`);
}
