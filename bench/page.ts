// docs/benchmarks.md from one run of all benches: a row per bench, and one per further figure with a goal; then the last run beside the peers.

import { readFileSync } from "node:fs";
import { type AimedFigure, type BenchResult, type Goal, shown } from "./measure.ts";

export type RunFacts = { readonly machine: string; readonly date: string; readonly isQuick: boolean };

const HEADINGS = ["Bench", "Ours", "Peer or floor of the same run", "Ratio", "Goal", "Reached"];

const STATISTICS = `
## Statistics

Comparisons of strategies are in [strategies.md](strategies.md#measurements), what the crowd is like in [crowd.md](crowd.md), both with their
commands. Other statistics are here, with fixed seeds, measured on 2026-11-29. A test fails beyond the bound in brackets (\`npx vitest run FILE\`); where there
are only brackets the bound is all that it tells.

| What | Measured (bound) | Test or command |
| --- | --- | --- |
| next print of a US national index, from number 60 on: error over the last print's; prints in the band of 95 % | 0.461 (0.47); 95.2 % (93 to 97) | test/unit/bot/strategy/nowcast.test.ts |
| 5 and 20 prints ahead: error over the last print's | 0.503; 0.707 | \`npx quoin calibrate --prints FILE --series 5826765\` |
| next print on 20 random walks: error over the last print's | 0.2 % more (0.5) | test/unit/bot/strategy/nowcast.test.ts |
| on 20 series each of two AR(1) and two AR(2): over that of the ARMA models alone | at most 0.2 % more (0.5) | the same |
| on 20 series each, averages of 6, 8, 15 and 22 prints: likewise | 23 % less (20) | the same |
| carry fair value by the prints ahead, funding over a day, five paths of the crowd's index: error; true basis points for one shown | 13.4 bps rms of 49 (15), by the next print alone 18.2; 1.02 (0.95 to 1.05) | test/unit/bot/strategy/worth.test.ts |
| a rule that quotes the side of the premium, by the prints ahead less by the next one alone, 80 days | -0.10 ± 0.91 USDC a day | \`npx node bench/crowd.ts --premium --over next,path --rules 0.25 --days 8 --seeds 10 --seed 7201\` |
| value at risk: moves beyond what 1 % should pass, down and up, on 20 paths of the crowd; on the national index | 0.99 and 1.00 % (0.8 to 1.2); 1.3 and 1.7 % (0.2 to 2) | test/unit/bot/strategy/tail-move.test.ts |
| outside facts that lie, are late, repeat themselves or leaked once: squared error that they add | (0.5 %) | test/unit/bot/strategy/outside.test.ts |
| fill model: of 100 sessions each in four worlds, those whose interval holds A; k | 92 to 97; 95 to 98 (90 to 98), none wider than a factor of three | test/unit/backtest/recorded/reach.test.ts |
| share of the informed below 0.05 where nobody is | in 96 of 100 sessions (95) | the same |
| fitted queue where makers leave from the front, anywhere, from the back: F1 by instant; volume; PnL | 0.990 or more (0.955); within 2.0 % (5); within 5.3 % (10) | test/unit/backtest/recorded/queue-fit.test.ts |
| equal settings that are ever called better while seeds are added, up to 40: normal differences; scores of real runs; the worst pair of these | 9 of 1,000 (50); 44 of 1,000 (50); 21 % (25) | test/unit/backtest/chance.test.ts |
| intervals of a sum over 6, 10, 30 blocks that hold its mean | 94.8, 94.8, 95.7 % (93 to 97) | test/unit/backtest/summary.test.ts |
| markout bands over 2, 3, 5, 10, 40 days of unequal fills that hold the mean | 93.5 to 95 % (93 to 97) | test/unit/report/charts.test.ts |
| searches of \`tune\` over 16 equally good settings, centered scores of real runs, that call one better; where half of the settings follow the scores | 4.0 % of 1,000 (6.5); 4.1 % of 1,000 (6.5) | test/unit/backtest/tune/proof.test.ts |
| confirmed on the seeds of the search, which is forbidden | 9.4 % of 500 (above 6.5) | the same |
| a known surface: regret, as a share of the grid's spread, with at most 15 % of the grid's runs | 0.75 % (2) | the same |
| a race of 16: runs of the whole grid's, at no more regret, 20 and 40 seeds | 88, 83 % (90) | the same |
| a search that follows the scores beside even points, hills and a peak of four parameters: loss of the surface's height | 19.3 instead of 28.1 %; 21.9 instead of 38.8 % | \`npx node bench/tune-surrogate.ts\` |
| searches whose candidates differ only in the draws of their latencies | the first three of five found nothing | \`npx node bench/tune-null.ts --searches 5 --seed 20001\` |
| on recordings, walk-forward: searches without a better setting that call one so; a known top found; its regret | 0 of 100 (6.5 %); in 20 of 20 (18); 0.02 of 4 USDC (0.6) | test/unit/backtest/tune/recorded.test.ts |
| deflated Sharpe: the best of 20 trials without skill that is believed | (6.5 % of 200 searches) | test/unit/backtest/tune/sharpe.test.ts |
| a screening beside full runs, 16 settings on 20 seeds: rank correlation; the same best; the same or not clearly worse; regret, of the spread; processor time, streams made | 0.947; 46.5 %; 92 %; 2.8 %; 20.5 to 27 times less | \`npx node bench/screen-truth.ts --seeds 20\` |
| what \`ablate\` says that skew, answers to toxic flow and requote tolerance earn, beside the whole market run again without, 5 seeds of 6 hours | in none of the 15 do both intervals exclude 0, so no sign is judged | \`npx node bench/ablation-truth.ts --seeds 5 --hours 6 --seed 3001\` |
| days sum to the whole across midnights; drawdown counts from the starting equity | exact | test/unit/backtest/recorder.test.ts, test/unit/bot/report/period.test.ts |
| a year is 365 mean days, not compounded, from two whole days on | exact | test/unit/report/annual.test.ts |
| a close in any pieces realizes the same base units | exact; less than a base unit a piece where fills are rounded | test/property/split-close.test.ts |
`;

const PEERS = `
## Beside hftbacktest and nautilus_trader

\`npx node bench/peers/main.ts > bench/peers/measured.md\` installs both into a temporary folder and runs all three on docs/sample-session.qrec: 4 bps
either side of the mid, requoted at a move of a tick; then the session's own orders at their recorded instants. \`npm run bench\` does not run it.

${readFileSync(new URL("peers/measured.md", import.meta.url), "utf8").trimEnd()}

Speed is by processor time. The machine is shared: another run of the day had 41,600 events/s for the screening and 4,780,000 for hftbacktest. A full
run is the slowest: it is the whole bot, its guards and an exchange, and reads the recording in its loop. A screening decides as the bot does, over a
market that it has read before. The peers run ten lines on arrays in memory, hftbacktest as machine code that each process compiles first.

P and R: shares of the predicted and of the real volume that the same order traded (none where nothing is predicted), by instant in the same
millisecond; USDC: the volume, or how far off it is. The crowd of the session is Quoin's own: another market may rank the models otherwise. What the
peers count wrongly, and how the scripts keep the comparison fair:

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
