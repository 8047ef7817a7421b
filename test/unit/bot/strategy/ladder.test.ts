// From a center to quotes that may rest: every bound that a price and a size must keep.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Ladder, ladderQuotes, levelQuotes } from "../../../../src/bot/strategy/ladder.ts";
import type { Quotes } from "../../../../src/domain/quotes.ts";
import { usdOf } from "../../../../src/domain/rounding.ts";
import { absent, type View } from "../../../../src/domain/view.ts";
import { healthyView, lots, market, now, oracle, order, usd, withInventory, withOrders } from "../risk/healthy.ts";

const ladder: Ladder = {
  fairValueUsd: 200,
  bidDepthUsd: 0.1,
  askDepthUsd: 0.1,
  stepUsd: 0.1,
  levels: 2,
  size: lots(1),
  maxInventory: null,
};
const level = (at: number, contracts = 5) => ({ price: usd(at), size: lots(contracts), orderCount: 1 });
const bookOf = (bid: number | null, ask: number | null) =>
  now({ marketId: 1, bids: bid === null ? [] : [level(bid)], asks: ask === null ? [] : [level(ask)] });
const side = ({ quotes }: Quotes, wanted: "buy" | "sell") =>
  quotes.filter((one) => one.side === wanted).map(({ price }) => usdOf(price));

describe("post only", () => {
  test("a bid that would reach the others' ask steps back to a tick behind it, and the next one behind that", () => {
    const quotes = ladderQuotes({ ...healthyView, book: bookOf(199, 199.85) }, { ...ladder, stepUsd: 0 });
    expect(side(quotes, "buy")).toEqual([199.84, 199.83]);
    expect(side(quotes, "sell")).toEqual([200.1, 200.11]);
  });

  test("an ask that would reach the others' bid likewise", () => {
    const quotes = ladderQuotes({ ...healthyView, book: bookOf(200.15, 201) }, ladder);
    expect(side(quotes, "sell")).toEqual([200.16, 200.2]);
  });

  test("at the touch itself a tick back, a tick away from it stays", () => {
    const one = { ...ladder, levels: 1 };
    expect(side(ladderQuotes({ ...healthyView, book: bookOf(199, 199.9) }, one), "buy")).toEqual([199.89]);
    expect(side(ladderQuotes({ ...healthyView, book: bookOf(199, 199.91) }, one), "buy")).toEqual([199.9]);
    expect(side(ladderQuotes({ ...healthyView, book: bookOf(200.1, 201) }, one), "sell")).toEqual([200.11]);
    expect(side(ladderQuotes({ ...healthyView, book: bookOf(200.09, 201) }, one), "sell")).toEqual([200.1]);
  });

  test("our own orders are nobody to step back from", () => {
    const view = withOrders({ ...healthyView, book: bookOf(199, 199.85) }, [order(1, "sell", 199.85, 5)]);
    expect(side(ladderQuotes(view, ladder), "buy")).toEqual([199.9, 199.8]);
  });
});

describe("price band", () => {
  const view: View = { ...healthyView, market: now({ ...market, priceBandBps: 10 }), book: bookOf(null, null) };

  test("a quote outside is dropped, never moved inward", () => {
    const quotes = ladderQuotes(view, { ...ladder, bidDepthUsd: 0.15, askDepthUsd: 0.15 });
    expect(side(quotes, "buy")).toEqual([199.85]);
    expect(side(quotes, "sell")).toEqual([200.15]);
    expect(quotes.reason).toBe("bids and asks withheld: maxInventory or the price band is reached");
  });

  test("on the edge is inside", () => {
    expect(side(ladderQuotes(view, { ...ladder, bidDepthUsd: 0.2, levels: 1 }), "buy")).toEqual([199.8]);
    expect(side(ladderQuotes(view, { ...ladder, askDepthUsd: 0.2, levels: 1 }), "sell")).toEqual([200.2]);
  });

  test("a center beyond the band leaves what of the far side is inside", () => {
    const quotes = ladderQuotes(view, { ...ladder, fairValueUsd: 200.25 });
    expect(side(quotes, "buy")).toEqual([200.15, 200.05]);
    expect(side(quotes, "sell")).toEqual([]);
  });

  test("without an oracle price there is no band to judge by: the guard denies", () => {
    expect(side(ladderQuotes({ ...view, oracle: absent }, ladder), "buy")).toHaveLength(2);
  });
});

describe("inventory", () => {
  test("the side that adds shrinks to what is left and then ends, the other side stays", () => {
    const quotes = (contracts: number) =>
      ladderQuotes(withInventory({ ...healthyView, book: bookOf(null, null) }, contracts), {
        ...ladder,
        maxInventory: lots(5),
      });
    const sizes = (contracts: number, wanted: "buy" | "sell") =>
      quotes(contracts)
        .quotes.filter((one) => one.side === wanted)
        .map(({ size }) => Number(size) / 1e6);
    expect(sizes(3.5, "buy")).toEqual([1, 0.5]);
    expect(sizes(5, "buy")).toEqual([]);
    expect(sizes(5, "sell")).toEqual([1, 1]);
    expect(sizes(-4.5, "sell")).toEqual([0.5]);
  });
});

