// Orders that wait for a price: when they go off, what becomes of them, and exits that belong to a position.

import { describe, expect, it } from "vitest";
import type { ChainEvent } from "../../../../../src/devnet/event.ts";
import { price } from "../../../../../src/domain/units.ts";
import { ALICE, BOB, CAROL, canceledOf, codeOf, contracts, makeWorld, typesOf, usd, type World } from "../set-up.ts";

const stop = { orderType: "StopMarket", price: price(0n), timeInForce: "IOC" } as const;
const named = (events: readonly ChainEvent[]) => events.map((event) => event.type);
const reasons = (events: readonly ChainEvent[]) => canceledOf({ status: "success", events });
const open = (world: World) => world.engine.account(ALICE)?.openOrders ?? [];

/** Alice long 2 from 200; Carol bids 150 and offers 250 for whoever must. */
function held(): World {
  const world = makeWorld();
  world.place({ accountId: BOB, side: "sell", price: usd(200), size: contracts(2) });
  world.place({ price: usd(200), size: contracts(2) });
  world.place({ accountId: CAROL, price: usd(195), size: contracts(5) });
  world.place({ accountId: CAROL, side: "sell", price: usd(205), size: contracts(5) });
  return world;
}

describe("a stop", () => {
  it("waits, listed but not in the book, and reserves nothing", () => {
    const world = makeWorld();
    const receipt = world.place({ ...stop, triggerPrice: usd(210) });
    expect(typesOf(receipt)).toEqual(["OrderPlaced"]);
    expect(open(world)).toMatchObject([{ status: "Untriggered", triggerPrice: usd(210) }]);
    expect(world.engine.book(1)).toMatchObject({ bids: [], asks: [] });
    expect(world.engine.account(ALICE)?.initialMargin).toBe(0n);
  });

  it.each([
    ["buy", 210, 209.99, 210],
    ["sell", 190, 190.01, 190],
  ] as const)("to %s at %d waits at %d and goes off at %d", (side, trigger, waits, goes) => {
    const world = held();
    world.place({ ...stop, side, triggerPrice: usd(trigger) });
    world.print(waits);
    expect(named(world.block())).not.toContain("OrderTriggered");
    world.print(goes);
    expect(named(world.block())).toContain("OrderTriggered");
    expect(open(world)).toEqual([]);
    world.engine.auditBalances();
  });

  it("that is past its trigger when it comes goes off in the next block", () => {
    const world = held();
    world.place({ ...stop, side: "sell", triggerPrice: usd(200), reduceOnly: true });
    expect(named(world.block())).toEqual(["OrderTriggered", "Fill", "BookChanged"]);
    expect(world.engine.account(ALICE)?.positions[0]?.size).toBe(contracts(1));
  });

  it("goes by the oracle price: the book may go where it likes", () => {
    const world = held();
    world.place({ ...stop, side: "sell", triggerPrice: usd(199), reduceOnly: true });
    world.engine.cancelAll(CAROL, null, world.ctx());
    world.place({ accountId: CAROL, price: usd(185) });
    world.place({ accountId: CAROL, side: "sell", price: usd(186) });
    expect(named(world.block())).toEqual([]);
  });

  it("with a limit rests at it once triggered, and does not trigger again", () => {
    const world = makeWorld();
    world.place({ orderType: "StopLimit", price: usd(208), triggerPrice: usd(210) });
    world.print(211);
    expect(named(world.block())).toEqual(["OrderTriggered", "BookChanged"]);
    expect(open(world)).toMatchObject([{ status: "Open", orderType: "StopLimit" }]);
    expect(world.engine.book(1)?.bids).toHaveLength(1);
    world.print(212);
    expect(named(world.block())).toEqual([]);
  });

  it.each([
    ["InsufficientMargin", { orderType: "StopLimit", price: usd(190), timeInForce: "GTC", size: contracts(50_000) }],
    ["ReduceOnly", { reduceOnly: true, side: "buy" }],
    ["FokUnfilled", { timeInForce: "FOK", size: contracts(50) }],
    ["Refused", { orderType: "StopLimit", price: usd(400), timeInForce: "GTC" }],
    ["Refused", { marginMode: "Isolated" }],
  ] as const)("that may not go on is canceled with %s", (reason, order) => {
    const world = held();
    world.place({ ...stop, triggerPrice: usd(210), ...order });
    world.print(210);
    expect(reasons(world.block())).toEqual([reason]);
    expect(open(world)).toEqual([]);
    world.engine.auditBalances();
  });

  it("waits on while the market is paused, unless it only reduces", () => {
    const world = held();
    world.place({ ...stop, side: "sell", triggerPrice: usd(190), size: contracts(0.5) });
    world.place({ ...stop, side: "sell", triggerPrice: usd(190), size: contracts(0.5), reduceOnly: true });
    world.engine.setMarketStatus(1, "Paused", world.ctx());
    world.print(190);
    expect(named(world.block()).filter((name) => name === "OrderTriggered")).toHaveLength(1);
    world.engine.setMarketStatus(1, "Active", world.ctx());
    expect(named(world.block()).filter((name) => name === "OrderTriggered")).toHaveLength(1);
  });

  it("can be canceled and modified while it waits", () => {
    const world = makeWorld();
    const id = world.placed({ orderType: "StopLimit", price: usd(208), triggerPrice: usd(210) });
    expect(
      typesOf(world.engine.modify({ orderId: id, newPrice: usd(207), newSize: contracts(3) }, world.ctx())),
    ).toEqual(["OrderModified"]);
    expect(world.engine.order(id)).toMatchObject({ price: usd(207), size: contracts(3), status: "Untriggered" });
    expect(canceledOf(world.engine.cancel(id, world.ctx()))).toEqual(["UserCanceled"]);
  });

  it("counts toward the cap of open orders", () => {
    const world = makeWorld({ openOrderCap: 1 });
    world.place({ ...stop, triggerPrice: usd(210) });
    expect(codeOf(world.place({ ...stop, triggerPrice: usd(211) }))).toBe("OpenOrderCap");
  });
});

