// What a read may lack of a book: nothing where its positions never were, else the fills since they were.

import { expect, test } from "vitest";
import { volumesLackedBy } from "../../../../src/bot/accounting/older-read.ts";
import type { Side } from "../../../../src/domain/units.ts";
import { position } from "../feed/scene.ts";
import { bookOf, type FillFigures, filled, positionRead } from "./books.ts";

const USD = 100_000_000n;
const CONTRACT = 1_000_000n;

const traded = (timestampMs: number, side: Side, usd: bigint, of: Partial<FillFigures> = {}) =>
  filled({ key: `${timestampMs}`, side, price: usd * USD, size: CONTRACT, timestampMs, ...of });
/** Flat at first; then long 1, 2, 1. */
const book = bookOf(
  positionRead({ inventory: 0n }),
  traded(1000, "buy", 1n),
  traded(2000, "buy", 2n),
  traded(3000, "sell", 4n),
);
const lackedBy = (contracts: readonly bigint[], sinceMs = 0, of = book) =>
  volumesLackedBy({ positions: contracts.map((each) => position(each)) }, of, sinceMs);
const [ONE, TWO, FOUR] = [1_000_000n, 2_000_000n, 4_000_000n];

test("the fills since the book had its positions, for each time that it had them, the oldest first", () => {
  expect(lackedBy([2n])).toEqual([[FOUR]]);
  expect(lackedBy([1n]), "it may also be of now").toEqual([[TWO, FOUR]]);
  expect(lackedBy([])).toEqual([[ONE, TWO, FOUR]]);
  expect(lackedBy([3n])).toEqual([]);
});

test("none from before the given time, nor of an unknown time", () => {
  expect(lackedBy([], 1000)).toEqual([[ONE, TWO, FOUR]]);
  expect(lackedBy([], 1001)).toEqual([]);
  const timeless = bookOf(positionRead({ inventory: 0n }), traded(1000, "buy", 1n, { timestampMs: null }));
  expect(lackedBy([], 0, timeless)).toEqual([]);
});

test("none from before a read that corrected the position; one that agreed does not matter", () => {
  const again = (inventory: bigint) =>
    bookOf(
      positionRead({ inventory: 0n }),
      traded(1000, "buy", 1n),
      positionRead({ number: 2, inventory: inventory * CONTRACT }),
      filled({ key: "2000", side: "buy", price: 2n * USD, size: CONTRACT, timestampMs: 2000 }, { readsBefore: 2 }),
    );
  expect(lackedBy([], 0, again(1n))).toEqual([[ONE, TWO]]);
  expect(lackedBy([], 0, again(-1n)), "flat now").toEqual([]);
  expect(lackedBy([-1n], 0, again(-1n))).toEqual([[TWO]]);
});

test("a read is of one time in all markets", () => {
  const two = bookOf(
    positionRead({ inventory: 0n }),
    positionRead({ marketId: 2, inventory: 0n }),
    traded(1000, "buy", 1n),
    traded(2000, "buy", 2n, { marketId: 2 }),
    traded(3000, "buy", 4n),
  );
  const holding = (one: bigint, other: bigint) =>
    volumesLackedBy({ positions: [position(one), position(other, 199n, { marketId: 2 })] }, two, 0);
  expect(holding(1n, 1n)).toEqual([[FOUR]]);
  expect(volumesLackedBy({ positions: [position(1n)] }, two, 0)).toEqual([[TWO, FOUR]]);
  expect(holding(2n, 1n), "it may be of now").toEqual([]);
});
