// How far a print moves the index in one of a hundred cases on either side, for value at risk. It is the whole move from print to print, by
// historical simulation: the quantile of the newest moves themselves, whatever their law.

import { type Nowcast, printDeviationBps } from "./nowcast.ts";

/** For 1 %: moves that follow each other exceed a quantile of the past 4 % more often than independent ones (160 paths of the crowd). */
const TAIL = 0.0096;
/** The normal law has 1 % beyond so many deviations on one side. */
const TAIL_DEVIATIONS = 2.326;
/** Fewer moves show no quantile: then the largest of them, or the normal law with the print deviation, whichever is further. */
export const TAIL_MOVES_MIN = 50;

/** Whether `tailMoveBps` assumes a law because too few moves are known. */
export const isTailAssumed = ({ moves }: Pick<Nowcast, "moves">): boolean => moves.length < TAIL_MOVES_MIN;

/** Returns basis points. Counting moves on both sides, twice as many lie beyond it. */
export function tailMoveBps(nowcast: Pick<Nowcast, "moves" | "deviation">): number {
  const sizes = nowcast.moves.map(Math.abs).sort();
  if (isTailAssumed(nowcast))
    return Math.max(TAIL_DEVIATIONS * printDeviationBps(nowcast), 10_000 * (sizes.at(-1) ?? 0));
  const place = (1 - 2 * TAIL) * (sizes.length + 1) - 1;
  const below = Math.floor(place);
  const [least, most] = [sizes[below] ?? 0, sizes[below + 1] ?? sizes[below] ?? 0];
  return 10_000 * (least + (place - below) * (most - least));
}
