// Isolated margin: a bucket that is filled as a position grows, gives back as it shrinks, and is all that can be lost.

import { describe, expect } from "vitest";
import { accountId, usdc } from "../../../../../src/domain/units.ts";
import { ALICE, BOB, CAROL, codeOf, contracts, dollars, it, makeWorld, usd, type World } from "../set-up.ts";

const isolated = { marginMode: "Isolated", leverage: 10 } as const;

/** Alice isolated long `amount` at 200, ten times. */
function held(amount = 10): World {
  const world = makeWorld();
  world.place({ accountId: BOB, side: "sell", price: usd(200), size: contracts(amount) });
  world.place({ price: usd(200), size: contracts(amount), ...isolated });
  return world;
}
const alice = (world: World) => world.engine.account(ALICE)!;
const bucket = (world: World) => alice(world).positions[0]?.isolatedMargin;
const adjust = (world: World, delta: number) =>
  world.engine.adjustIsolatedMargin(ALICE, 1, dollars(delta), world.ctx());

describe("an isolated position", () => {
  it("reserves cross collateral for orders that would enlarge it", () => {
    const world = held();
    world.place({ price: usd(190), size: contracts(5), ...isolated });
    expect(alice(world).initialMargin).toBe(dollars(100));
    world.place({ accountId: BOB, side: "sell", price: usd(190), size: contracts(5) });
    expect(alice(world).initialMargin).toBe(0n);
    expect(bucket(world)).toBe(dollars(300));
    world.engine.auditBalances();
  });

  it("starts with the loss against the oracle price covered", ({ world }) => {
    world.place({ accountId: BOB, side: "sell", price: usd(204), size: contracts(10) });
    world.place({ price: usd(204), size: contracts(10), ...isolated });
    expect(bucket(world)).toBe(dollars(200 + 40));
  });

  it("takes the loss of its dear fills whole, whatever its cheap ones gain", () => {
    // Margin 651.301920, loss of the second fill 2.095112, fees 1.608022 at 5 bps; the gain of the first, 42.562308, pays for none.
    for (const [collateral, code] of [
      [655.005_054, null],
      [655.005_053, "InsufficientMargin"],
    ] as const) {
      const world = makeWorld();
      const poor = accountId(9n);
      world.engine.openAccount({ accountId: poor, masterAccountId: null }, world.ctx());
      world.engine.post({ from: "custody", to: poor, amount: dollars(collateral) }, world.ctx());
      world.place({ accountId: BOB, side: "sell", price: usd(197), size: contracts(14.187_436) });
      world.place({ accountId: BOB, side: "sell", price: usd(201), size: contracts(5) });
      const order = { orderType: "Market", size: contracts(16.282_548), marginMode: "Isolated", leverage: 5 } as const;
      expect(codeOf(world.place({ ...order, accountId: poor, price: usd(0) }))).toBe(code);
      expect(world.engine.account(poor)!.collateral).toBe(code === null ? 0n : dollars(collateral));
    }
  });

  it("gives back its share as it is reduced, with the profit", () => {
    const world = held();
    world.print(210);
    world.place({ accountId: BOB, price: usd(210), size: contracts(5) });
    const before = alice(world).collateral;
    world.place({ side: "sell", price: usd(210), size: contracts(5), reduceOnly: true });
    expect(bucket(world)).toBe(dollars(100));
    expect(alice(world).collateral - before).toBe(dollars(100 + 50 - 0.525));
    world.engine.auditBalances();
  });

  it("gives everything back when it is closed, less the loss", () => {
    const world = held();
    world.print(195);
    world.place({ accountId: BOB, price: usd(195), size: contracts(10) });
    world.place({ side: "sell", price: usd(195), size: contracts(10), reduceOnly: true });
    expect(alice(world)).toMatchObject({ positions: [], collateral: dollars(100_000 - 1 - 50 - 0.975) });
    world.engine.auditBalances();
  });

  it("moves into a new bucket when it flips", () => {
    const world = held();
    world.place({ accountId: BOB, price: usd(200), size: contracts(15) });
    world.place({ side: "sell", price: usd(200), size: contracts(15), ...isolated });
    expect(alice(world).positions[0]).toMatchObject({ side: "sell", size: contracts(5), isolatedMargin: dollars(100) });
    world.engine.auditBalances();
  });

  it("may not be closed at a loss that the bucket does not hold", () => {
    const world = held();
    world.place({ accountId: BOB, price: usd(181), size: contracts(10) });
    world.place({ accountId: BOB, price: usd(180), size: contracts(10) });
    world.engine.adjustIsolatedMargin(ALICE, 1, dollars(1), world.ctx());
    expect(codeOf(world.place({ side: "sell", price: usd(180), size: contracts(10), reduceOnly: true }))).toBeNull();
    const other = held(10);
    other.place({ accountId: BOB, price: usd(180), size: contracts(10) });
    other.print(181);
    expect(codeOf(other.place({ side: "sell", price: usd(180), size: contracts(10), reduceOnly: true }))).toBeNull();
    const lost = held(10);
    lost.print(181);
    lost.place({ accountId: BOB, price: usd(179), size: contracts(10) });
    expect(codeOf(lost.place({ side: "sell", price: usd(179), size: contracts(10), reduceOnly: true }))).toBe(
      "InsufficientMargin",
    );
  });

  it("may not be closed by a dear fill and one below what is left behind it, though both together are covered", () => {
    const world = held();
    world.print(181);
    world.engine.post({ from: "custody", to: "insurance", amount: dollars(100) }, world.ctx());
    world.place({ accountId: BOB, price: usd(190), size: contracts(5) });
    world.place({ accountId: BOB, price: usd(175), size: contracts(5) });
    const close = { side: "sell", orderType: "Market", price: usd(0), reduceOnly: true, ...isolated } as const;
    // Equity 10. The first fill gains 45 and gives away half of the bucket; of the 5 left behind the second would lose 30.
    expect(world.place({ ...close, size: contracts(10) })).toMatchObject({
      code: "InsufficientMargin",
      error: "insufficient margin: 25000000 USDC base units short",
    });
    expect(codeOf(world.place({ ...close, size: contracts(5) }))).toBeNull();
    expect(world.engine.systemBalance("insurance")).toBe(dollars(100));
  });

  it("may be closed with nothing beside it: what it gives back pays the fee", () => {
    const world = held();
    expect(world.engine.post({ from: ALICE, to: "custody", amount: alice(world).collateral }, world.ctx())).toBeNull();
    const close = { side: "sell", price: usd(200), size: contracts(5), ...isolated } as const;
    world.place({ accountId: BOB, price: usd(200), size: contracts(10) });
    expect(codeOf(world.place({ ...close, reduceOnly: true }))).toBeNull();
    expect(alice(world).collateral).toBe(dollars(100 - 0.5));
    expect(codeOf(world.place(close))).toBeNull();
    expect(alice(world)).toMatchObject({ positions: [], collateral: dollars(200 - 1) });
  });

  it("may not be closed where nothing is left to pay the fee", () => {
    const world = held();
    world.print(185);
    world.engine.post({ from: ALICE, to: "custody", amount: alice(world).collateral }, world.ctx());
    world.place({ accountId: BOB, price: usd(180), size: contracts(10) });
    expect(world.place({ side: "sell", price: usd(180), size: contracts(10), reduceOnly: true })).toMatchObject({
      code: "InsufficientMargin",
      error: "insufficient margin: 900000 USDC base units short",
    });
  });
});

