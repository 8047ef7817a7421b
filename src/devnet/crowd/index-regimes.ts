// What the crowd shares at a moment of logical time: where it leans the price, how busy it is, which side it favors.
// Each is a pure function of (seed, market, time), built from draws at many time scales, so nothing has to be remembered.

import { type Draw, NORMAL_UNIT, normalOf, signedUnit } from "./noise.ts";

const ENDPOINTS = 100;
const BRIDGES = 110;
const MOODS = 122;
const BUSTLE = 150;
const LEAN = 160;
/** Streams that a maker's own opinion is shifted by, so that no two makers agree. */
const STREAMS_PER_VOICE = 100;

const SPAN_SECS = 2048;
const LEVELS = 11;
/** Standard deviation of the price at the ends of a span, and of its path a square-root second; millionths of the price. */
const ENDPOINT_PPM = 600;
const PATH_PPM = 20;
/** How far each halving may raise or calm what lies within it: restless and quiet times on every scale (a multiplicative cascade). */
const MOOD_SWING = 0.6;
/** Makes a uniform of variance 1 from one within -1 … 1. */
const SQRT_3 = Math.sqrt(3);
const bridgePpm = [...Array(LEVELS).keys()].map((level) => (PATH_PPM * Math.sqrt(SPAN_SECS / 2 ** level)) / 2);

/**
 * How far opinion stands from the index, in millionths: a Brownian path of 0.2 bps a square-root second that returns home
 * within half an hour or so (6 bps). Lévy's construction: straight lines between normal endpoints, then a random tent at
 * each halving, larger in restless times. `voice` 0 is the common opinion.
 */
export function opinionPpm(draw: Draw, logicalMs: number, voice: number): number {
  const shift = voice * STREAMS_PER_VOICE;
  const seconds = logicalMs / 1000;
  const span = Math.floor(seconds / SPAN_SECS);
  const along = seconds / SPAN_SECS - span;
  const from = normalOf(draw, ENDPOINTS + shift, span);
  const to = normalOf(draw, ENDPOINTS + shift, span + 1);
  let ppm = ((from + (to - from) * along) / NORMAL_UNIT) * ENDPOINT_PPM;
  let mood = 1;
  for (const [level, deviation] of bridgePpm.entries()) {
    const position = (along + span) * 2 ** level;
    const tent = Math.floor(position);
    const height = 1 - Math.abs(2 * (position - tent) - 1);
    mood *= 1 + MOOD_SWING * signedUnit(draw(MOODS + level + shift, tent));
    ppm += height * deviation * mood * SQRT_3 * signedUnit(draw(BRIDGES + level + shift, tent));
  }
  return ppm;
}

/** Time scales of the bursts in which traders come, seconds. */
const BURST_SECS = [8, 64, 512, 4096];

/**
 * Factor on the rate of arrivals, mean 1: a product of uniform factors 0.4 … 1.6 over four time scales, so busy times cluster on
 * all of them.
 */
export function bustle(draw: Draw, logicalMs: number): number {
  let factor = 1;
  for (const [scale, seconds] of BURST_SECS.entries()) {
    factor *= 1 + 0.6 * signedUnit(draw(BUSTLE + scale, Math.floor(logicalMs / (seconds * 1000))));
  }
  return factor;
}

/** Time scales of orders that are worked in pieces, seconds, with their weight in the choice of the side. */
const WORKED = [
  { seconds: 10, weight: 0.4 },
  { seconds: 60, weight: 0.25 },
  { seconds: 400, weight: 0.15 },
];

/** Which side takers favor: -0.8 (all but sure to sell) to 0.8. Large orders worked over time give persistent signs. */
export function lean(draw: Draw, logicalMs: number): number {
  let sum = 0;
  for (const [scale, { seconds, weight }] of WORKED.entries()) {
    const piece = draw(LEAN + scale, Math.floor(logicalMs / (seconds * 1000)));
    sum += piece % 2 === 0 ? weight : -weight;
  }
  return sum;
}
