// What a held contract is worth at the print and at the mid, and what it counts for as a loss: the lower of the two, or the price to
// close at where that is worse while a print is unconfirmed.

import { expect, test } from "vitest";
import { marksOf } from "../../../../src/bot/risk/mark.ts";
import { noPrints } from "../../../../src/bot/risk/prints.ts";
import { absent } from "../../../../src/domain/view.ts";
import { healthyView, lots, now, old, trusting, usd } from "./healthy.ts";

const limits = { maxOracleDistanceBps: 100 };
const unconfirmed = { ...trusting(200), doubtful: { price: usd(150), publishedMs: 1, isDated: true } };
const level = (at: number, contracts: number) => ({ price: usd(at), size: lots(contracts), orderCount: 1 });
const view = (bids: readonly (readonly [number, number])[], asks: readonly (readonly [number, number])[]) => ({
  ...healthyView,
  book: now({
    marketId: 1,
    bids: bids.map(([at, contracts]) => level(at, contracts)),
    asks: asks.map(([at, contracts]) => level(at, contracts)),
  }),
});
const mark = (inventory: number, shown: typeof healthyView, prints = unconfirmed) =>
  Number(marksOf(prints, lots(inventory), shown, limits, null)?.lower) / 1e8;

const trusted = trusting(200) as typeof unconfirmed;

test("nothing unconfirmed: the lower of print and mid, for a long and for a short", () => {
  const low = view([[199, 9]], [[199.5, 9]]);
  expect(mark(2, low, trusted)).toBe(199.25);
  expect(mark(-2, low, trusted)).toBe(200);
  const high = view([[200.5, 9]], [[201, 9]]);
  expect(mark(2, high, trusted)).toBe(200);
  expect(mark(-2, high, trusted)).toBe(200.75);
  expect(mark(0, low, trusted)).toBe(200);
  expect(marksOf(noPrints, lots(2), healthyView, limits, null)).toBe(null);
});

test("the mid is no loss beyond the collar, on a stale book, or where a side lacks the position's contracts", () => {
  expect(mark(2, view([[198, 9]], [[198.5, 9]]), trusted)).toBe(198.25);
  expect(mark(2, view([[197.99, 9]], [[198.5, 9]]), trusted)).toBe(200);
  expect(mark(2, view([[199, 1.9]], [[199.5, 9]]), trusted)).toBe(200);
  expect(mark(2, view([[199, 9]], [[199.5, 1.9]]), trusted)).toBe(200);
  const bids = [level(199, 9)];
  expect(mark(2, { ...healthyView, book: old({ marketId: 1, bids, asks: [level(199.5, 9)] }) }, trusted)).toBe(200);
});

test("the mid that is shown: of the others' book, what it was last while they leave a side empty, the print before that", () => {
  const marks = (shown: typeof healthyView, before: Parameters<typeof marksOf>[4]) =>
    marksOf(trusted, lots(2), shown, limits, before);
  const first = marks(view([[150, 1]], [[151, 1]]), null);
  expect(first).toEqual({ print: usd(200), mid: usd(150.5), lower: usd(200) });
  expect(marks(view([[150, 1]], []), first)?.mid).toBe(usd(150.5));
  expect(marks(view([[150, 1]], []), null)?.mid).toBe(usd(200));
});

test("unconfirmed: the mean price to close at, where it is worse", () => {
  const low = view(
    [
      [199, 1],
      [198, 1],
    ],
    [[199.5, 9]],
  );
  expect(mark(2, low)).toBe(198.5);
  expect(mark(1, low)).toBe(199);
  expect(mark(-2, low)).toBe(200);
  expect(mark(-2, view([[200.5, 9]], [[201, 9]]))).toBe(201);
  expect(mark(2, view([[200.5, 9]], [[201, 9]]))).toBe(200);
  const bids = [level(199, 1), level(198, 1)];
  expect(mark(2, { ...low, book: old({ marketId: 1, bids, asks: [] }) })).toBe(198.5);
});

test("only inside the collar around the trusted print, and only where the book has that depth", () => {
  const edge = view(
    [
      [198, 2],
      [197.99, 9],
    ],
    [],
  );
  expect(mark(2, edge)).toBe(198);
  expect(mark(2.1, edge)).toBe(200);
  expect(mark(2, view([], []))).toBe(200);
  const short = view(
    [],
    [
      [202, 2],
      [202.01, 9],
    ],
  );
  expect(mark(-2, short)).toBe(202);
  expect(mark(-2.1, short)).toBe(200);
  expect(mark(2, { ...healthyView, book: absent })).toBe(200);
  expect(mark(0, edge)).toBe(200);
});
