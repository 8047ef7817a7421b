// The book shows what can fill: resting reduce-only orders never exceed the position, whatever changes it, and their owner hears of
// each that shrinks or goes.

import { describe, expect, it } from "vitest";
import type { PlaceOrder } from "../../../../../src/devnet/engine/calls.ts";
import type { ChainEvent } from "../../../../../src/devnet/event.ts";
import type { OrderId } from "../../../../../src/domain/units.ts";
import { ALICE, BOB, CAROL, canceledOf, contracts, eventsOf, fillsOf, makeWorld, usd, type World } from "../set-up.ts";

const exit = { side: "sell", reduceOnly: true } as const;

/** Alice long 10, Bob short 10. */
function held(order: Partial<PlaceOrder> = {}): World {
  const world = makeWorld();
  world.place({ accountId: BOB, side: "sell", size: contracts(10) });
  world.place({ size: contracts(10), ...order });
  return world;
}

/** Price and contracts of every level of asks. */
function asksOf(world: World): readonly (readonly [price: number, contracts: number])[] {
  world.engine.auditBalances();
  return world.engine.book(1)!.asks.map((level) => [Number(level.price) / 1e8, Number(level.size) / 1e6]);
}

/** What became of orders: [id, contracts] of a shrink, [id, reason] of a cancel. */
const toldIn = (events: readonly ChainEvent[]): readonly (readonly [OrderId, number | string])[] =>
  events.flatMap((event): readonly (readonly [OrderId, number | string])[] => {
    if (event.type === "OrderModified") return [[event.order.orderId, Number(event.order.remainingSize) / 1e6]];
    return event.type === "OrderCanceled" ? [[event.orderId, event.reason]] : [];
  });