test("says when fewer quotes come of it than were asked for, on either side", () => {
  const view = (contracts: number) => withInventory({ ...healthyView, book: bookOf(null, null) }, contracts);
  const capped = { ...ladder, maxInventory: lots(5) };
  expect(ladderQuotes(view(0), capped).reason).toBe(null);
  expect(ladderQuotes(view(5), capped).reason).toBe("bids withheld: maxInventory or the price band is reached");
  expect(ladderQuotes(view(-5), capped).reason).toBe("asks withheld: maxInventory or the price band is reached");
});

test("no quotes where the sides would meet, or the center is no price", () => {
  expect(ladderQuotes(healthyView, { ...ladder, bidDepthUsd: -1, askDepthUsd: -1 }).quotes).toEqual([]);
  expect(ladderQuotes({ ...healthyView, book: absent }, { ...ladder, bidDepthUsd: -1, askDepthUsd: -1 })).toMatchObject(
    {
      quotes: [],
      reason: "bid and ask would cross",
    },
  );
  for (const fairValueUsd of [0, -1]) {
    expect(ladderQuotes(healthyView, { ...ladder, fairValueUsd })).toMatchObject({
      quotes: [],
      reason: "the fair value is not above zero",
    });
  }
});

describe("forbidden: what is no number passes for a market that is closed", () => {
  test.each<[Partial<Ladder>, string]>([
    [{ fairValueUsd: Number.NaN }, "the fair value is NaN"],
    [{ fairValueUsd: Number.POSITIVE_INFINITY }, "the fair value is Infinity"],
    [{ bidDepthUsd: Number.NaN }, "the bid price is NaN"],
    [{ askDepthUsd: Number.POSITIVE_INFINITY }, "the ask price is Infinity"],
    [{ stepUsd: Number.POSITIVE_INFINITY, bidDepthUsd: 0 }, "the bid price is NaN"],
    [{ stepUsd: 1e308, levels: 3 }, "the bid price is -Infinity at level 2"],
  ])("%j", (broken, words) => {
    expect(() => ladderQuotes(healthyView, { ...ladder, ...broken })).toThrow(new RangeError(words));
  });

  test.each([Number.NaN, 0.5, undefined])("a size of %s", (wrong) => {
    const level = { usd: 199, size: wrong as never };
    const levels = { fairValueUsd: 200, bids: [level], asks: [], maxInventory: lots(5) };
    expect(() => levelQuotes(healthyView, levels)).toThrow(
      new TypeError(`the bid size is ${wrong}, which is no bigint`),
    );
  });
});

test("edge: a level of no size is not asked for, so nothing is withheld", () => {
  const asked = [
    { usd: 199, size: lots(1) },
    { usd: 198, size: lots(0) },
  ];
  const quotes = levelQuotes(healthyView, { fairValueUsd: 200, bids: asked, asks: [], maxInventory: null });
  expect([quotes.quotes.length, quotes.reason]).toEqual([1, null]);
});

test("law: whatever is asked, quotes are on the tick, apart, in the band, behind the others, and ordered", () => {
  const usdAround = (spread: number) => fc.double({ min: -spread, max: spread, noNaN: true });
  fc.assert(
    fc.property(
      usdAround(30),
      usdAround(3),
      usdAround(3),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.integer({ min: 1, max: 10 }),
      fc.option(fc.tuple(fc.integer({ min: 17_000, max: 23_000 }), fc.integer({ min: 1, max: 300 }))),
      (offset, bidDepthUsd, askDepthUsd, stepUsd, levels, touch) => {
        const book = touch === null ? bookOf(null, null) : bookOf(touch[0] / 100, (touch[0] + touch[1]) / 100);
        const quotes = ladderQuotes(
          { ...healthyView, book },
          { ...ladder, fairValueUsd: 200 + offset, bidDepthUsd, askDepthUsd, stepUsd, levels },
        );
        for (const { price } of quotes.quotes) {
          expect(price % market.tickSize).toBe(0n);
          expect(price >= (oracle.price * 9n) / 10n && price <= (oracle.price * 11n) / 10n).toBe(true);
        }
        const [bids, asks] = [side(quotes, "buy"), side(quotes, "sell")];
        expect(bids).toEqual(bids.toSorted((a, b) => b - a));
        expect(asks).toEqual(asks.toSorted((a, b) => a - b));
        expect(new Set([...bids, ...asks]).size).toBe(quotes.quotes.length);
        if (bids[0] !== undefined && asks[0] !== undefined) expect(bids[0]).toBeLessThan(asks[0]);
        if (touch !== null) {
          for (const bid of bids) expect(bid).toBeLessThan((touch[0] + touch[1]) / 100);
          for (const ask of asks) expect(ask).toBeGreaterThan(touch[0] / 100);
        }
      },
    ),
  );
});
