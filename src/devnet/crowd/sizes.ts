// How large the crowd's orders are: lognormal by a table, so that no logarithm is taken at run time.

import { type Size, size } from "../../domain/units.ts";

/** Thousandths of the median at the middles of 32 equal shares of a lognormal with deviation 0.9 (of the logarithm). */
const QUANTILES = [
  144, 221, 279, 331, 379, 427, 474, 521, 569, 619, 670, 723, 779, 837, 899, 965, 1036, 1112, 1194, 1284, 1383, 1493,
  1616, 1757, 1919, 2112, 2345, 2637, 3025, 3582, 4519, 6948,
] as const;

/** A size around `typical` (the median), at least 1 unit. `bits` is a draw. */
export function drawnSize(typical: Size, bits: number): Size {
  const thousandths = QUANTILES[bits % QUANTILES.length] ?? 1000;
  const drawn = (typical * BigInt(thousandths)) / 1000n;
  return size(drawn > 0n ? drawn : 1n);
}

/** `typical` times a whole factor. */
export const times = (typical: Size, factor: number): Size => size(typical * BigInt(factor));
