// What one taker may take from several orders of an account: what its margin carries, fill after fill.

import { describe, expect, it } from "vitest";
import type { PlaceOrder } from "../../../../../src/devnet/engine/calls.ts";
import type { Receipt } from "../../../../../src/devnet/event.ts";
import { accountId } from "../../../../../src/domain/units.ts";
import { BOB, CAROL, canceledOf, contracts, dollars, fillsOf, makeWorld, usd, type World } from "../set-up.ts";

const POOR = accountId(7n);

/** An account with so much collateral, long so many contracts at 200. */
function withPoor(collateral: number, long: number, of: Partial<PlaceOrder> = {}, assetClass = "RealEstate"): World {
  const world = makeWorld({}, { assetClass });
  world.engine.openAccount({ accountId: POOR, masterAccountId: null }, world.ctx());
  world.engine.post({ from: "custody", to: POOR, amount: dollars(collateral) }, world.ctx());
  if (long === 0) return world;
  world.place({ accountId: BOB, side: "sell", size: contracts(long) });
  world.place({ accountId: POOR, size: contracts(long), ...of });
  return world;
}

/** USDC beyond the margin of all that the account has: cross collateral and profit less initial margin. */
function freeOf(world: World): number {
  world.engine.auditBalances();
  const { equity, initialMargin, positions } = world.engine.account(POOR)!;
  const isolated = positions.filter(({ marginMode }) => marginMode === "Isolated");
  const behind = isolated.reduce((sum, { isolatedMargin, unrealizedPnl }) => sum + isolatedMargin + unrealizedPnl!, 0n);
  return Number(equity - behind - initialMargin) / 1e6;
}

const sweep = (world: World, amount: number, of: Partial<PlaceOrder> = {}): Receipt =>
  world.place({ accountId: CAROL, price: usd(200), size: contracts(amount), timeInForce: "IOC", ...of });

describe("a taker that hits several orders of an account", () => {
  it.each(["Cross", "Isolated"] as const)(
    "takes only what the account carries after those before it, %s",
    (marginMode) => {
      const world = withPoor(105, 5, { marginMode });
      const sell = { accountId: POOR, side: "sell", size: contracts(5), marginMode } as const;
      const first = world.placed({ ...sell, price: usd(200) });
      const second = world.placed({ ...sell, price: usd(200) });
      const third = world.placed({ ...sell, price: usd(200) });
      world.print(210);
      expect(freeOf(world)).toBeLessThan(0);
      const receipt = sweep(world, 15);
      expect(fillsOf(receipt)).toMatchObject([
        { maker: first, size: 5 },
        { maker: third, size: 5 },
      ]);
      expect(receipt).toMatchObject({
        events: expect.arrayContaining([
          expect.objectContaining({ type: "OrderCanceled", orderId: second, reason: "InsufficientMargin" }),
        ]),
      });
      expect(world.engine.account(POOR)?.positions).toMatchObject([{ side: "sell", size: contracts(5) }]);
      expect(freeOf(world)).toBeGreaterThanOrEqual(0);
    },
  );

  it("takes nothing of one order of the same size, and not a part of it either", () => {
    for (const amount of [15, 1]) {
      const world = withPoor(105, 5);
      world.place({ accountId: POOR, side: "sell", size: contracts(15) });
      world.print(210);
      const receipt = sweep(world, amount);
      expect(fillsOf(receipt)).toEqual([]);
      expect(canceledOf(receipt)).toContain("InsufficientMargin");
    }
  });

  it("takes them all where the margin of each was there", () => {
    const world = withPoor(105, 5);
    for (let count = 0; count < 3; count += 1) world.place({ accountId: POOR, side: "sell", size: contracts(5) });
    expect(fillsOf(sweep(world, 15))).toHaveLength(3);
    expect(freeOf(world)).toBeGreaterThanOrEqual(0);
  });

  it("takes what reduces although there is no free margin", () => {
    const world = withPoor(105, 10);
    const sell = { accountId: POOR, side: "sell", price: usd(196), size: contracts(5), reduceOnly: true } as const;
    world.place(sell);
    world.place(sell);
    expect(freeOf(world)).toBeLessThan(0);
    expect(fillsOf(sweep(world, 10))).toHaveLength(2);
    expect(world.engine.account(POOR)?.positions).toEqual([]);
  });

  it("counts a fill that only reduces before those that open", () => {
    const world = withPoor(100.2, 0);
    world.place({ accountId: BOB, size: contracts(1) });
    world.place({ accountId: POOR, side: "sell", size: contracts(1) });
    world.place({ accountId: POOR, side: "buy", price: usd(199), size: contracts(11) });
    world.place({ accountId: POOR, side: "buy", price: usd(199.5), size: contracts(1), reduceOnly: true });
    const receipt = sweep(world, 12, { side: "sell", price: usd(199) });
    expect(fillsOf(receipt)).toMatchObject([{ size: 1 }]);
    expect(canceledOf(receipt)).toContain("InsufficientMargin");
    expect(freeOf(world)).toBeGreaterThanOrEqual(0);
  });
});

describe("the fee of a maker", () => {
  it.each([
    [100.19, 0],
    [100.2, 1],
  ])("is counted: with %s USDC for 10 contracts and 0.20 of fee, %s fill", (collateral, fills) => {
    const world = withPoor(collateral, 0, {}, "Commodities");
    world.place({ accountId: POOR, side: "sell", size: contracts(10) });
    expect(fillsOf(sweep(world, 10))).toHaveLength(fills);
    expect(freeOf(world)).toBeGreaterThanOrEqual(0);
  });
});
