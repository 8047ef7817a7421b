// Orders entering the market: priority, flags, times in force, and what is refused without a trace.

import { describe, expect } from "vitest";
import type { PlaceOrder } from "../../../../../src/devnet/engine/calls.ts";
import { accountId, price, size } from "../../../../../src/domain/units.ts";
import {
  ALICE,
  BOB,
  CAROL,
  canceledOf,
  codeOf,
  contracts,
  dollars,
  fillsOf,
  it,
  makeWorld,
  START_MS,
  typesOf,
  usd,
  type World,
} from "../set-up.ts";

/** Expects a refusal with this code, and that nothing changed and nothing was recorded. */
function refused(world: World, code: string, order: Partial<PlaceOrder>): void {
  const before = JSON.stringify(world.engine.snapshot());
  const told = world.changes.length;
  expect(codeOf(world.place(order))).toBe(code);
  expect(JSON.stringify(world.engine.snapshot())).toBe(before);
  expect(world.changes.length).toBe(told);
}

describe("a limit order", () => {
  it("rests when nothing crosses it", ({ world }) => {
    expect(typesOf(world.place({ price: usd(199) }))).toEqual(["OrderPlaced", "BookChanged"]);
    expect(world.engine.book(1)).toEqual({
      marketId: 1,
      bids: [{ price: usd(199), size: contracts(1), orderCount: 1 }],
      asks: [],
    });
    expect(world.engine.account(ALICE)?.openOrders).toMatchObject([{ status: "Open", createdAtMs: START_MS }]);
  });

  it("may be as exact as the market: one size unit, one tick", ({ world }) => {
    world.place({ price: usd(0.01), size: size(1n) });
    expect(world.engine.book(1)?.bids).toEqual([{ price: usd(0.01), size: size(1n), orderCount: 1 }]);
  });
});

describe("an order is refused", () => {
  it.each<[string, Partial<PlaceOrder>]>([
    ["UnknownMarket", { marketId: 9 }],
    ["UnknownAccount", { accountId: accountId(404n) }],
    ["InvalidPrice", { price: price(0n) }],
    ["InvalidPrice", { price: price(20_000_000_001n) }],
    ["InvalidPrice", { price: price(2n ** 53n * 1_000_000n) }],
    ["InvalidPrice", { orderType: "Market", price: usd(200) }],
    ["InvalidSize", { size: size(0n) }],
    ["SizeLimit", { size: size(2n ** 53n) }],
    ["InvalidTrigger", { triggerPrice: usd(200) }],
    ["InvalidTrigger", { orderType: "StopMarket", price: price(0n) }],
    ["InvalidTrigger", { orderType: "StopLimit", triggerPrice: price(0n) }],
    ["InvalidPostOnly", { postOnly: true, timeInForce: "IOC" }],
    ["InvalidPostOnly", { postOnly: true, orderType: "Market", price: price(0n) }],
    ["InvalidSlippage", { maxSlippageBps: 10 }],
    ["InvalidLeverage", { leverage: 1.5 }],
    ["LeverageTooHigh", { leverage: 21 }],
    ["InvalidExit", { takeProfit: usd(190), stopLoss: usd(210) }],
    ["InvalidExit", { side: "sell", takeProfit: usd(210), stopLoss: usd(190) }],
    ["InvalidExit", { reduceOnly: true, takeProfit: usd(210) }],
    ["ReduceOnly", { reduceOnly: true }],
    ["OpenInterestLimit", { size: contracts(1_000_001), price: usd(0.01) }],
    ["InsufficientMargin", { size: contracts(100_000) }],
  ])("with %s: %o", (code, order) => refused(makeWorld(), code, order));

  it("before the first print", ({ world }) => {
    const bare = makeWorld({}, { marketId: 2 });
    expect(codeOf(bare.place({ marketId: 2 }))).toBe("NoOraclePrice");
    expect(codeOf(world.place({}))).toBeNull();
  });

  it("beyond the open-order cap, and again accepted once one is gone", () => {
    const world = makeWorld({ openOrderCap: 2 });
    const first = world.placed({ price: usd(190) });
    world.placed({ price: usd(191) });
    refused(world, "OpenOrderCap", { price: usd(192) });
    world.engine.cancel(first, world.ctx());
    expect(codeOf(world.place({ price: usd(192) }))).toBeNull();
  });
});

describe("times in force", () => {
  it("FOK does not count what its own account offers", ({ world }) => {
    world.place({ accountId: BOB, side: "sell", price: usd(200), size: contracts(0.4) });
    world.place({ side: "sell", price: usd(200), size: contracts(0.6) });
    refused(world, "FokUnfilled", { price: usd(200), timeInForce: "FOK" });
  });
});

describe("the price band", () => {
  it("binds whoever crosses, not whoever rests", ({ world }) => {
    world.place({ accountId: BOB, side: "sell", price: usd(201) });
    refused(world, "PriceBand", { price: usd(220.01) });
    expect(codeOf(world.place({ accountId: CAROL, side: "sell", price: usd(250) }))).toBeNull();
    expect(fillsOf(world.place({ price: usd(220) }))).toMatchObject([{ at: 201 }]);
  });
});

describe("reduce only", () => {
  /** Alice long 2, Bob short 2. */
  function held(): World {
    const world = makeWorld();
    world.place({ accountId: BOB, side: "sell", price: usd(200), size: contracts(2) });
    world.place({ price: usd(200), size: contracts(2) });
    return world;
  }

  it("is all that a paused market, or one whose oracle is halted, takes", () => {
    const world = held();
    world.engine.setMarketStatus(1, "Paused", world.ctx());
    refused(world, "MarketNotActive", { side: "sell" });
    expect(codeOf(world.place({ side: "sell", reduceOnly: true }))).toBeNull();
    world.engine.setMarketStatus(1, "Active", world.ctx());
    world.engine.setOracle(1, { status: "Halted" }, world.ctx());
    refused(world, "OracleHalted", { side: "sell" });
    expect(codeOf(world.place({ side: "sell", reduceOnly: true }))).toBeNull();
  });
});

describe("self-trade", () => {
  it("ends the taker and leaves the maker", ({ world }) => {
    world.place({ accountId: BOB, side: "sell", price: usd(200), size: contracts(0.5) });
    const own = world.placed({ side: "sell", price: usd(200.5) });
    const receipt = world.place({ price: usd(201), size: contracts(3) });
    expect(fillsOf(receipt)).toMatchObject([{ size: 0.5 }]);
    expect(canceledOf(receipt)).toEqual(["SelfTrade"]);
    expect(world.engine.order(own)).toMatchObject({ remainingSize: contracts(1) });
  });

  it("is between accounts, not between members of a family", ({ world }) => {
    const sub = accountId(20n);
    world.engine.openAccount({ accountId: sub, masterAccountId: ALICE }, world.ctx());
    world.engine.post({ from: ALICE, to: sub, amount: dollars(1000) }, world.ctx());
    world.place({ accountId: sub, side: "sell", price: usd(200) });
    expect(fillsOf(world.place({ price: usd(200) }))).toHaveLength(1);
  });
});
