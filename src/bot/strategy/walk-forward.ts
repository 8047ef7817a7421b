// How good the nowcast is on a series of prints: predicts each one from those before it, with the code that strategies quote on.

import { ln } from "../../kernel/real.ts";
import {
  NORMAL_95,
  type Nowcast,
  noNowcast,
  nowcastErrorBps,
  nowcastPathUsd,
  nowcastUsd,
  observePrint,
} from "./nowcast.ts";

export type NowcastScore = {
  /** Predicted prints, without those after a gap or after an unconfirmed leap. */
  readonly scored: number;
  /** Root of the mean squared error in log price, over that of predicting the last print. */
  readonly rmseRatio: number;
  /** Share of the prints inside the band that should hold 95 % of them. */
  readonly coverage95: number;
  /** Root of the mean squared error, basis points. */
  readonly surpriseBps: number;
  /** `rmseRatio` so many prints ahead, without a gap between; null: none could be scored, or none of them moved. */
  readonly ahead: Readonly<Record<Ahead, number | null>>;
};

type Ahead = 1 | 5 | 20;

/** A print and how many usual intervals it is after the first one: a jump of more than one is a gap. */
export type SteppedPrint = { readonly usd: number; readonly step: number };

/** Scores the prints from number `from` on, counted from 0; null when there is none to score, or none of them moved. */
export function walkForward(prints: readonly SteppedPrint[], from: number): NowcastScore | null {
  let nowcast: Nowcast = noNowcast;
  let last: SteppedPrint | null = null;
  const sums = { scored: 0, inside: 0, squares: 0, squaresOfMoves: 0 };
  const paths: (readonly number[] | null)[] = [];
  for (const [at, { usd, step }] of prints.entries()) {
    const missing = last === null ? 0 : step - last.step - 1;
    const predicted = nowcastUsd(nowcast);
    if (at >= from && predicted !== null && last !== null && missing === 0) {
      const error = ln(usd / predicted);
      sums.scored += 1;
      sums.inside += Math.abs(error) * 10_000 <= NORMAL_95 * nowcastErrorBps(nowcast) ? 1 : 0;
      sums.squares += error ** 2;
      sums.squaresOfMoves += ln(usd / last.usd) ** 2;
    }
    nowcast = observePrint(nowcast, usd, step, missing);
    paths.push(nowcastPathUsd(nowcast));
    last = { usd, step };
  }
  const { scored, inside, squares, squaresOfMoves } = sums;
  if (squaresOfMoves === 0) return null;
  return {
    scored,
    rmseRatio: Math.sqrt(squares / squaresOfMoves),
    coverage95: inside / scored,
    surpriseBps: 10_000 * Math.sqrt(squares / scored),
    ahead: {
      1: ratioAhead(prints, paths, from, 1),
      5: ratioAhead(prints, paths, from, 5),
      20: ratioAhead(prints, paths, from, 20),
    },
  };
}

/** `paths`: the prediction after each print. */
function ratioAhead(
  prints: readonly SteppedPrint[],
  paths: readonly (readonly number[] | null)[],
  from: number,
  steps: number,
): number | null {
  let [squares, squaresOfMoves] = [0, 0];
  for (const [at, { usd, step }] of prints.entries()) {
    const origin = prints[at - steps];
    const predicted = paths[at - steps]?.[steps - 1];
    if (at < from || origin === undefined || predicted === undefined || step - origin.step !== steps) continue;
    squares += ln(usd / predicted) ** 2;
    squaresOfMoves += ln(usd / origin.usd) ** 2;
  }
  return squaresOfMoves === 0 ? null : Math.sqrt(squares / squaresOfMoves);
}
