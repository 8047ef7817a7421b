// The value of an index at every moment, which its prints follow: between two prints it moves on a path of its own that ends where
// the next print needs it to. Nobody sees it; takers who know trade on it. A pure function of (seed, market, time).

import { type Draw, signedUnit } from "./draws.ts";

const MOODS = 122;
const BRIDGES = 140;
const LEVELS_MAX = 11;
/** No detail below this, milliseconds. */
const FINEST_MS = 20_000;
/** How far each halving may raise or calm what lies within it: restless and quiet times on every scale (a multiplicative cascade). */
const MOOD_SWING = 0.6;
/** Makes a uniform of variance 1 from one within -1 … 1. */
const SQRT_3 = Math.sqrt(3);

/**
 * How far the value stands from the straight line between the ends of span `span`, `along` (0 to 1) of the way; in deviations of a
 * whole span. Lévy's construction of a Brownian bridge: a random tent at each halving, larger in restless times.
 */
export function bridgeAt(draw: Draw, spanMs: number, span: number, along: number): number {
  let moved = 0;
  let mood = 1;
  let widthMs = spanMs;
  // A tent of height 1/2 at the middle of a bridge of variance 1; each halving divides it by the square root of 2.
  let deviation = 1 / 2;
  for (let level = 0; level < LEVELS_MAX && widthMs >= FINEST_MS; level += 1) {
    const position = along * 2 ** level;
    const inSpan = Math.min(Math.floor(position), 2 ** level - 1);
    const tent = span * 2 ** level + inSpan;
    const height = 1 - Math.abs(2 * (position - inSpan) - 1);
    mood *= 1 + MOOD_SWING * signedUnit(draw(MOODS + level, tent));
    moved += height * deviation * mood * SQRT_3 * signedUnit(draw(BRIDGES + level, tent));
    widthMs /= 2;
    deviation *= Math.SQRT1_2;
  }
  return moved;
}
