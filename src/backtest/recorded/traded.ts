// What orders traded, and when, to compare two accounts of the same orders.

import type { Fill } from "../../domain/fill.ts";
import { notional } from "../../domain/rounding.ts";
import type { OrderId } from "../../domain/units.ts";

type Piece = { readonly value: bigint; readonly atMs: number };

export class Traded {
  readonly #pieces = new Map<OrderId, Piece[]>();

  /** Notes a fill of the order `atMs` after the start, whole milliseconds. */
  note(orderId: OrderId, fill: Pick<Fill, "price" | "size">, atMs: number): void {
    const piece = { value: notional(fill.price, fill.size), atMs };
    const before = this.#pieces.get(orderId);
    if (before === undefined) this.#pieces.set(orderId, [piece]);
    else before.push(piece);
  }

  /**
   * Sums the smaller of both values per order: `matched`; and per order and millisecond: `matchedInstant`. `delay`: how much later the
   * other has it than this one, value times milliseconds. All in base units of USDC.
   */
  against(other: Traded) {
    let [matched, matchedInstant, ofThis, ofOther, delay] = [0n, 0n, 0n, 0n, 0];
    for (const orderId of new Set([...this.#pieces.keys(), ...other.#pieces.keys()])) {
      const [one, two] = [this.#pieces.get(orderId) ?? [], other.#pieces.get(orderId) ?? []];
      const [worth, otherWorth] = [worthOf(one), worthOf(two)];
      const both = worth < otherWorth ? worth : otherWorth;
      ofThis += worth;
      ofOther += otherWorth;
      matched += both;
      matchedInstant += inCommon(byInstant(one), byInstant(two));
      delay += momentOf(two, both) - momentOf(one, both);
    }
    return { matched, matchedInstant, ofThis, ofOther, delay };
  }
}

function byInstant(pieces: readonly Piece[]): ReadonlyMap<number, bigint> {
  const sums = new Map<number, bigint>();
  for (const { atMs, value } of pieces) sums.set(atMs, (sums.get(atMs) ?? 0n) + value);
  return sums;
}

function inCommon(one: ReadonlyMap<number, bigint>, two: ReadonlyMap<number, bigint>): bigint {
  let sum = 0n;
  for (const [atMs, value] of one) {
    const other = two.get(atMs) ?? 0n;
    sum += value < other ? value : other;
  }
  return sum;
}

const worthOf = (pieces: readonly Piece[]): bigint => pieces.reduce((sum, { value }) => sum + value, 0n);

/** Returns value times time (ms) of the first `value` of the pieces. */
function momentOf(pieces: readonly Piece[], value: bigint): number {
  let [left, moment] = [value, 0];
  for (const piece of pieces) {
    const taken = piece.value < left ? piece.value : left;
    moment += Number(taken) * piece.atMs;
    left -= taken;
  }
  return moment;
}
