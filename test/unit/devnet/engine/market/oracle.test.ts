// Prints, their expiry, the mark price and what a market's status does.

import { describe, expect } from "vitest";
import { price } from "../../../../../src/domain/units.ts";
import { ALICE, BOB, CAROL, canceledOf, codeOf, contracts, dollars, eventsOf, it, START_MS, usd } from "../set-up.ts";

const DAY_MS = 86_400_000;

describe("a print", () => {
  it("moves the oracle price and says from where to where", ({ world }) => {
    world.place({ accountId: BOB, side: "sell", price: usd(200) });
    world.place({ price: usd(200) });
    const receipt = world.print(217.1, 1500);
    expect(eventsOf(receipt)).toEqual([
      {
        type: "OracleUpdated",
        marketId: 1,
        price: usd(217.1),
        previousPrice: usd(200),
        positionsUpdated: 2,
        validUntilSec: START_MS / 1000 + 2,
      },
    ]);
    expect(world.engine.oracle(1)).toMatchObject({ price: usd(217.1), status: "Active", lastUpdateDate: 20_260_921 });
  });

  it("counts strictly before its end, is stale from then, and the next one revives it", ({ world }) => {
    world.print(200, 1000);
    world.block(999);
    expect(world.engine.market(1)?.oracleStatus).toBe("Active");
    world.block(1);
    expect(world.engine.market(1)?.oracleStatus).toBe("Stale");
    expect(codeOf(world.place({}))).toBeNull();
    world.print(201);
    expect(world.engine.market(1)?.oracleStatus).toBe("Active");
  });

  it("does not lift a halt, and a forced expiry holds at once", ({ world }) => {
    world.engine.setOracle(1, { status: "Halted" }, world.ctx());
    world.print(201);
    expect(world.engine.oracle(1)).toMatchObject({ status: "Halted", price: usd(201) });
    world.engine.setOracle(1, { status: "Active" }, world.ctx());
    world.engine.setOracle(1, { validUntilMs: START_MS }, world.ctx());
    expect(world.engine.oracle(1)).toMatchObject({ status: "Stale", validUntilSec: START_MS / 1000 });
  });

  it("leaves one point a day in the history", ({ world }) => {
    world.print(201);
    world.block(DAY_MS);
    world.print(202);
    expect(world.engine.oracleHistory(1)?.prices.map((point) => point.price)).toEqual([usd(201), usd(202)]);
  });

  it("must have a price and a market", ({ world }) => {
    expect(codeOf(world.print(0))).toBe("InvalidPrice");
    expect(codeOf(world.engine.publishPrint(9, usd(1), 0, world.ctx()))).toBe("UnknownMarket");
    expect(codeOf(world.engine.setOracle(9, {}, world.ctx()))).toBe("UnknownMarket");
  });
});

describe("the mark price", () => {
  it("is the oracle price while a side lacks the depth threshold, then the mean impact price, held inside the band", ({
    world,
  }) => {
    const mark = () => world.engine.market(1)?.markPrice;
    expect(mark()).toBe(usd(200));
    world.place({ price: usd(199), size: contracts(3) });
    world.place({ accountId: BOB, side: "sell", price: usd(199.01), size: contracts(2) });
    expect(mark()).toBe(usd(200));
    world.place({ accountId: BOB, side: "sell", price: usd(199.01), size: contracts(1) });
    expect(mark()).toBe(price(19_900_500_000n));
    world.place({ accountId: CAROL, side: "buy", price: usd(100), size: contracts(10) });
    world.engine.cancelAll(ALICE, null, world.ctx());
    expect(mark()).toBe(usd(180));
    world.print(190);
    expect(mark()).toBe(usd(171));
    world.engine.cancelAll(BOB, null, world.ctx());
    expect(mark()).toBe(usd(190));
  });

  it("follows every change of the book: a partial fill, a smaller order, a moved one", ({ world }) => {
    const mark = () => world.engine.market(1)?.markPrice;
    const bid = world.placed({ price: usd(199), size: contracts(6) });
    world.place({ accountId: BOB, side: "sell", price: usd(201), size: contracts(10) });
    world.place({ accountId: CAROL, price: usd(189), size: contracts(10) });
    expect(mark()).toBe(usd(200));
    world.place({ accountId: BOB, side: "sell", price: usd(199), size: contracts(5) });
    // 1 at 199 and 301/189 at 189, in whole size units.
    const sold = usd(199) * 1_000_000n + usd(189) * 1_592_593n;
    expect(mark()).toBe((sold / 2_592_593n + usd(201)) / 2n);
    world.engine.modify({ orderId: bid, newPrice: usd(195), newSize: contracts(8) }, world.ctx());
    expect(mark()).toBe(usd(198));
    world.engine.modify({ orderId: bid, newPrice: null, newSize: contracts(5.5) }, world.ctx());
    expect(mark()).toBeLessThan(usd(198));
  });
});

describe("a market in settlement", () => {
  it("cancels what could add, takes what reduces, and at last pays every position out at the oracle price", ({
    world,
  }) => {
    world.place({ accountId: BOB, side: "sell", price: usd(200) });
    world.place({ price: usd(200) });
    world.place({ price: usd(190) });
    world.place({ price: price(0n), orderType: "StopMarket", triggerPrice: usd(220), side: "buy" });
    expect(canceledOf(world.engine.setMarketStatus(1, "Settling", world.ctx()))).toEqual([
      "MarketClosed",
      "MarketClosed",
    ]);
    expect(codeOf(world.place({ side: "sell" }))).toBe("MarketNotActive");
    expect(codeOf(world.place({ side: "sell", price: usd(220), reduceOnly: true }))).toBeNull();
    world.print(210);
    expect(canceledOf(world.engine.setMarketStatus(1, "Settled", world.ctx()))).toEqual(["MarketClosed"]);
    expect(codeOf(world.place({ side: "sell", reduceOnly: true }))).toBe("MarketNotActive");
    expect(world.engine.account(ALICE)).toMatchObject({ positions: [], collateral: dollars(100_000 + 10 - 0.1) });
    expect(world.engine.account(BOB)).toMatchObject({ positions: [], collateral: dollars(100_000 - 10 + 0.02) });
    expect(world.engine.market(1)).toMatchObject({ openInterestLong: 0n, status: "Settled" });
    expect(codeOf(world.engine.setMarketStatus(1, "Active", world.ctx()))).toBe("MarketSettled");
    world.engine.auditBalances();
  });

  it("keeps the base units that do not divide in the rounding ledger", ({ world }) => {
    for (const amount of [0.333_333, 0.1, 0.000_001]) {
      world.place({ accountId: BOB, side: "sell", price: usd(200.01), size: contracts(amount) });
      world.place({ price: usd(200.01), size: contracts(amount) });
    }
    world.engine.publishPrint(1, price(20_333_333_333n), START_MS + DAY_MS, world.ctx());
    world.engine.setMarketStatus(1, "Settled", world.ctx());
    expect(world.engine.systemBalance("clearing")).toBe(0n);
    expect(world.engine.systemBalance("rounding")).toBe(1n);
    world.engine.auditBalances();
  });
});
