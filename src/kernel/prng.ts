// Seeded randomness: the same seed gives the same draws on every machine. Integer state (sfc32 by Chris Doty-Humphrey, seeded through
// splitmix64); real numbers use only + - * / and sqrt.

import { assert } from "./assert.ts";
import { ln } from "./real.ts";

export type Prng = {
  /** Enough to repeat every draw. */
  readonly seed: bigint;
  /** Whole, 0 to 2^32 - 1. */
  readonly u32: () => number;
  /** Whole, 0 to n - 1, unbiased. n is whole, 1 to 2^32. */
  readonly below: (n: number) => number;
  /** At least 0, below 1, from 53 bits. */
  readonly float: () => number;
  /** True with the given probability, 0 to 1. */
  readonly chance: (probability: number) => boolean;
  /** Mean 0, variance 1 (Marsaglia's polar method). */
  readonly gaussian: () => number;
  /** Waiting time with the given mean, above 0. */
  readonly exponential: (mean: number) => number;
  /** One of the items, which must not be empty. */
  readonly pick: <T>(items: readonly T[]) => T;
  /** A new array with the items in random order (Fisher-Yates). */
  readonly shuffle: <T>(items: readonly T[]) => T[];
  /** A generator that depends only on this one's seed and the label: draws from one do not shift draws from the other. */
  readonly fork: (label: string) => Prng;
};

export function createPrng(seed: bigint): Prng {
  const u32 = sfc32(seed);

  function below(n: number): number {
    assert(Number.isInteger(n) && n >= 1 && n <= 2 ** 32, "below takes a whole number from 1 to 2^32");
    // Draws at or above the highest multiple of n are discarded, so that all remainders are equally likely.
    const limit = 2 ** 32 - (2 ** 32 % n);
    let drawn = u32();
    while (drawn >= limit) drawn = u32();
    return drawn % n;
  }

  const float = (): number => ((u32() >>> 5) * 2 ** 26 + (u32() >>> 6)) / 2 ** 53;

  function gaussian(): number {
    for (;;) {
      const x = 2 * float() - 1;
      const y = 2 * float() - 1;
      const square = x * x + y * y;
      if (square > 0 && square < 1) return x * Math.sqrt((-2 * ln(square)) / square);
    }
  }

  function pick<T>(items: readonly T[]): T {
    assert(items.length > 0, "pick needs at least one item");
    return items[below(items.length)] as T;
  }

  function shuffle<T>(items: readonly T[]): T[] {
    const shuffled = [...items];
    for (let last = shuffled.length - 1; last > 0; last -= 1) {
      const other = below(last + 1);
      const moved = shuffled[last] as T;
      shuffled[last] = shuffled[other] as T;
      shuffled[other] = moved;
    }
    return shuffled;
  }

  return {
    seed,
    u32,
    below,
    float,
    chance: (probability) => float() < probability,
    gaussian,
    exponential: (mean) => -mean * ln(1 - float()),
    pick,
    shuffle,
    fork: (label) => createPrng(labeled(seed, label)),
  };
}

const MASK_64 = (1n << 64n) - 1n;

/** One output of splitmix64 for a state. */
function splitmix(state: bigint): bigint {
  let z = (state + 0x9e37_79b9_7f4a_7c15n) & MASK_64;
  z = ((z ^ (z >> 30n)) * 0xbf58_476d_1ce4_e5b9n) & MASK_64;
  z = ((z ^ (z >> 27n)) * 0x94d0_49bb_1331_11ebn) & MASK_64;
  return z ^ (z >> 31n);
}

/** Seed of a fork: FNV-1a of the label's UTF-16 units, stirred into the parent's seed. */
function labeled(seed: bigint, label: string): bigint {
  let hash = 0xcbf2_9ce4_8422_2325n;
  for (let at = 0; at < label.length; at += 1) {
    hash = ((hash ^ BigInt(label.charCodeAt(at))) * 0x0100_0000_01b3n) & MASK_64;
  }
  return splitmix(splitmix(seed & MASK_64) ^ hash);
}

function sfc32(seed: bigint): () => number {
  const first = splitmix(seed & MASK_64);
  const second = splitmix(first);
  let a = Number(first & 0xffff_ffffn) | 0;
  let b = Number(first >> 32n) | 0;
  let c = Number(second & 0xffff_ffffn) | 0;
  let counter = Number(second >> 32n) | 0;
  return () => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
}