describe("resting reduce-only orders", () => {
  it("go when the position is closed as a taker, by an order that says nothing of reducing", () => {
    const world = held();
    const first = world.placed({ ...exit, price: usd(201), size: contracts(6) });
    const second = world.placed({ ...exit, price: usd(202), size: contracts(4) });
    world.place({ accountId: CAROL, price: usd(199), size: contracts(10) });
    const receipt = world.place({ side: "sell", price: usd(199), size: contracts(10) });
    expect(toldIn(eventsOf(receipt))).toEqual([
      [second, "ReduceOnly"],
      [first, "ReduceOnly"],
    ]);
    expect(asksOf(world)).toEqual([]);
    expect(fillsOf(world.place({ accountId: CAROL, postOnly: true, price: usd(202) }))).toEqual([]);
  });

  it("go when the position turns", () => {
    const world = held();
    world.place({ ...exit, price: usd(201), size: contracts(10) });
    world.place({ accountId: CAROL, price: usd(199), size: contracts(15) });
    world.place({ side: "sell", price: usd(199), size: contracts(15) });
    expect(world.engine.account(ALICE)?.positions).toMatchObject([{ side: "sell", size: contracts(5) }]);
    expect(asksOf(world)).toEqual([]);
  });

  it("shrink from the worst placed when a plain order of the account fills as a maker", () => {
    const world = held();
    const best = world.placed({ ...exit, price: usd(201), size: contracts(4) });
    const older = world.placed({ ...exit, price: usd(202), size: contracts(3) });
    const younger = world.placed({ ...exit, price: usd(202), size: contracts(3) });
    world.place({ side: "sell", price: usd(200.5), size: contracts(5) });
    const receipt = world.place({ accountId: CAROL, price: usd(200.5), size: contracts(5) });
    expect(toldIn(eventsOf(receipt))).toEqual([
      [younger, "ReduceOnly"],
      [older, 1],
    ]);
    expect(world.engine.order(older)).toMatchObject({ size: contracts(1), filledSize: contracts(0) });
    expect(asksOf(world)).toEqual([
      [201, 4],
      [202, 1],
    ]);
    expect(world.engine.order(best)).toMatchObject({ size: contracts(4) });
  });

  it("keep what has filled in their size as they shrink", () => {
    const world = held();
    const order = world.placed({ ...exit, price: usd(201), size: contracts(10) });
    world.place({ accountId: CAROL, price: usd(201), size: contracts(2) });
    world.place({ accountId: CAROL, price: usd(199), size: contracts(3) });
    world.place({ side: "sell", price: usd(199), size: contracts(3) });
    expect(world.engine.order(order)).toMatchObject({
      size: contracts(7),
      filledSize: contracts(2),
      remainingSize: contracts(5),
    });
    expect(asksOf(world)).toEqual([[201, 5]]);
  });

  it("stay as they are while one of them fills, since it takes its own place in the position along", () => {
    const world = held();
    world.place({ ...exit, price: usd(201), size: contracts(5) });
    const other = world.placed({ ...exit, price: usd(202), size: contracts(5) });
    const receipt = world.place({ accountId: CAROL, price: usd(201), size: contracts(5) });
    expect(toldIn(eventsOf(receipt))).toEqual([]);
    expect(world.engine.order(other)).toMatchObject({ size: contracts(5) });
  });

  it.each([
    ["worse placed: the newcomer gives way", 203, ["new", 4]],
    ["better placed: it pushes out what is behind it", 200.5, ["old", 4]],
    ["at the same price, behind those that are there", 202, ["new", 4]],
  ] as const)("another comes to rest, %s", (_, price, [who, left]) => {
    const world = held();
    const old = world.placed({ ...exit, price: usd(202), size: contracts(6) });
    if (who === "old") world.place({ ...exit, price: usd(201), size: contracts(4) });
    const receipt = world.place({ ...exit, price: usd(price), size: contracts(who === "old" ? 2 : 9) });
    const placed = eventsOf(receipt).find((event) => event.type === "OrderPlaced");
    const id = who === "old" ? old : placed?.order.orderId;
    expect(toldIn(eventsOf(receipt))).toEqual([[id, left]]);
    expect(asksOf(world).reduce((sum, [, units]) => sum + units, 0)).toBe(10);
  });

  it("a newcomer behind orders that close the whole position goes at once", () => {
    const world = held();
    world.place({ ...exit, price: usd(201), size: contracts(10) });
    const receipt = world.place({ ...exit, price: usd(202), size: contracts(10) });
    expect(canceledOf(receipt)).toEqual(["ReduceOnly"]);
    expect(asksOf(world)).toEqual([[201, 10]]);
  });

  it("one that grows by a modify takes only what the others leave", () => {
    const world = held();
    world.place({ ...exit, price: usd(201), size: contracts(5) });
    const grown = world.placed({ ...exit, price: usd(202), size: contracts(2) });
    world.engine.modify({ orderId: grown, newPrice: null, newSize: contracts(9) }, world.ctx());
    expect(asksOf(world)).toEqual([
      [201, 5],
      [202, 5],
    ]);
    world.engine.modify({ orderId: grown, newPrice: usd(200.5), newSize: contracts(8) }, world.ctx());
    expect(asksOf(world)).toEqual([
      [200.5, 8],
      [201, 2],
    ]);
  });

  it("within one match fill what the account's other makers leave, and the rest goes", () => {
    const world = held();
    const first = world.placed({ ...exit, price: usd(201), size: contracts(6) });
    world.place({ side: "sell", price: usd(201), size: contracts(7) });
    const last = world.placed({ ...exit, price: usd(202), size: contracts(4) });
    const receipt = world.place({ accountId: CAROL, price: usd(202), size: contracts(30) });
    expect(fillsOf(receipt).map((fill) => fill.size)).toEqual([6, 7]);
    expect(fillsOf(receipt)[0]?.maker).toBe(first);
    expect(toldIn(eventsOf(receipt))).toContainEqual([last, "ReduceOnly"]);
    expect(world.engine.account(ALICE)?.positions).toMatchObject([{ side: "sell", size: contracts(3) }]);
    expect(asksOf(world)).toEqual([]);
  });

  it("go when a stop or an exit closes the position", () => {
    const world = held({ stopLoss: usd(195) });
    world.place({ ...exit, price: usd(205), size: contracts(10) });
    world.place({ accountId: CAROL, price: usd(194), size: contracts(10) });
    world.print(195);
    expect(toldIn(world.block()).map(([, told]) => told)).toContain("ReduceOnly");
    expect(asksOf(world)).toEqual([]);
  });

  it("are of one market: those of another stay", () => {
    const world = held();
    world.place({ accountId: BOB, side: "buy", price: usd(190), size: contracts(10), reduceOnly: true });
    world.place({ ...exit, price: usd(201), size: contracts(10) });
    world.place({ accountId: CAROL, price: usd(199), size: contracts(10) });
    world.place({ side: "sell", price: usd(199), size: contracts(10) });
    expect(asksOf(world)).toEqual([]);
    expect(world.engine.book(1)?.bids).toMatchObject([{ price: usd(190), size: contracts(10) }]);
  });

  it("survive a snapshot as they are", () => {
    const world = held();
    world.place({ ...exit, price: usd(201), size: contracts(7) });
    world.place({ ...exit, price: usd(202), size: contracts(7) });
    const resumed = makeWorld({ resumeFrom: JSON.parse(JSON.stringify(world.engine.snapshot())) });
    expect(asksOf(resumed)).toEqual(asksOf(world));
  });
});
