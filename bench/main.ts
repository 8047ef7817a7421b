// `npm run bench`: measures, and prints a table or, with --json, one object a line. `--only NAME` runs one, `--quick`
// is short: its goal is 40 seconds for all (contract, section 7).

import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { backtest, backtestDaily } from "./backtest.ts";
import { backtestQueue } from "./backtest-queue.ts";
import { clearing } from "./clearing.ts";
import { devnetHttp } from "./devnet-http.ts";
import { eventToSend } from "./event-to-send.ts";
import { jointBook } from "./joint-book.ts";
import { journal } from "./journal.ts";
import { matching } from "./matching.ts";
import type { Bench, BenchResult } from "./measure.ts";
import { papers } from "./papers.ts";
import { printGuard } from "./print-guard.ts";
import { recovery } from "./recovery.ts";
import { scale } from "./scale.ts";
import { simulation } from "./simulation.ts";
import { start } from "./start.ts";
import { turn } from "./turn.ts";
import { writeBehind } from "./write-behind.ts";

const BENCHES: readonly Bench[] = [
  matching,
  clearing,
  devnetHttp,
  eventToSend,
  writeBehind,
  turn,
  papers,
  printGuard,
  jointBook,
  journal,
  recovery,
  start,
  scale,
  simulation,
  backtest,
  backtestDaily,
  backtestQueue,
];

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    only: { type: "string" },
  },
});

function short(value: number): string {
  return Math.round(value).toLocaleString("en-US").padStart(12);
}

function rounded(line: Readonly<Record<string, string | number>>): Readonly<Record<string, string | number>> {
  return Object.fromEntries(
    Object.entries(line).map(([key, value]) => [key, typeof value === "number" ? Number(value.toPrecision(6)) : value]),
  );
}

const chosen = BENCHES.filter((bench) => values.only === undefined || bench.name === values.only);
if (chosen.length === 0) {
  console.error(`no bench is named ${values.only}; there are ${BENCHES.map((bench) => bench.name).join(", ")}`);
  process.exitCode = 2;
} else {
  if (!values.json) console.log(`${machine()}\n`);
  for (const bench of chosen) print(await bench.run({ quick: values.quick }));
}

function machine(): string {
  const [cpu] = cpus();
  return `${cpu?.model ?? "unknown processor"}, ${cpus().length} cores, Node ${process.version}, ${process.platform}`;
}

function print(result: BenchResult): void {
  const { beside, ...line } = result;
  if (values.json) {
    console.log(JSON.stringify(rounded({ ...line, ...beside })));
    return;
  }
  const { name, value, unit, reference, referenceValue, ratio } = result;
  console.log(
    `${name.padEnd(14)} ${short(value)} ${unit}   ${ratio.toFixed(2)} x ${reference} (${short(referenceValue)})`,
  );
  for (const [key, figure] of Object.entries(beside ?? {})) console.log(`${"".padEnd(14)} ${short(figure)}   ${key}`);
}
