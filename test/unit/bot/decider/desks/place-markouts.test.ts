// Markouts by where the order stood in the queue of its price before the fill.

import { expect, test } from "vitest";
import type { MarketDesk } from "../../../../../src/bot/decider/desks/market-desk.ts";
import type { Turn } from "../../../../../src/bot/decider/turns/turn.ts";
import { type Fill, fillsOf } from "../../../../../src/domain/fill.ts";
import { noQuotes } from "../../../../../src/domain/quotes.ts";
import type { Size } from "../../../../../src/domain/units.ts";
import { healthyView, lots, now, order, usd, withOrders } from "../../risk/healthy.ts";
import { execution, ME } from "../../scene.ts";
import { Desks } from "../../service/desks.ts";

/** Ten contracts rest at 199, ours among them. */
const book = {
  marketId: 1,
  bids: [{ price: usd(199), size: lots(10), orderCount: 5 }],
  asks: [{ price: usd(201), size: lots(10), orderCount: 5 }],
};
const view = { ...healthyView, book: now(book) };

function filledFrom(desk: MarketDesk, queueAhead: Size | null, of: Partial<Fill> = {}): void {
  const known = withOrders(view, [order(7, "buy", 199, 1, { queueAhead })]);
  const answers = { buy: { widened: 0 }, sell: { widened: 0 } };
  desk.last = { view: known, quotes: noQuotes("a test"), answers } as Turn;
  const [fill] = fillsOf(execution({ mine: 7n }), ME);
  desk.filled({ ...fill!, ...of }, known);
}

test("a fill counts in the tenth that its order stood in; one that took, or whose place nobody knows, in none", () => {
  const desk = new Desks().desk().markets.get(1)!;
  expect(desk.fills.byPlace()).toEqual([]);
  filledFrom(desk, lots(0));
  filledFrom(desk, lots(0.9));
  filledFrom(desk, lots(4.2));
  filledFrom(desk, lots(9));
  filledFrom(desk, null);
  filledFrom(desk, lots(0), { liquidity: "taker" });
  desk.measure({ ...view, nowMs: view.nowMs + 1000 });
  const counts = desk.fills.byPlace().map(({ decile, markouts }) => [decile, markouts[0]?.count]);
  expect(counts).toEqual([
    [1, 2],
    [5, 1],
    [10, 1],
  ]);
  expect(desk.fills.byPlace()[0]?.markouts).toEqual([{ horizon: "1s", count: 2, meanBps: (1 / 199) * 10_000 }]);
});
