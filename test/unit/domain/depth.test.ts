// Prices with depth: what one of our orders could trade at, whatever dust stands in front of it.

import fc from "fast-check";
import { expect, test } from "vitest";
import type { Book } from "../../../src/domain/book.ts";
import { depthMicroprice, depthMid, weighedMid } from "../../../src/domain/depth.ts";
import { lots, usd } from "../bot/risk/healthy.ts";

type Offer = readonly [at: number, contracts: number];
const levels = (offers: readonly Offer[]) =>
  offers.map(([at, contracts]) => ({ price: usd(at), size: lots(contracts), orderCount: 1 }));
const book = (bids: readonly Offer[], asks: readonly Offer[]): Book => ({
  marketId: 1,
  bids: levels(bids),
  asks: levels(asks),
});

test("dust in front of an order changes nothing, from a tenth of our size on it counts by its share", () => {
  const plain = book([[199, 2]], [[201, 2]]);
  const dusty = book(
    [
      [200.5, 0.099],
      [199, 2],
    ],
    [[201, 2]],
  );
  expect(depthMid(dusty, lots(1))).toBe(depthMid(plain, lots(1)));
  const counted = book(
    [
      [200, 0.1],
      [199, 2],
    ],
    [[201, 2]],
  );
  expect(depthMid(counted, lots(1))).toBe(usd(200.05));
});

test("a side's price is the mean over an order of our size", () => {
  const deep = book(
    [
      [200, 1],
      [199, 9],
    ],
    [[201, 9]],
  );
  expect(depthMid(deep, lots(1))).toBe(usd(200.5));
  expect(depthMid(deep, lots(2))).toBe(usd(200.25));
});

test("a side that holds less than an order of ours has no price, and neither has a crossed book", () => {
  const thin = book([[199, 0.99]], [[201, 5]]);
  const crossed = book([[201, 5]], [[200, 5]]);
  for (const price of [depthMid, depthMicroprice]) {
    expect(price(thin, lots(1))).toBeUndefined();
    expect(price(crossed, lots(1))).toBeUndefined();
    expect(price(book([], [[201, 5]]), lots(1))).toBeUndefined();
  }
  expect(depthMid(thin, lots(0.99))).toBe(usd(200));
});

test("the microprice leans to the side with less on it, by the levels that an order of ours takes", () => {
  const leaning = book([[198, 3]], [[204, 1]]);
  expect(depthMicroprice(leaning, lots(1))).toBeCloseTo(202.5, 9);
});

test("law: orders below a tenth of our size move neither mid nor microprice, wherever they stand and however many", () => {
  const offer = fc.tuple(fc.integer({ min: 15_000, max: 25_000 }), fc.integer({ min: 1, max: 99_999 }));
  fc.assert(
    fc.property(fc.array(offer, { maxLength: 30 }), (dust) => {
      const plain = book([[199, 2]], [[201, 3]]);
      const add = (side: "bids" | "asks", better: 1 | -1) =>
        [
          ...plain[side],
          ...dust.map(([cents, micro]) => ({ price: usd(cents / 100), size: lots(micro / 1e6), orderCount: 1 })),
        ]
          .filter(({ price }) => (side === "bids" ? price < usd(200) : price > usd(200)))
          .sort((a, b) => better * Number(a.price - b.price));
      const dusty = { ...plain, bids: add("bids", -1), asks: add("asks", 1) };
      expect(depthMid(dusty, lots(1))).toBe(depthMid(plain, lots(1)));
      expect(depthMicroprice(dusty, lots(1))).toBe(depthMicroprice(plain, lots(1)));
    }),
  );
});

test("a mid weighs beside the oracle price by the sizes of the orders that make it, and a book without one is the oracle price", () => {
  const bids: readonly Offer[] = [
    [203, 2],
    [202, 3],
    [201, 4],
  ];
  const asks = (sizes: readonly number[]): readonly Offer[] => sizes.map((contracts, nth) => [205 + nth, contracts]);
  const at = (sizes: readonly number[]) => weighedMid(book(bids, asks(sizes)), lots(1), usd(200));
  expect(at([2, 3, 4])).toBe(usd(204));
  expect(at([2, 3, 2])).toBe(usd(202));
  expect(at([2, 2, 2])).toBe(usd(201));
  expect(at([])).toBe(usd(200));
});
