// A market that repeats another's: its book is the other's, whatever that does, and an order of ours is filled as a queue model says.

import fc from "fast-check";
import { expect, test } from "vitest";
import { bookOf, level, MARKET, type MirrorScene, mirrorScene } from "../unit/paper/mirror-scene.ts";

const levels = (min: number, max: number, order: 1 | -1) =>
  fc
    .uniqueArray(fc.record({ ticks: fc.integer({ min, max }), units: fc.integer({ min: 1, max: 2_000_000 }) }), {
      selector: ({ ticks }) => ticks,
      maxLength: 6,
    })
    .map((rows) => rows.sort((a, b) => order * (a.ticks - b.ticks)).map(({ ticks, units }) => level(ticks, units)));

/** The middle moves: each of them may cross the one before. */
const books = fc.array(
  fc
    .integer({ min: 19_900, max: 20_100 })
    .chain((middle) => fc.record({ bids: levels(middle - 20, middle - 1, -1), asks: levels(middle, middle + 20, 1) })),
  { minLength: 1, maxLength: 12 },
);

const shown = ({ exchange }: MirrorScene) => {
  const { bids = [], asks = [] } = exchange.chain.reads.book(MARKET) ?? {};
  const rows = (side: readonly { readonly price: bigint; readonly size: bigint }[]) =>
    side.map(({ price, size }) => [price, size]);
  return { bids: rows(bids), asks: rows(asks) };
};

test.each(["riskAverse", "optimistic"] as const)("%s: without orders of ours the book is the other's", (model) => {
  fc.assert(
    fc.property(books, (all) => {
      const scene = mirrorScene(model);
      for (const { bids, asks } of all) {
        scene.show(bookOf(bids, asks));
        expect(shown(scene)).toEqual({
          bids: bids.map(({ price, size }) => [price, size]),
          asks: asks.map(({ price, size }) => [price, size]),
        });
      }
      scene.exchange.chain.audit();
    }),
    { numRuns: 60 },
  );
});

const PRICE = 19_990;
type Deed = { readonly kind: "trade" | "cancel" | "add"; readonly share: number };

/** What a level does: a share of what stands there, in tenths. */
const deeds = fc.array(
  fc.record({
    kind: fc.constantFrom<Deed["kind"]>("trade", "cancel", "add"),
    share: fc.integer({ min: 1, max: 10 }),
  }),
  { maxLength: 15 },
);

/** Contracts of ours that are filled, after each deed: by the mirror, and by the law of the queue. */
function filledBy(model: "riskAverse" | "optimistic", ahead: number, size: number, all: readonly Deed[]) {
  const scene = mirrorScene(model);
  const show = (units: number) => scene.show(bookOf(units > 0 ? [level(PRICE, units)] : [], [level(20_010, 1000)]));
  let [standing, before, ours] = [ahead, ahead, size];
  show(standing);
  scene.place("buy", PRICE, size);
  const [mirrored, expected]: [number[], number[]] = [[], []];
  for (const { kind, share } of all) {
    const amount = Math.ceil((standing * share) / 10);
    if (kind === "add") standing += share * 100;
    else if (amount > 0 && kind === "trade") {
      scene.trade("sell", PRICE, amount);
      ours -= Math.min(ours, Math.max(0, amount - before));
      before = Math.max(0, before - amount);
      standing -= amount;
    } else if (amount > 0) {
      standing -= amount;
      if (model === "optimistic") before = Math.max(0, before - amount);
    }
    before = Math.min(before, standing);
    show(standing);
    mirrored.push(scene.held());
    expected.push(size - ours);
  }
  return { mirrored, expected };
}

test("an order waits for what stood before it, and what leaves without a trade stood behind it or before it", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 1, max: 3000 }), deeds, (ahead, size, all) => {
      const averse = filledBy("riskAverse", ahead, size, all);
      const optimistic = filledBy("optimistic", ahead, size, all);
      expect(averse.mirrored).toEqual(averse.expected);
      expect(optimistic.mirrored).toEqual(optimistic.expected);
      for (const [index, filled] of averse.mirrored.entries())
        expect(filled).toBeLessThanOrEqual(optimistic.mirrored[index] ?? 0);
    }),
    { numRuns: 60 },
  );
});
