// The law of takers fitted to a session, with intervals.

import { noReachSums, type ReachSums, type Taker, totalOf, usualTouch, withTaker } from "../../bot/strategy/reach.ts";
import { lawOf, type ReachLaw, WIDTH_MAX } from "../../bot/strategy/reach-law.ts";
import { exp, ln } from "../../kernel/real.ts";
import { studentT95 } from "../../kernel/student.ts";
import { sumOf } from "../summary.ts";

/** One stretch of a session: its takers, and for how many seconds the touch was at each distance. */
export type ReachStretch = { readonly takers: readonly Taker[]; readonly touches: ReachSums["touches"] };

/** Each stretch added up, its takers by their weight. */
export function sumsOf(stretches: readonly ReachStretch[], weightOf: (taker: Taker) => number): readonly ReachSums[] {
  const times = stretches.map(({ touches }): ReachSums => ({ ...noReachSums, touches }));
  const usual = usualTouch(totalOf(times)) ?? 0;
  return stretches.map(({ takers }, at) =>
    takers.reduce((sums, taker) => withTaker(sums, taker, usual, weightOf(taker)), times[at] ?? noReachSums),
  );
}

/** Each value with its 95 % interval; null where that would be too wide. */
export type ReachFit = { readonly a: Interval95 | null; readonly k: Interval95 | null };
type Interval95 = { readonly value: number; readonly low: number; readonly high: number };

/**
 * Intervals leave out one stretch at a time (jackknife) and go by Student's t in the logarithm. What successive stretches have in common counts
 * (Newey and West, 1987, one lag). Null where nothing tells the law.
 */
export function reachFit(parts: readonly ReachSums[]): ReachFit | null {
  const law = lawOf(totalOf(parts));
  if (law === null) return null;
  const count = parts.length;
  const others = parts.flatMap((left) => lawOf(totalOf(parts.filter((each) => each !== left))) ?? []);
  if (others.length < count) return null;
  const intervalOf = (of: (law: ReachLaw) => number): Interval95 | null => {
    const logs = others.map((each) => ln(of(each)));
    const mean = sumOf(logs, (each) => each) / count;
    const off = logs.map((each) => each - mean);
    const squares = sumOf(off, (each) => each ** 2);
    const shared = off.reduce((sum, each, at) => sum + each * (off[at + 1] ?? 0), 0);
    const error = Math.sqrt(((count - 1) / count) * (squares + 2 * Math.max(0, shared)));
    const factor = exp(studentT95(count - 1) * error);
    const value = of(law);
    return factor ** 2 > WIDTH_MAX ? null : { value, low: value / factor, high: value * factor };
  };
  const k = intervalOf((each) => each.k);
  return { a: k === null ? null : intervalOf((each) => each.a), k };
}
