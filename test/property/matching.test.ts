// The book against a naive one: a sorted list, searched from the start each time. Same orders, same fills, same depth.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MatchPlan, planMatch } from "../../src/devnet/engine/book/match-plan.ts";
import { type Level, OrderBook, type Resting } from "../../src/devnet/engine/book/order-book.ts";

interface BookOrder extends Resting<BookOrder> {
  readonly id: number;
}

type Action =
  | {
      readonly kind: "place";
      readonly side: "buy" | "sell";
      readonly ticks: number;
      readonly units: number;
      readonly rests: boolean;
    }
  | { readonly kind: "cancel"; readonly pick: number }
  | { readonly kind: "shrink"; readonly pick: number; readonly units: number };

type Row = { readonly id: number; readonly side: "buy" | "sell"; readonly ticks: number; units: number };
type Fill = readonly [maker: number, units: number];

/** The law in its plainest form: better price first, then older first. */
class NaiveBook {
  rows: Row[] = [];

  take(side: "buy" | "sell", ticks: number, units: number): { fills: Fill[]; left: number } {
    const against = this.rows.filter(
      (row) => row.side !== side && (side === "buy" ? row.ticks <= ticks : row.ticks >= ticks),
    );
    const sorted = against.sort(
      (a, b) => (side === "buy" ? a.ticks - b.ticks : b.ticks - a.ticks) || this.age(a) - this.age(b),
    );
    const fills: Fill[] = [];
    let left = units;
    for (const row of sorted) {
      if (left === 0) break;
      const filled = Math.min(left, row.units);
      row.units -= filled;
      left -= filled;
      fills.push([row.id, filled]);
    }
    this.rows = this.rows.filter((row) => row.units > 0);
    return { fills, left };
  }

  age = (row: Row): number => this.rows.indexOf(row);

  depth(side: "buy" | "sell"): [ticks: number, units: number, count: number][] {
    const levels = new Map<number, [number, number, number]>();
    for (const row of this.rows) {
      if (row.side !== side) continue;
      const [, units, count] = levels.get(row.ticks) ?? [row.ticks, 0, 0];
      levels.set(row.ticks, [row.ticks, units + row.units, count + 1]);
    }
    return [...levels.values()].sort((a, b) => (side === "buy" ? b[0] - a[0] : a[0] - b[0]));
  }
}

/** Ticks that crowd around a touch, and some at the far ends of what a market can count. */
const anyTicks = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 90, max: 110 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 5000 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(0, 31, 32, 1023, 1024, 2 ** 30 - 1, 2 ** 30, 2 ** 35 + 7, Number.MAX_SAFE_INTEGER),
  },
);
const anySide = fc.constantFrom("buy" as const, "sell" as const);
const anyAction: fc.Arbitrary<Action> = fc.oneof(
  fc.record({
    kind: fc.constant("place" as const),
    side: anySide,
    ticks: anyTicks,
    units: fc.integer({ min: 1, max: 50 }),
    rests: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("cancel" as const), pick: fc.nat() }),
  fc.record({ kind: fc.constant("shrink" as const), pick: fc.nat(), units: fc.integer({ min: 1, max: 10 }) }),
);

function depthOf(best: Level<BookOrder> | null): [number, number, number][] {
  const levels: [number, number, number][] = [];
  for (let level = best; level !== null; level = level.worse) levels.push([level.ticks, level.units, level.orderCount]);
  return levels;
}

function follow(actions: readonly Action[]): void {
  const book = new OrderBook<BookOrder>();
  const plan = new MatchPlan<BookOrder>();
  const naive = new NaiveBook();
  const live = new Map<number, BookOrder>();
  actions.forEach((action, id) => {
    if (action.kind === "place") {
      const { side, ticks, units } = action;
      const order: BookOrder = { id, side, ticks, remaining: units, level: null, ahead: null, behind: null };
      planMatch(book, order, ticks, (maker) => maker.remaining, plan);
      const fills: Fill[] = [];
      for (let row = 0; row < plan.count; row += 1) {
        const maker = plan.makers[row]!;
        fills.push([maker.id, plan.units[row]!]);
        book.reduce(maker, plan.units[row]!);
        if (maker.remaining === 0) live.delete(maker.id);
      }
      order.remaining -= plan.filled;
      const expected = naive.take(side, ticks, units);
      expect({ fills, left: order.remaining }).toEqual(expected);
      if (order.remaining > 0 && action.rests) {
        book.add(order);
        live.set(id, order);
        naive.rows.push({ id, side, ticks, units: order.remaining });
      }
    } else if (live.size > 0) {
      const order = [...live.values()][action.pick % live.size]!;
      const row = naive.rows.find((candidate) => candidate.id === order.id)!;
      const taken = action.kind === "cancel" ? order.remaining : Math.min(action.units, order.remaining);
      book.reduce(order, taken);
      row.units -= taken;
      if (row.units === 0) {
        naive.rows.splice(naive.rows.indexOf(row), 1);
        live.delete(order.id);
      }
    }
    expect(depthOf(book.bestBid)).toEqual(naive.depth("buy"));
    expect(depthOf(book.bestAsk)).toEqual(naive.depth("sell"));
  });
}

describe("the order book", () => {
  it("fills and shows what a naive book does, whatever comes", () => {
    fc.assert(fc.property(fc.array(anyAction, { maxLength: 150, size: "max" }), follow), { numRuns: 150 });
  });
});
