// News that no print tells, which come and go: with the way of the index from print to print they are the hidden value of a market. A
// pure function of (seed, market, time).

import { type Draw, signedUnit } from "./draws.ts";

const MOODS = 1700;
const BRIDGES = 1720;
const LEVELS = 10;
/** News are forgotten at the end of every span of so many mean gaps between noise orders. */
const SPAN_GAPS = 1500;
/** How far each halving may raise or calm what lies within it: restless and quiet times on every scale (a multiplicative cascade). */
const MOOD_SWING = 0.6;
/** Makes a uniform of variance 1 from one within -1 … 1. */
const SQRT_3 = Math.sqrt(3);

/** What the news say after so many mean gaps, in deviations of what they move in one. */
export function newsAt(draw: Draw, gaps: number): number {
  const spans = gaps / SPAN_GAPS;
  const span = Math.floor(spans);
  return bridgeAt(draw, span, spans - span) * Math.sqrt(SPAN_GAPS);
}

/**
 * A Brownian bridge over span `span`, `along` (0 to 1) of the way, in deviations of a whole span. Lévy's construction: a random tent at
 * each halving, larger in restless times.
 */
export function bridgeAt(draw: Draw, span: number, along: number): number {
  let moved = 0;
  let mood = 1;
  // A tent of height 1/2 at the middle of a bridge of variance 1; each halving divides it by the square root of 2.
  let deviation = 1 / 2;
  for (let level = 0; level < LEVELS; level += 1) {
    const tents = 2 ** level;
    const position = along * tents;
    const inSpan = Math.min(Math.floor(position), tents - 1);
    const tent = span * tents + inSpan;
    const height = 1 - Math.abs(2 * (position - inSpan) - 1);
    mood *= 1 + MOOD_SWING * signedUnit(draw(MOODS + level, tent));
    moved += height * deviation * mood * SQRT_3 * signedUnit(draw(BRIDGES + level, tent));
    deviation *= Math.SQRT1_2;
  }
  return moved;
}
