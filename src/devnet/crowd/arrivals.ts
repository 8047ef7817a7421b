// Arrival times of traders and the sides of noise orders: a Hawkes process (arrivals cause more arrivals) with busy and quiet times, and
// large orders executed in pieces, so that signs persist (Lillo, Mike and Farmer 2005). It depends only on the seed, block by block, not on
// events of the exchange. Time is measured in mean gaps between noise orders.

import { exp } from "../../kernel/real.ts";
import { type Draw, happens, openUnit, paretoOf, signedUnit } from "./draws.ts";
import { bounded } from "./index-path.ts";

const COUNTS = 1;
const PARENTS = 2;
const SIDES = 3;
const LENGTHS = 4;
const REGIMES = 10;

/** Mean number of arrivals that one arrival causes (branching ratio), and for how long, gaps. */
export const BRANCHING = 0.6;
const EXCITED_GAPS = 2.5;
/** Time scales of busy and quiet times, gaps, and by how much each raises or lowers the rate. */
const REGIME_GAPS = [12, 90, 700, 5000];
const REGIME_SWING = 0.75;
/** Large orders in execution at the same time, and the share of the first. */
const WORKED = 2;
const FOREMOST = 0.75;
const LENGTH_EXPONENT = 1.5;
const LENGTH_MIN = 4;
const LENGTH_MAX = 1000;
/** Net orders at which the noise turns around for certain: keeps it, and so all others, near flat over days. */
const TURN_ORDERS = 300;
/** More in one block would mean a misconfigured rate, not a market. */
const PER_BLOCK_MAX = 16;

/** State kept from block to block; plain numbers. */
export type ArrivalState = {
  height: number;
  /** Factor on the rate of arrivals that no arrival caused, mean 1: how busy the time is. */
  busy: number;
  /** Extra rate from past arrivals, arrivals per gap. */
  excited: number;
  /** Sides of the noise orders of block `height`, +1 buy, -1 sell, in order of arrival. */
  sides: readonly number[];
  /** Number of noise orders so far, and buys minus sells. */
  count: number;
  net: number;
  readonly worked: { side: number; left: number }[];
};

export const newArrivals = (): ArrivalState => ({
  height: 0,
  busy: 1,
  excited: 0,
  sides: [],
  count: 0,
  net: 0,
  worked: [...Array(WORKED)].map(() => ({ side: 1, left: 0 })),
});

export type Rate = {
  readonly draw: Draw;
  /** Mean gaps per block. */
  readonly gapsPerBlock: number;
};

/** Advances the state to block `height`; does nothing if it is already there. */
export function arriveUntil(state: ArrivalState, height: number, rate: Rate): void {
  const calming = exp(-rate.gapsPerBlock / EXCITED_GAPS);
  while (state.height < height) {
    state.height += 1;
    state.excited *= calming;
    state.sides = arrivalsOf(state, rate);
    state.excited += (BRANCHING / EXCITED_GAPS) * state.sides.length;
  }
}

const NOBODY: readonly number[] = [];

function arrivalsOf(state: ArrivalState, { draw, gapsPerBlock }: Rate): readonly number[] {
  state.busy = regimeAt(draw, state.height * gapsPerBlock);
  const expected = ((1 - BRANCHING) * state.busy + state.excited) * gapsPerBlock;
  const whole = Math.floor(expected);
  const more = happens(draw(COUNTS, state.height), expected - whole) ? 1 : 0;
  const count = Math.min(whole + more, PER_BLOCK_MAX);
  return count === 0 ? NOBODY : [...Array(count)].map(() => sideOfNext(state, draw));
}

/** Factor on the rate, mean 1: a product of uniform factors over several time scales, so that busy times cluster on each of them. */
function regimeAt(draw: Draw, gaps: number): number {
  let factor = 1;
  for (const [scale, length] of REGIME_GAPS.entries()) {
    factor *= 1 + REGIME_SWING * signedUnit(draw(REGIMES + scale, Math.floor(gaps / length)));
  }
  return factor;
}

function sideOfNext(state: ArrivalState, draw: Draw): number {
  state.count += 1;
  const { count } = state;
  const order = state.worked[happens(draw(PARENTS, count), FOREMOST) ? 0 : 1];
  if (order === undefined) return 1;
  if (order.left === 0) {
    const buys = 0.5 - 0.5 * bounded(state.net / TURN_ORDERS, 1);
    order.side = openUnit(draw(SIDES, count)) < buys ? 1 : -1;
    order.left = Math.min(LENGTH_MAX, Math.floor(LENGTH_MIN * paretoOf(draw(LENGTHS, count), LENGTH_EXPONENT)));
  }
  order.left -= 1;
  state.net += order.side;
  return order.side;
}
