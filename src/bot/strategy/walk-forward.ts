// How good the nowcast is on a series of prints: predicts each one from those before it, with the code that strategies quote on. Also
// measures what an outside fact adds.

import { ln } from "../../kernel/real.ts";
import { studentT95 } from "../../kernel/student.ts";
import { estimateTiming } from "../timing.ts";
import {
  NORMAL_95,
  type Nowcast,
  noNowcast,
  nowcastErrorBps,
  nowcastPathUsd,
  nowcastUsd,
  observePrint,
} from "./nowcast.ts";
import { followOutside, judgeOutside, noOutside, outsideShift, outsideWeight } from "./outside.ts";

/**
 * Fewer scored prints are no figure: of 30, a root of mean squares is known to an eighth (1 / sqrt(2 n) of a normal variable's deviation),
 * and the longest lag of the model is as long.
 */
export const SCORED_MIN = 30;

/** Null: fewer than `SCORED_MIN` prints were scored. */
export type NowcastScore = {
  /** Predicted prints, without those after a gap or after an unconfirmed leap. */
  readonly scored: number;
  /** Root of the mean squared error in log price, over that of predicting the last print. */
  readonly rmseRatio: number | null;
  /** Share of the prints inside the band that should hold 95 % of them. */
  readonly coverage95: number | null;
  /** Root of the mean squared error, basis points. */
  readonly surpriseBps: number | null;
  /** `rmseRatio` so many prints ahead, without a gap between; null too where none of them moved. */
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
    rmseRatio: ofEnough(scored, Math.sqrt(squares / squaresOfMoves)),
    coverage95: ofEnough(scored, inside / scored),
    surpriseBps: ofEnough(scored, 10_000 * Math.sqrt(squares / scored)),
    ahead: {
      1: ratioAhead(prints, paths, from, 1),
      5: ratioAhead(prints, paths, from, 5),
      20: ratioAhead(prints, paths, from, 20),
    },
  };
}

const ofEnough = (scored: number, figure: number): number | null => (scored < SCORED_MIN ? null : figure);

/** `paths`: the prediction after each print. */
function ratioAhead(
  prints: readonly SteppedPrint[],
  paths: readonly (readonly number[] | null)[],
  from: number,
  steps: number,
): number | null {
  let [scored, squares, squaresOfMoves] = [0, 0, 0];
  for (const [at, { usd, step }] of prints.entries()) {
    const origin = prints[at - steps];
    const predicted = paths[at - steps]?.[steps - 1];
    if (at < from || origin === undefined || predicted === undefined || step - origin.step !== steps) continue;
    scored += 1;
    squares += ln(usd / predicted) ** 2;
    squaresOfMoves += ln(usd / origin.usd) ** 2;
  }
  return squaresOfMoves === 0 ? null : ofEnough(scored, Math.sqrt(squares / squaresOfMoves));
}

/** Null: fewer than `SCORED_MIN` prints were scored. */
export type SignalScore = {
  /** Prints that were predicted while the fact was known. */
  readonly scored: number;
  /** Root of the mean squared error in log price, over that of predicting the last print. */
  readonly rmseRatio: number | null;
  /** The same without the fact, over the same prints. */
  readonly withoutRatio: number | null;
  /** Squared error with the fact over that without. */
  readonly squaresRatio: number | null;
  /** Mean weight of the fact, 0 to 1, and the weight after the last print. */
  readonly weightMean: number;
  readonly weight: number;
  /** USDC per contract and print that the fact earns against quotes without it: the surprise in the direction that it shows. */
  readonly usdcPerContract: number | null;
  readonly usdcCi95: readonly [low: number, high: number] | null;
};

/** Looks at a fact from print to print. The rate at which it moves the nowcast is per print, so their spacing does not matter. */
const LOOKS = 24;
const LOOK_MS = 1000 * estimateTiming.bookUnseenMaxSec;

/**
 * Scores a fact on the prints from number `from` on. `values`: the fact before each print; null: absent. Null when there is none to score,
 * or none of them moved.
 */
export function walkForwardSignal(
  prints: readonly SteppedPrint[],
  values: readonly (number | null)[],
  from: number,
): SignalScore | null {
  let nowcast: Nowcast = noNowcast;
  let states = noOutside;
  let last: SteppedPrint | null = null;
  const sums = { with: 0, without: 0, moves: 0, weight: 0 };
  const taken: number[] = [];
  for (const [at, { usd, step }] of prints.entries()) {
    const missing = last === null ? 0 : step - last.step - 1;
    const predicted = nowcastUsd(nowcast);
    const surprise = nowcastErrorBps(nowcast) / 10_000;
    const value = values[at] ?? null;
    if (predicted !== null && last !== null) {
      const facts = value === null ? {} : { signal: known(value) };
      const beside = { lastUsd: last.usd, own: ln(predicted / last.usd), surprise, everyMs: LOOKS * LOOK_MS };
      for (let look = 0; look <= LOOKS; look += 1) states = followOutside(states, facts, beside, look * LOOK_MS);
    }
    const shift = outsideShift(states) ?? 0;
    if (at >= from && predicted !== null && last !== null && missing === 0 && value !== null) {
      const error = ln(usd / predicted);
      sums.with += (error - shift) ** 2;
      sums.without += error ** 2;
      sums.moves += ln(usd / last.usd) ** 2;
      sums.weight += weightIn(states);
      taken.push(Math.sign(shift) * (usd - predicted));
    }
    nowcast = observePrint(nowcast, usd, step, missing);
    const isLearned = predicted !== null && nowcast.leap === null && missing === 0;
    states = judgeOutside(states, { usd, missed: isLearned ? ln(usd / predicted) : null }, surprise);
    last = { usd, step };
  }
  const scored = taken.length;
  if (sums.moves === 0 || sums.without === 0) return null;
  const earned = scored < SCORED_MIN ? null : meanOf(taken);
  return {
    scored,
    rmseRatio: ofEnough(scored, Math.sqrt(sums.with / sums.moves)),
    withoutRatio: ofEnough(scored, Math.sqrt(sums.without / sums.moves)),
    squaresRatio: ofEnough(scored, sums.with / sums.without),
    weightMean: sums.weight / scored,
    weight: weightIn(states),
    usdcPerContract: earned?.mean ?? null,
    usdcCi95: earned?.ci95 ?? null,
  };
}

const known = (value: number) => ({ state: "fresh", value: { value, asOfMs: 0 }, ageMs: 0 }) as const;

const weightIn = ({ signal }: typeof noOutside): number => (signal === undefined ? 0 : outsideWeight(signal));

/** `values`: at least two. */
function meanOf(values: readonly number[]): { readonly mean: number; readonly ci95: SignalScore["usdcCi95"] } {
  const count = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const half = studentT95(count - 1) * Math.sqrt(squares / (count - 1) / count);
  return { mean, ci95: [mean - half, mean + half] };
}