describe("attached exits", () => {
  const entry = { price: usd(200), size: contracts(2), takeProfit: usd(210), stopLoss: usd(190) };

  /** Bob sells Alice `amount` of her bid with exits. */
  function entered(amount: number): World {
    const world = makeWorld();
    world.place(entry);
    world.place({ accountId: BOB, side: "sell", price: usd(200), size: contracts(amount) });
    world.place({ accountId: CAROL, price: usd(189), size: contracts(5) });
    world.place({ accountId: CAROL, side: "sell", price: usd(215), size: contracts(5) });
    return world;
  }
  const exits = (world: World) => open(world).filter((order) => order.status === "Untriggered");

  it("come to life with the first fill and grow with the next", () => {
    const world = makeWorld();
    world.place(entry);
    expect(exits(world)).toEqual([]);
    world.place({ accountId: BOB, side: "sell", price: usd(200), size: contracts(0.5) });
    expect(exits(world)).toMatchObject([
      { side: "sell", orderType: "StopMarket", triggerPrice: usd(210), size: contracts(0.5), reduceOnly: true },
      { side: "sell", orderType: "StopMarket", triggerPrice: usd(190), size: contracts(0.5), reduceOnly: true },
    ]);
    world.place({ accountId: BOB, side: "sell", price: usd(200), size: contracts(1) });
    expect(exits(world)).toMatchObject([{ size: contracts(1.5) }, { size: contracts(1.5) }]);
  });

  it("need room under the cap of open orders when their entry comes", () => {
    const world = makeWorld({ openOrderCap: 3 });
    world.place({ price: usd(190) });
    expect(codeOf(world.place(entry))).toBe("OpenOrderCap");
    expect(codeOf(world.place({ ...entry, timeInForce: "IOC" }))).toBeNull();
    world.engine.cancelAll(ALICE, null, world.ctx());
    expect(codeOf(world.place(entry))).toBeNull();
  });

  it("come to life for a taker too", () => {
    const world = makeWorld();
    world.place({ accountId: BOB, side: "sell", price: usd(200), size: contracts(2) });
    world.place(entry);
    expect(exits(world)).toHaveLength(2);
  });

  it.each([
    ["take profit", 210],
    ["stop loss", 190],
  ])("cancel each other: the %s at %d", (_, at) => {
    const world = entered(2);
    world.print(at);
    const events = world.block();
    expect(named(events)).toEqual(["OrderTriggered", "OrderCanceled", "Fill", "BookChanged"]);
    expect(reasons(events)).toEqual(["Oco"]);
    expect(world.engine.account(ALICE)?.positions).toEqual([]);
    expect(open(world)).toEqual([]);
    world.engine.auditBalances();
  });

  it("go when the position is closed by other means, and stay while some of it is left", () => {
    const world = entered(2);
    world.place({ side: "sell", price: usd(189), size: contracts(1) });
    expect(exits(world)).toHaveLength(2);
    const receipt = world.place({ side: "sell", price: usd(189), size: contracts(1) });
    expect(canceledOf(receipt)).toEqual(["ReduceOnly", "ReduceOnly"]);
  });

  it("of a sell stand the other way round", () => {
    const world = makeWorld();
    world.place({ side: "sell", price: usd(200), takeProfit: usd(190), stopLoss: usd(210) });
    world.place({ accountId: BOB, price: usd(200) });
    world.place({ accountId: CAROL, side: "sell", price: usd(195), size: contracts(5) });
    world.print(189.99);
    expect(reasons(world.block())).toEqual(["Oco"]);
    expect(world.engine.account(ALICE)?.positions).toEqual([]);
  });
});

describe("a market that is not real estate", () => {
  it("triggers and values by the mark price of the block's start", () => {
    const world = makeWorld({}, { assetClass: "Commodities" });
    world.place({ accountId: BOB, side: "sell", price: usd(200) });
    world.place({ price: usd(200) });
    world.place({ ...stop, side: "sell", triggerPrice: usd(195), reduceOnly: true });
    world.place({ accountId: CAROL, price: usd(190), size: contracts(5) });
    world.place({ accountId: CAROL, side: "sell", price: usd(192), size: contracts(5) });
    expect(named(world.block())).toContain("OrderTriggered");
    world.engine.auditBalances();
  });
});
