// What a held contract counts for: the trusted print, or the price to close at where that is worse while a print is in doubt.

import { expect, test } from "vitest";
import { markPrice } from "../../../../src/bot/risk/mark.ts";
import { noPrints } from "../../../../src/bot/risk/prints.ts";
import { absent } from "../../../../src/domain/view.ts";
import { healthyView, lots, now, old, trusting, usd } from "./healthy.ts";

const limits = { maxOracleDistanceBps: 100 };
const doubted = { ...trusting(200), doubtful: { price: usd(150), publishedMs: 1, isDated: true } };
const level = (at: number, contracts: number) => ({ price: usd(at), size: lots(contracts), orderCount: 1 });
const view = (bids: readonly (readonly [number, number])[], asks: readonly (readonly [number, number])[]) => ({
  ...healthyView,
  book: now({
    marketId: 1,
    bids: bids.map(([at, contracts]) => level(at, contracts)),
    asks: asks.map(([at, contracts]) => level(at, contracts)),
  }),
});
const mark = (inventory: number, shown: typeof healthyView, prints = doubted) =>
  Number(markPrice(prints, lots(inventory), shown, limits)) / 1e8;

test("nothing in doubt: the print, whatever the book says", () => {
  expect(mark(2, view([[199, 9]], [[199.5, 9]]), trusting(200) as typeof doubted)).toBe(200);
  expect(markPrice(noPrints, lots(2), healthyView, limits)).toBe(null);
});

test("in doubt: the mean price to close at, where it is worse", () => {
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
