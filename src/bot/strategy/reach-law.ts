// How many takers come and how far they reach, exponentially: by survival, since a taker whose size ended would have gone further, and one that
// came while the touch was far is seen only if it reached it. Own quotes are part of the touch, so they raise nothing.

import { exp } from "../../kernel/real.ts";
import { amountsOf, type ReachSums, usualTouch } from "./reach.ts";

/** Arrivals a second and side that would reach the mid; and k: exp(-k x) of those reach x, a share of the mid. */
export type ReachLaw = {
  readonly a: number;
  readonly k: number;
  /** Standard error of ln k, by the curvature of the likelihood. */
  readonly errorOfLogK: number;
};

/** Bounds of k, in usual distances of the touch. */
const K = { least: 0.01, most: 100 } as const;
/** Part of k to which it is found, in at most so many steps. */
const PRECISION = 1e-9;
const STEPS_MAX = 60;

/**
 * The law under which what was seen is most likely. A taker that reached x contributes a e^(-kx), times 1 - e^(-k(y-x)) where it did not pay
 * y; the time in which the touch was at t contributes e^(-a e^(-kt) seconds). Null where nothing tells k, as where all takers ended inside
 * the only touch that there was.
 */
export function lawOf(sums: ReachSums): ReachLaw | null {
  const { takers, reached } = sums;
  const usual = usualTouch(sums);
  if (takers <= 0 || usual === null) return null;
  const [touches, gaps] = [amountsOf(sums.touches), amountsOf(sums.gaps)];
  const nearest = touches[0]?.distance ?? 0;
  /** First and, negated, second derivative of the log likelihood in k, where `a` is the best for that k. The first falls as k grows. */
  const at = (k: number): { readonly slope: number; readonly curvature: number; readonly open: number } => {
    let [open, distances, squares] = [0, 0, 0];
    for (const { distance, amount } of touches) {
      const part = amount * exp(-k * (distance - nearest));
      open += part;
      distances += part * distance;
      squares += part * distance * distance;
    }
    let [ended, bend] = [0, 0];
    for (const { distance, amount } of gaps) {
      const beyond = exp(k * distance) - 1;
      ended += (amount * distance) / beyond;
      bend += ((amount * distance) / beyond) * (distance + distance / beyond);
    }
    const mean = distances / open;
    return { slope: takers * mean - reached + ended, curvature: bend + takers * (squares / open - mean * mean), open };
  };
  let [low, high] = [K.least / usual, K.most / usual];
  let k = 1 / usual;
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const { slope, curvature, open } = at(k);
    if (slope > 0) low = k;
    else high = k;
    // Newton's step in the logarithm; half of what is left of the range where it leads out of that.
    const next = k * exp(slope / (curvature * k));
    const to = next >= low && next <= high ? next : Math.sqrt(low * high);
    if (Math.abs(to - k) <= PRECISION * k)
      return to === next
        ? { a: (takers * exp(k * nearest)) / open, k, errorOfLogK: 1 / (k * Math.sqrt(curvature)) }
        : null;
    k = to;
  }
  return null;
}

/** Fewer say nothing. */
const TAKERS_MIN = 50;
/** From so many takers at our own quotes, so much between the nearest and the farthest tenth of touches, or so many takers that a price ended. */
const OWN_FILLS_MIN = 200;
const TOUCH_MOVES_MIN = 1.3;
const ENDED_MIN = 50;
/** Wider than this, an interval tells nothing: its high end over its low one. */
export const WIDTH_MAX = 3;

/** Why the law is unknown; null: it is known. */
export function whyUnidentified(sums: ReachSums): string | null {
  const [takers, ours, ended] = [sums.takers, sums.ours, sums.ended].map(Math.floor);
  if (sums.takers < TAKERS_MIN) return `${takers} takers came, ${TAKERS_MIN} are needed`;
  if (sums.ours >= OWN_FILLS_MIN || sums.ended >= ENDED_MIN || touchSpread(sums) >= TOUCH_MOVES_MIN) return null;
  return `the touch moved by less than ${Math.round(100 * (TOUCH_MOVES_MIN - 1))} %, ${ended} takers took all that was at a price, and ${ours} traded with us (${OWN_FILLS_MIN} are needed)`;
}

/** The distance of the touch that is nearer in a tenth of the time goes so many times into the one that is nearer in nine. */
function touchSpread(sums: ReachSums): number {
  const touches = amountsOf(sums.touches);
  const whole = touches.reduce((sum, { amount }) => sum + amount, 0);
  const at = (share: number): number => {
    let passed = 0;
    for (const { distance, amount } of touches) {
      passed += amount;
      if (passed >= share * whole) return distance;
    }
    return 1;
  };
  return at(0.9) / at(0.1);
}
