// docs/benchmarks.md from one run of all benches: a row per bench, and one per further figure with a goal; then the last run beside the peers.

import { readFileSync } from "node:fs";
import { type AimedFigure, type BenchResult, type Goal, shown } from "./measure.ts";

export type RunFacts = { readonly machine: string; readonly date: string; readonly isQuick: boolean };

const HEADINGS = ["Bench", "Ours", "Peer or floor of the same run", "Ratio", "Goal", "Reached"];

const STATISTICS = `
Comparisons of strategies are in [strategies.md](strategies.md#measurements), with their commands. Statistics are no benches. These tests hold them, with fixed seeds (npx vitest run FILE):

| What | File |
| --- | --- |
| intervals of A and k of the fill model, the share of the informed | test/unit/backtest/recorded/reach.test.ts |
| the fitted queue model where makers leave from the front, anywhere, the back | test/unit/backtest/recorded/queue-fit.test.ts |
| better under looks at every seed | test/unit/backtest/paired.test.ts |
| intervals over blocks, markout bands | test/unit/backtest/summary.test.ts, test/unit/report/charts.test.ts |
`;

const PEERS = `
## Beside hftbacktest and nautilus_trader

\`npx node bench/peers/main.ts > bench/peers/measured.md\` installs both into a temporary folder and runs all three on docs/sample-session.qrec: 4 bps
either side of the mid, requoted at a move of a tick; then the session's own orders at their recorded instants. \`npm run bench\` does not run it.

${readFileSync(new URL("peers/measured.md", import.meta.url), "utf8").trimEnd()}

Speed is by processor time. Quoin is the slowest: it runs the whole bot, its guards and an exchange, and reads the recording in its loop; the peers run
ten lines on arrays in memory, hftbacktest as machine code that each process compiles first. P and R: shares of the predicted and of the real volume that
the same order traded (P is 1 where nothing is predicted), by instant in the same millisecond; USDC: the volume, or how far off it is. The crowd of the session is Quoin's own: another
market may rank the models otherwise. What the peers count wrongly, and how the scripts keep the comparison fair:

- hftbacktest, partial: its account leaves out partial fills; fills are read from its orders, and PnL is reckoned from them. An order that is filled to the
  last lot still counts as open; orders are a tenth of a lot smaller.
- nautilus_trader: a trade with its taker's side never fills the order that it hits. Without the side it fills every order at its price, whatever stood in
  front. A trade's price stands for the best prices until the next quote; a quote follows each trade.
- Not worked around: in hftbacktest one trade fills each of our orders at its price, and one through the price fills any size; in nautilus_trader a level
  that our order has taken is there for the next one.
`;

/** The page, as Markdown. */
export function pageOf(results: readonly BenchResult[], { machine, date, isQuick }: RunFacts): string {
  const rows = results.flatMap((result) => [
    rowOf(result),
    ...(result.goals ?? []).map((aimed) => aimedRow(result, aimed)),
  ]);
  const lines = [HEADINGS, HEADINGS.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  const flag = isQuick ? " --quick" : "";
  return `# Benchmarks

\`npm run -s bench -- --markdown${flag} > docs/benchmarks.md\` wrote this page on ${date}, on ${machine}.${isQuick ? " Each bench ran once, and shortly." : ""}
A ratio is ours as a multiple of the reference; where a goal alone is the reference it is the share of the goal that is reached. \`npm run bench --
--only matching\` runs one bench, and prints its further figures too.

${lines.join("\n")}
${STATISTICS}${PEERS}`;
}

function rowOf(result: BenchResult): readonly string[] {
  const { name, value, unit, reference, referenceValue, ratio } = result;
  const [peer, goal] =
    reference === "the goal" ? ["", goalOf(result)] : [`${reference}: ${shown(referenceValue)}`, result.goal];
  return [`\`${name}\``, `${shown(value)} ${unit}`, peer, `${shown(ratio)} x`, ...goalCells(value, goal)];
}

/** Goal of a bench that is compared only with it; the ratio shows which direction is better. */
const goalOf = ({ value, referenceValue, ratio }: BenchResult): Goal => ({
  goal: referenceValue,
  wanted: value >= referenceValue === ratio >= 1 ? "atLeast" : "atMost",
});

const aimedRow = ({ name }: BenchResult, { figure, value, unit, ...goal }: AimedFigure): readonly string[] => [
  `\`${name}\`: ${figure}`,
  `${shown(value)} ${unit}`,
  "",
  "",
  ...goalCells(value, goal),
];

function goalCells(value: number, goal: Goal | undefined): readonly string[] {
  if (goal === undefined) return ["", ""];
  if (goal.wanted === "atLeast") return [`at least ${shown(goal.goal)}`, value >= goal.goal ? "yes" : "no"];
  return [`at most ${shown(goal.goal)}`, value <= goal.goal ? "yes" : "no"];
}
