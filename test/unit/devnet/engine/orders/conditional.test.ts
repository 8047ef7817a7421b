// Orders that wait for a price: when they go off, what becomes of them, and exits that belong to a position.

import { describe, expect } from "vitest";
import type { ChainEvent } from "../../../../../src/devnet/event.ts";
import { price } from "../../../../../src/domain/units.ts";
import {
  ALICE,
  BOB,
  CAROL,
  canceledOf,
  codeOf,
  contracts,
  it,
  makeWorld,
  typesOf,
  usd,
  type World,
} from "../set-up.ts";

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
  it("waits, listed but not in the book, and reserves nothing", ({ world }) => {
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

  it("with a limit rests at it once triggered, and does not trigger again", ({ world }) => {
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

  it.each([
    ["of a market order", { ...stop }],
    ["with a limit", { orderType: "StopLimit", price: usd(195), timeInForce: "GTC" }],
  ] as const)("%s that only reduces tells the size that its position leaves it", (_, terms) => {
    const world = held();
    world.place({ ...terms, side: "sell", size: contracts(3), triggerPrice: usd(200), reduceOnly: true });
    const events = world.block();
    expect(named(events)).toEqual(["OrderTriggered", "OrderModified", "Fill", "BookChanged"]);
    expect(events[1]).toMatchObject({ order: { size: contracts(2), remainingSize: contracts(2) } });
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

  it("can be canceled and modified while it waits", ({ world }) => {
    const id = world.placed({ orderType: "StopLimit", price: usd(208), triggerPrice: usd(210) });
    expect(
      typesOf(world.engine.modify({ orderId: id, newPrice: usd(207), newSize: contracts(3) }, world.ctx())),
    ).toEqual(["OrderModified"]);
    expect(world.engine.order(id)).toMatchObject({ price: usd(207), size: contracts(3), status: "Untriggered" });
    expect(canceledOf(world.engine.cancel(id, world.ctx()))).toEqual(["UserCanceled"]);
  });

  it("has its trigger price modified while it waits; the new one is reached at once where it is", () => {
    const world = held();
    const id = world.placed({ ...stop, side: "sell", triggerPrice: usd(180), reduceOnly: true });
    const modified = (newPrice: number) =>
      world.engine.modify({ orderId: id, newPrice: usd(newPrice), newSize: null }, world.ctx());
    expect(codeOf(modified(0))).toBe("InvalidTrigger");
    expect(typesOf(modified(190.005))).toEqual(["OrderModified"]);
    expect(world.engine.order(id)).toMatchObject({ price: 0n, triggerPrice: usd(190.005), size: contracts(1) });
    expect(named(world.block())).toEqual([]);
    modified(200);
    expect(named(world.block())).toContain("OrderTriggered");
  });

  it("that was reached while the oracle was halted goes off when it is not", () => {
    const world = held();
    world.place({ ...stop, side: "sell", triggerPrice: usd(190), size: contracts(1) });
    world.engine.setOracle(1, { status: "Halted" }, world.ctx());
    world.print(190);
    expect(named(world.block())).not.toContain("OrderTriggered");
    world.engine.setOracle(1, { status: "Active" }, world.ctx());
    expect(named(world.block())).toContain("OrderTriggered");
  });

  it("counts toward the cap of open orders", () => {
    const world = makeWorld({ openOrderCap: 1 });
    world.place({ ...stop, triggerPrice: usd(210) });
    expect(codeOf(world.place({ ...stop, triggerPrice: usd(211) }))).toBe("OpenOrderCap");
  });
});

describe("a market stop", () => {
  const sell = { ...stop, side: "sell", triggerPrice: usd(195), size: contracts(1), reduceOnly: true } as const;
  /** Alice long 2, and nobody else in the book. */
  function alone(): World {
    const world = held();
    world.engine.cancelAll(CAROL, null, world.ctx());
    return world;
  }

  it.each([
    ["that reduces", sell],
    ["that reduces without saying so", { ...sell, reduceOnly: false, size: contracts(2) }],
    ["that must fill whole", { ...sell, timeInForce: "FOK", size: contracts(2) }],
    ["that opens", { ...sell, side: "buy", triggerPrice: usd(190), reduceOnly: false }],
  ] as const)("%s stays armed while the book has nothing, and goes off in the block after it has", (_, order) => {
    const world = alone();
    const id = world.placed(order);
    world.print(195);
    const waiting = () => world.engine.snapshot().markets[0]?.untriggered;
    const before = waiting();
    const told = world.changes.length;
    expect(named(world.block())).toEqual([]);
    expect(world.changes).toHaveLength(told);
    expect(waiting()).toEqual(before);
    expect(world.engine.order(id)).toMatchObject({ status: "Untriggered", size: order.size });
    world.place({ accountId: CAROL, side: order.side === "buy" ? "sell" : "buy", price: usd(194), size: contracts(5) });
    expect(named(world.block())).toEqual(["OrderTriggered", "Fill", "BookChanged"]);
    expect(world.engine.order(id)).toBeUndefined();
    world.engine.auditBalances();
  });

  it("stays armed no longer than its price is reached", () => {
    const world = alone();
    world.place(sell);
    world.print(195);
    world.block();
    world.print(195.01);
    world.place({ accountId: CAROL, price: usd(194), size: contracts(5) });
    expect(named(world.block())).toEqual([]);
  });

  it("that filled in part waits on with the rest while that only reduces, as large as it was placed", () => {
    const world = alone();
    const id = world.placed({ ...sell, size: contracts(3) });
    world.place({ accountId: CAROL, price: usd(194), size: contracts(0.5) });
    world.print(195);
    expect(named(world.block())).toEqual(["OrderTriggered", "Fill", "OrderModified", "BookChanged"]);
    const left = { status: "Untriggered", size: contracts(3), filledSize: contracts(0.5) };
    expect(world.engine.order(id)).toMatchObject({ ...left, remainingSize: contracts(2.5) });
    world.place({ accountId: CAROL, price: usd(194), size: contracts(5) });
    world.block();
    expect(world.engine.account(ALICE)?.positions).toEqual([]);
    expect(open(world)).toEqual([]);
    world.engine.auditBalances();
  });

  it("that opens loses what it could not fill at once", () => {
    const world = alone();
    world.place({ ...stop, triggerPrice: usd(200), size: contracts(3) });
    world.place({ accountId: CAROL, side: "sell", price: usd(201), size: contracts(1) });
    expect(reasons(world.block())).toEqual(["IocRemainder"]);
    expect(open(world)).toEqual([]);
  });

  it("that its own account's order stands in front of waits behind it", () => {
    const world = alone();
    const id = world.placed(sell);
    world.placed({ price: usd(195) });
    world.print(195);
    expect(named(world.block())).toEqual([]);
    expect(world.engine.order(id)).toMatchObject({ status: "Untriggered" });
  });

  it("goes when there is nothing left to reduce", () => {
    const world = held();
    world.place({ ...sell, size: contracts(3) });
    world.place({ side: "sell", price: usd(195), size: contracts(2) });
    world.print(195);
    expect(reasons(world.block())).toEqual(["ReduceOnly"]);
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

  it("come to life with the first fill and grow with the next", ({ world }) => {
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

  it("hold their room from when the entry comes until they live or can come no more", () => {
    const world = makeWorld({ openOrderCap: 5 });
    const id = world.placed(entry);
    const others = [190, 189].map((at) => world.placed({ price: usd(at) }));
    const more = () => codeOf(world.place({ price: usd(188), size: contracts(0.1) }));
    expect(more()).toBe("OpenOrderCap");
    world.place({ accountId: BOB, side: "sell", price: usd(200), size: contracts(1) });
    expect(open(world)).toHaveLength(5);
    expect(more()).toBe("OpenOrderCap");
    // The first fill's exits go, and the next fill brings new ones: their room stays held.
    for (const { orderId } of exits(world)) world.engine.cancel(orderId, world.ctx());
    expect(more()).toBe("OpenOrderCap");
    world.place({ accountId: BOB, side: "sell", price: usd(200), size: contracts(0.5) });
    expect(open(world)).toHaveLength(5);
    // Without its entry an exit counts for itself alone.
    world.engine.cancel(id, world.ctx());
    expect(more()).toBeNull();
    expect(more()).toBe("OpenOrderCap");
    world.engine.cancel(exits(world)[0]!.orderId, world.ctx());
    expect(more()).toBeNull();
    for (const other of others) world.engine.cancel(other, world.ctx());
    world.engine.auditBalances();
  });

  it("of a stop have their room while it waits, and it finds it when it triggers", () => {
    const world = makeWorld({ openOrderCap: 3 });
    world.place({ accountId: BOB, side: "sell", price: usd(210), size: contracts(5) });
    world.place({ ...stop, triggerPrice: usd(209), takeProfit: usd(220), stopLoss: usd(200) });
    expect(codeOf(world.place({ price: usd(190) }))).toBe("OpenOrderCap");
    world.print(209);
    expect(reasons(world.block())).toEqual([]);
    expect(exits(world)).toHaveLength(2);
    expect(codeOf(world.place({ price: usd(190) }))).toBeNull();
    expect(codeOf(world.place({ price: usd(190) }))).toBe("OpenOrderCap");
    world.engine.auditBalances();
  });

  it("come to life for a taker too", ({ world }) => {
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

  it("both stay, as large as the position, when one fills in part", () => {
    const world = entered(2);
    world.engine.cancelAll(CAROL, null, world.ctx());
    world.place({ accountId: CAROL, price: usd(189), size: contracts(0.5) });
    world.print(190);
    expect(named(world.block())).toEqual(["OrderTriggered", "Fill", "OrderModified", "OrderModified", "BookChanged"]);
    expect(exits(world)).toMatchObject([{ remainingSize: contracts(1.5) }, { remainingSize: contracts(1.5) }]);
    world.print(210);
    world.place({ accountId: CAROL, price: usd(209), size: contracts(5) });
    expect(reasons(world.block())).toEqual(["Oco"]);
    expect(world.engine.account(ALICE)?.positions).toEqual([]);
    world.engine.auditBalances();
  });

  it("grow again with the entry after they shrank", ({ world }) => {
    world.place({ ...entry, size: contracts(4) });
    world.place({ accountId: BOB, side: "sell", price: usd(200), size: contracts(2) });
    world.place({ accountId: CAROL, price: usd(200.5), size: contracts(1) });
    const receipt = world.place({ side: "sell", price: usd(200.5), size: contracts(1) });
    expect(typesOf(receipt).filter((type) => type === "OrderModified")).toHaveLength(2);
    expect(exits(world)).toMatchObject([{ size: contracts(1) }, { size: contracts(1) }]);
    world.place({ accountId: BOB, side: "sell", price: usd(200), size: contracts(2) });
    expect(exits(world)).toMatchObject([{ size: contracts(3) }, { size: contracts(3) }]);
  });

  it("have trigger and size modified, each on its side of the other and never beyond the position", () => {
    const world = entered(2);
    const [profit, loss] = exits(world).map(({ orderId }) => orderId);
    const modify = (orderId: typeof profit, newPrice: number | null, newSize: number | null = null) =>
      world.engine.modify(
        {
          orderId: orderId!,
          newPrice: newPrice === null ? null : usd(newPrice),
          newSize: newSize === null ? null : contracts(newSize),
        },
        world.ctx(),
      );
    expect(codeOf(modify(profit, 190))).toBe("InvalidExit");
    expect(codeOf(modify(loss, 210))).toBe("InvalidExit");
    expect(codeOf(modify(loss, 195))).toBeNull();
    modify(profit, null, 5);
    expect(exits(world)).toMatchObject([
      { triggerPrice: usd(210), size: contracts(2) },
      { triggerPrice: usd(195), size: contracts(2) },
    ]);
    world.print(195);
    expect(reasons(world.block())).toEqual(["Oco"]);
  });

  it("go when the position is closed by other means, and stay, as large as it is, while some of it is left", () => {
    const world = entered(2);
    world.place({ side: "sell", price: usd(189), size: contracts(1) });
    expect(exits(world)).toMatchObject([{ size: contracts(1) }, { size: contracts(1) }]);
    const receipt = world.place({ side: "sell", price: usd(189), size: contracts(1) });
    expect(canceledOf(receipt)).toEqual(["ReduceOnly", "ReduceOnly"]);
  });

  it("of a sell stand the other way round", ({ world }) => {
    world.place({ side: "sell", price: usd(200), takeProfit: usd(190), stopLoss: usd(210) });
    world.place({ accountId: BOB, price: usd(200) });
    world.place({ accountId: CAROL, side: "sell", price: usd(195), size: contracts(5) });
    world.print(189.99);
    expect(reasons(world.block())).toEqual(["Oco"]);
    expect(world.engine.account(ALICE)?.positions).toEqual([]);
  });
});
