// The result of a search as text: a table of its candidates, and the verdict.

import { aligned, setText } from "../table.ts";
import type { CandidateLine, Tuned } from "./tune.ts";

/** Unconfirmed candidates that are shown. */
const OTHERS_SHOWN = 10;

export function tunedText({ candidates, line }: Tuned): string {
  const confirmed = candidates.filter((candidate) => candidate.confirmed);
  const others = candidates.filter((candidate) => !candidate.confirmed);
  const shown = others.slice(0, OTHERS_SHOWN);
  const left = others.length - shown.length;
  return [
    "Confirmed on seeds that the search did not use:\n",
    aligned([HEAD, ...confirmed.map(row)]),
    ...(shown.length === 0 ? [] : ["\nStopped in the search, on its seeds:\n", aligned([HEAD, ...shown.map(row)])]),
    ...(left === 0 ? [] : [`and ${left} more, with --json\n`]),
    `\n${MEANING}\n${line.winner === null ? "" : `${nameOf(line.winner)}: `}${line.reason}.\n`,
  ].join("");
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

const nameOf = ({ set }: Pick<CandidateLine, "set">): string =>
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
    isPresent ? "-" : `${line.verdict}${line.keeps ? "" : ", breaks a limit"}`,
  ];
}
