// Counter-based randomness: every draw is a hash of (seed, market, stream, counter), independent of earlier draws. The crowd keeps no
// generator state: a devnet resumed at height h continues exactly as one that never stopped. Only 32-bit integer arithmetic, so the bits
// are the same on every machine.

import { type Size, size } from "../../domain/units.ts";
import { exp, ln } from "../../kernel/real.ts";

/** A draw, uniform over 0 … 2^32 - 1. Streams separate purposes; `counter` is a whole number below 2^53. */
export type Draw = (stream: number, counter: number) => number;

const TWO_32 = 0x1_00_00_00_00;
const NORMAL_MEAN = 6 * 65_535;
/** Standard deviation of `normalOf`. */
export const NORMAL_UNIT = 65_536;

/** Draws for one market and seed. MurmurHash3 (Appleby, 32-bit variant) over the words of the key. */
export function drawsOf(seed: bigint, market: number): Draw {
  const low = Number(BigInt.asUintN(32, seed));
  const high = Number(BigInt.asUintN(32, seed >> 32n));
  const prefix = absorb(absorb(absorb(0x51_7c_c1_b7, low), high), market);
  return (stream, counter) => {
    const words = absorb(absorb(prefix, stream), (counter % TWO_32) | 0);
    return finish(absorb(words, Math.floor(counter / TWO_32)));
  };
}

/** A whole number, normal with mean 0 and standard deviation NORMAL_UNIT, from six draws: the sum of twelve uniforms of 16 bits. */
export function normalOf(draw: Draw, stream: number, counter: number): number {
  let sum = -NORMAL_MEAN;
  for (let part = 0; part < 6; part += 1) {
    const bits = draw(stream, counter * 6 + part);
    sum += (bits >>> 16) + (bits & 0xff_ff);
  }
  return sum;
}

/** True with probability `chance` (0 to 1). */
export const happens = (bits: number, chance: number): boolean => bits < chance * TWO_32;

/** Uniform between -1 and 1. */
export const signedUnit = (bits: number): number => (bits * 2 + 1) / TWO_32 - 1;

function absorb(hash: number, word: number): number {
  const k = Math.imul(word, 0xcc_9e_2d_51);
  const mixed = hash ^ Math.imul((k << 15) | (k >>> 17), 0x1b_87_35_93);
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6_54_6b_64) | 0;
}

function finish(hash: number): number {
  const first = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b);
  const second = Math.imul(first ^ (first >>> 13), 0xc2_b2_ae_35);
  return (second ^ (second >>> 16)) >>> 0;
}

/** Uniform over the open interval from 0 to 1. */
export const openUnit = (bits: number): number => (bits + 0.5) / TWO_32;

/** Exponential with mean 1. */
export const exponentialOf = (bits: number): number => -ln(openUnit(bits));

/** Pareto: at least 1, above x with probability x to the power of -`exponent`. */
export const paretoOf = (bits: number, exponent: number): number => exp(-ln(openUnit(bits)) / exponent);

/** Student's t with four degrees of freedom, scaled to variance 1. */
export function studentOf(draw: Draw, stream: number, counter: number): number {
  const chiSquareHalf = exponentialOf(draw(stream + 1, counter * 2)) + exponentialOf(draw(stream + 1, counter * 2 + 1));
  // t = z / sqrt(chi2 / 4) has variance 2; chi2 of four degrees is twice the sum of two exponentials.
  return normalOf(draw, stream, counter) / NORMAL_UNIT / Math.sqrt(chiSquareHalf);
}

/** One order in eight is drawn from the tail, which runs from three to a hundred times the median. */
const TAIL_SHARE = 1 / 8;
const TAIL_FROM = 3;
const TAIL_EXPONENT = 1.5;
const SIZE_FACTOR_MAX = 100;
/** Standard deviation of the logarithm of the other sizes. */
const BODY_DEVIATION = 0.8;

/** An order's size as a multiple of the median: lognormal with a Pareto tail of exponent 1.5. */
export function sizeFactor(draw: Draw, stream: number, counter: number): number {
  const bits = draw(stream, counter);
  const isLarge = happens(bits, TAIL_SHARE);
  const factor = isLarge
    ? TAIL_FROM * paretoOf(draw(stream + 1, counter), TAIL_EXPONENT)
    : exp((BODY_DEVIATION * normalOf(draw, stream + 1, counter)) / NORMAL_UNIT);
  return Math.min(factor, SIZE_FACTOR_MAX);
}

/** `typical` times a factor above 0; at least one unit. */
export function times(typical: Size, factor: number): Size {
  const units = (typical * BigInt(Math.round(factor * 1024))) / 1024n;
  return size(units > 0n ? units : 1n);
}
