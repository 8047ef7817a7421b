// The result of a search as text: a table of its candidates, and the verdict.

import { meanOf } from "../summary.ts";
import { aligned, setText } from "../table.ts";
import type { CandidateLine, Tuned } from "./tune.ts";
import type { WalkForwardLine } from "./walk-forward.ts";

/** Unconfirmed candidates that are shown. */
const OTHERS_SHOWN = 10;

export function tunedText({ candidates, line }: Tuned): string {
  const { walkForward } = line;
  const isRecorded = walkForward !== undefined;
  const confirmed = candidates.filter((candidate) => candidate.confirmed);
  const others = candidates.filter((candidate) => !candidate.confirmed);
  const shown = others.slice(0, OTHERS_SHOWN);
  const left = others.length - shown.length;
  const [first, rest] = isRecorded
    ? ["Picked by earlier blocks, and over the blocks that follow:", "Never picked:"]
    : ["Confirmed on seeds that the search did not use:", "Stopped in the search, on its seeds:"];
  return [
    walkForward == null ? "" : `${foldsText(walkForward)}\n`,
    walkForward === null ? "" : `${first}\n`,
    aligned([HEAD, ...confirmed.map(row)]),
    ...(shown.length === 0 ? [] : [`\n${rest}\n`, aligned([HEAD, ...shown.map(row)])]),
    ...(left === 0 ? [] : [`and ${left} more, with --json\n`]),
    screenedText(confirmed),
    `\n${MEANING}\n${line.winner === null ? "" : `${nameOf(line.winner)}: `}${line.reason}.\n`,
  ].join("");
}

/** How far the screening was off; "" without one. */
function screenedText(confirmed: readonly CandidateLine[]): string {
  const off = confirmed.flatMap(({ scoreMean, screenedScore }) =>
    screenedScore == null ? [] : [screenedScore - scoreMean],
  );
  if (off.length === 0) return "";
  const mean = meanOf(off);
  return `\nThe screening, which chose who raced, scored these ${Math.abs(mean).toFixed(2)} USDC a day ${mean < 0 ? "lower" : "higher"} on average, from ${Math.min(...off).toFixed(2)} to ${Math.max(...off).toFixed(2)}.\n`;
}

/** A row per stretch: what the blocks before it picked, and what this scored in it. */
function foldsText({ halfLifeHours, folds, neighbors }: WalkForwardLine): string {
  const iso = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
  const rows = folds.map(({ fromMs, toMs, trainBlocks, testBlocks, set, lead }) => [
    ...[iso(fromMs), iso(toMs), `${trainBlocks}`, `${testBlocks}`],
    ...[nameOf({ set }), lead.toFixed(2)],
  ]);
  const head = ["from", "to", "blocks before", "blocks", "picked", "less present"];
  const around = neighbors.map(({ set, lead }) => `${setText(set)} ${lead.toFixed(2)}`);
  return `Walk-forward from print to print; half of a premium is gone after ${Number(halfLifeHours.toPrecision(3))} h:\n${aligned([head, ...rows])}${
    around.length === 0 ? "" : `Neighbors of the last pick, less present over all blocks: ${around.join(", ")}\n`
  }`;
}

const HEAD = [
  "",
  "score a day",
  "pnl closed",
  "worst day",
  "position",
  "uptime",
  "actions/day",
  "runs",
  "less present",
  "95 % from",
  "to",
  "p",
  "verdict",
];

const MEANING =
  "score: USDC a day with positions closed, less half of what the worst tenth of days lose. position: standard deviation, contracts. * no other\nconfirmed one has more score, a better worst day and a steadier position. p is corrected by Holm; better: p below 0.05.";

export const nameOf = ({ set }: Pick<CandidateLine, "set">): string =>
  Object.keys(set).length === 0 ? "present configuration" : setText(set);

function row(line: CandidateLine): readonly string[] {
  const { difference } = line;
  const [low, high] = (difference?.ci95 ?? [null, null]).map((end) => end?.toFixed(2) ?? "-");
  const isPresent = Object.keys(line.set).length === 0;
  return [
    `${nameOf(line)}${line.pareto ? " *" : ""}`,
    line.scoreMean.toFixed(2),
    line.pnlMean.toFixed(2),
    line.worstDay.toFixed(2),
    line.positionStd.toFixed(2),
    `${(100 * line.quoteUptime).toFixed(1)} %`,
    `${line.actionsPerDay}`,
    `${line.runs}`,
    difference?.mean.toFixed(2) ?? "-",
    low ?? "-",
    high ?? "-",
    difference?.p.toFixed(4) ?? "-",
    isPresent ? "-" : `${line.verdict}${line.keeps ? "" : ", breaks a limit"}${line.trades ? "" : ", never trades"}`,
  ];
}
