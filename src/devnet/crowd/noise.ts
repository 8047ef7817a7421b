// Randomness by counter: every draw is a hash of (seed, market, stream, counter), so it depends on nothing drawn before it.
// The crowd keeps no generator state: a devnet resumed at height h goes on exactly as one that never stopped.
// 32-bit integer arithmetic only, the same bits on every machine.

import { type Size, size } from "../../domain/units.ts";

/** A draw, uniform over 0 … 2^32 - 1. Streams keep purposes apart; `counter` is a whole number below 2^53. */
export type Draw = (stream: number, counter: number) => number;

const TWO_32 = 0x1_00_00_00_00;
const NORMAL_MEAN = 6 * 65_535;
/** Standard deviation of what `normalOf` returns. */
export const NORMAL_UNIT = 65_536;

/** Draws of one market under one seed. MurmurHash3 (Appleby, 32-bit variant) over the words of the key. */
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

/** Thousandths of the median at the middles of 32 equal shares of a lognormal with deviation 0.9 (of the logarithm). */
const QUANTILES = [
  144, 221, 279, 331, 379, 427, 474, 521, 569, 619, 670, 723, 779, 837, 899, 965, 1036, 1112, 1194, 1284, 1383, 1493,
  1616, 1757, 1919, 2112, 2345, 2637, 3025, 3582, 4519, 6948,
] as const;

/** An order's size, lognormal around `typical` (the median), at least 1 unit; by a table, without a logarithm. `bits` is a draw. */
export function drawnSize(typical: Size, bits: number): Size {
  const thousandths = QUANTILES[bits % QUANTILES.length] ?? 1000;
  const drawn = (typical * BigInt(thousandths)) / 1000n;
  return size(drawn > 0n ? drawn : 1n);
}

/** `typical` times a whole factor. */
export const times = (typical: Size, factor: number): Size => size(typical * BigInt(factor));