describe("AdjustIsolatedMargin", () => {
  it("is refused without an isolated position, beyond free collateral, below the initial margin", () => {
    const world = held();
    expect(codeOf(world.engine.adjustIsolatedMargin(BOB, 1, dollars(1), world.ctx()))).toBe("NoIsolatedPosition");
    expect(codeOf(adjust(world, 99_799.000_001))).toBe("InsufficientCollateral");
    expect(codeOf(adjust(world, -0.000_001))).toBe("IsolatedMarginTooLow");
    expect(codeOf(adjust(world, 0))).toBe("InvalidAmount");
    expect(codeOf(world.engine.adjustIsolatedMargin(ALICE, 1, usdc(2n ** 100n), world.ctx()))).toBe(
      "InsufficientCollateral",
    );
    expect(bucket(world)).toBe(dollars(200));
  });

  it("does not give out what the position has lost", () => {
    const world = held();
    adjust(world, 100);
    world.print(195);
    // Bucket 300 less 50 of loss covers an initial margin of 195 by 55.
    expect(codeOf(adjust(world, -55.000_001))).toBe("IsolatedMarginTooLow");
    expect(codeOf(adjust(world, -55))).toBeNull();
  });
});

describe("a bucket", () => {
  const HOUR_MS = 3_600_000;

  /**
   * Alice isolated long 10 at 200, twenty times, with `free` USDC beside the bucket; the oracle at 220, the mark at the band's edge:
   * she is 200 USDC up and pays about 27 an hour. Carol bids `bid`.
   */
  function paying(free: number, bid: number): World {
    const world = makeWorld();
    world.place({ accountId: BOB, side: "sell", price: usd(200), size: contracts(10) });
    world.place({ price: usd(200), size: contracts(10), marginMode: "Isolated", leverage: 20 });
    const { availableCollateral } = alice(world);
    const amount = usdc(availableCollateral - dollars(free));
    world.engine.post({ from: ALICE, to: "custody", amount }, world.ctx());
    world.print(220, 10 * 86_400_000);
    world.place({ accountId: CAROL, price: usd(bid), size: contracts(20) });
    world.place({ accountId: CAROL, side: "sell", price: usd(484 - bid), size: contracts(20) });
    return world;
  }
  const hours = (world: World, count: number) => {
    for (let hour = 0; hour < count; hour += 1) world.block(HOUR_MS);
  };

  it("stays below zero only while the book has nothing, and is filled by what comes in", () => {
    const world = paying(0, 190);
    hours(world, 5);
    expect(bucket(world)).toBeLessThan(0n);
    expect(world.engine.account(ALICE)?.positions).toHaveLength(1);
    world.engine.post({ from: "custody", to: ALICE, amount: dollars(1000) }, world.ctx());
    world.block();
    expect(bucket(world)).toBe(0n);
    world.engine.auditBalances();
  });

  it("is not overdrawn by closing a part at a loss: the collateral that the rest's profit stands for pays", ({
    world,
  }) => {
    world.place({ accountId: BOB, side: "sell", price: usd(200), size: contracts(10) });
    world.place({ price: usd(200), size: contracts(10), marginMode: "Isolated", leverage: 20 });
    world.print(205);
    world.place({ accountId: CAROL, price: usd(185), size: contracts(7) });
    const before = alice(world).collateral;
    world.place({ side: "sell", price: usd(185), size: contracts(7), reduceOnly: true });
    expect(bucket(world)).toBe(0n);
    // Loss of 105 on a bucket of 100, and the fee of 5 bps on 1,295.
    expect(before - alice(world).collateral).toBe(dollars(5 + 0.6475));
    world.engine.auditBalances();
  });
});
