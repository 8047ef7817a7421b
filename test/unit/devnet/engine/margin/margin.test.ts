// What an account may open: initial margin at the selected leverage, tiers at the worst size, orders that reserve, makers that
// are checked again.

import fc from "fast-check";
import { describe, expect } from "vitest";
import { initialMargin } from "../../../../../src/domain/margin.ts";
import { notional } from "../../../../../src/domain/rounding.ts";
import { accountId, price, size, usdc } from "../../../../../src/domain/units.ts";
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
  usd,
  type World,
} from "../set-up.ts";

const POOR = accountId(7n);

/** An account with this many USDC. */
function withPoor(collateral: number, world: World = makeWorld()): World {
  world.engine.openAccount({ accountId: POOR, masterAccountId: null }, world.ctx());
  world.engine.post({ from: "custody", to: POOR, amount: dollars(collateral) }, world.ctx());
  return world;
}

describe("initial margin", () => {
  it("is the notional at the oracle price over the leverage, and orders reserve it", () => {
    const world = withPoor(100);
    expect(codeOf(world.place({ accountId: POOR, price: usd(190), size: contracts(10) }))).toBeNull();
    expect(world.engine.account(POOR)).toMatchObject({ initialMargin: dollars(100), availableCollateral: 0n });
    expect(codeOf(world.place({ accountId: POOR, price: usd(190), size: contracts(0.1) }))).toBe("InsufficientMargin");
  });

  it("does not add the two sides: only one of them can be the worst", () => {
    const world = withPoor(100);
    world.place({ accountId: POOR, price: usd(190), size: contracts(10) });
    expect(codeOf(world.place({ accountId: POOR, side: "sell", price: usd(210), size: contracts(10) }))).toBeNull();
    expect(world.engine.account(POOR)).toMatchObject({ initialMargin: dollars(100) });
  });

  it("asks for more at a lower leverage, for the whole marketAccount", () => {
    const world = withPoor(100);
    world.place({ accountId: POOR, price: usd(190), size: contracts(4) });
    expect(codeOf(world.place({ accountId: POOR, price: usd(190), size: contracts(1), leverage: 5 }))).toBe(
      "InsufficientMargin",
    );
    expect(codeOf(world.place({ accountId: POOR, price: usd(190), size: contracts(1), leverage: 10 }))).toBeNull();
    expect(world.engine.account(POOR)).toMatchObject({ initialMargin: dollars(100) });
  });

  it("adds what filling at a price worse than the oracle's would lose at once", () => {
    const world = withPoor(100);
    expect(codeOf(world.place({ accountId: POOR, price: usd(210), size: contracts(10) }))).toBe("InsufficientMargin");
    expect(codeOf(world.place({ accountId: POOR, price: usd(210), size: contracts(5) }))).toBeNull();
    expect(world.engine.account(POOR)).toMatchObject({ initialMargin: dollars(100) });
  });

  it("counts the fee of what fills at once", () => {
    const world = withPoor(100);
    world.place({ accountId: BOB, side: "sell", price: usd(200), size: contracts(10) });
    expect(codeOf(world.place({ accountId: POOR, price: usd(200), size: contracts(10) }))).toBe("InsufficientMargin");
    world.engine.post({ from: "custody", to: POOR, amount: dollars(1) }, world.ctx());
    expect(codeOf(world.place({ accountId: POOR, price: usd(200), size: contracts(10) }))).toBeNull();
    expect(world.engine.account(POOR)).toMatchObject({ collateral: dollars(100), availableCollateral: 0n });
  });

  it("never stops what only reduces", () => {
    const world = withPoor(101);
    world.place({ accountId: BOB, side: "sell", price: usd(200), size: contracts(10) });
    world.place({ accountId: POOR, price: usd(200), size: contracts(10) });
    world.print(195);
    expect(codeOf(world.place({ accountId: POOR, price: usd(195), size: contracts(0.1) }))).toBe("InsufficientMargin");
    expect(codeOf(world.place({ accountId: POOR, side: "sell", price: usd(196), size: contracts(10) }))).toBeNull();
    expect(codeOf(world.place({ accountId: POOR, side: "sell", price: usd(196), reduceOnly: true }))).toBeNull();
  });

  it("does not let a reduction run into debt", () => {
    const world = withPoor(101);
    world.place({ accountId: BOB, side: "sell", price: usd(200), size: contracts(10) });
    world.place({ accountId: POOR, price: usd(200), size: contracts(10) });
    world.place({ accountId: CAROL, price: usd(182), size: contracts(10) });
    const sell = { accountId: POOR, side: "sell", price: usd(182), size: contracts(10), reduceOnly: true } as const;
    expect(codeOf(world.place(sell))).toBe("InsufficientMargin");
    expect(codeOf(world.place({ ...sell, size: contracts(1) }))).toBeNull();
  });
});

describe("a position's leverage", () => {
  /** Alice long 10 contracts at 200 and leverage 2: 1,000 USDC of margin. */
  function atTwo(): World {
    const world = makeWorld();
    world.place({ accountId: BOB, side: "sell", price: usd(200), size: contracts(100) });
    world.place({ price: usd(200), size: contracts(10), leverage: 2 });
    return world;
  }
  const marginOf = (world: World) => world.engine.account(ALICE)!.initialMargin;
  const leverageOf = (world: World) => world.engine.account(ALICE)!.positions[0]?.leverage;

  it.each([0, 20])("is not raised by an order that says %d, resting or filled, and no margin is freed", (leverage) => {
    const world = atTwo();
    world.place({ price: usd(190), size: size(1n), leverage });
    expect([leverageOf(world), marginOf(world)]).toEqual([2, dollars(1000) + 100n]);
    world.place({ price: usd(200), size: size(1n), leverage });
    expect([leverageOf(world), marginOf(world)]).toEqual([2, dollars(1000) + 200n]);
  });

  it("is lowered by the fill of an order that says a lower one, whose margin is kept from the start", () => {
    const world = atTwo();
    world.place({ price: usd(190), size: contracts(10), leverage: 1 });
    expect([leverageOf(world), marginOf(world)]).toEqual([2, dollars(4000)]);
    world.place({ accountId: CAROL, side: "sell", price: usd(190), size: contracts(5) });
    expect([leverageOf(world), marginOf(world)]).toEqual([1, dollars(4000)]);
    world.engine.cancelAll(ALICE, null, world.ctx());
    expect([leverageOf(world), marginOf(world)]).toEqual([1, dollars(3000)]);
  });

  it("goes with the position: the next one opens at what its order says", () => {
    const world = atTwo();
    world.place({ accountId: CAROL, price: usd(199), size: contracts(20) });
    world.place({ side: "sell", price: usd(199), size: contracts(4), leverage: 1 });
    expect(leverageOf(world)).toBe(2);
    world.place({ side: "sell", price: usd(199), size: contracts(7) });
    expect(world.engine.account(ALICE)!.positions).toMatchObject([{ side: "sell", leverage: 20 }]);
  });

  it("lowered, fills an isolated bucket up for the whole position", ({ world }) => {
    world.place({ accountId: BOB, side: "sell", price: usd(200), size: contracts(100) });
    world.place({ price: usd(200), size: contracts(10), marginMode: "Isolated", leverage: 20 });
    world.place({ price: usd(200), size: contracts(10), marginMode: "Isolated", leverage: 4 });
    expect(world.engine.account(ALICE)!.positions).toMatchObject([{ leverage: 4, isolatedMargin: dollars(1000) }]);
    expect(marginOf(world)).toBe(0n);
  });

  it("is never raised while the position stands, and its margin stays with it, whatever orders say", () => {
    const says = fc.record({
      side: fc.constantFrom("buy" as const, "sell" as const),
      price: fc.integer({ min: 190, max: 210 }).map(usd),
      size: fc.bigInt({ min: 1n, max: 20_000_000n }).map(size),
      leverage: fc.constantFrom(0, 1, 2, 5, 20),
    });
    fc.assert(
      fc.property(fc.array(says, { maxLength: 12 }), (orders) => {
        const world = atTwo();
        world.place({ accountId: CAROL, price: usd(195), size: contracts(100) });
        for (const order of orders) {
          const held = world.engine.account(ALICE)!.positions[0];
          world.place(order);
          world.engine.auditBalances();
          const now = world.engine.account(ALICE)!.positions[0];
          if (held === undefined || now?.side !== held.side) continue;
          expect(now.leverage).toBeLessThanOrEqual(held.leverage);
          if (order.leverage === 0) expect(now.leverage).toBe(held.leverage);
          expect(marginOf(world) >= initialMargin(notional(usd(200), now.size), held.leverage)).toBe(true);
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe("margin tiers", () => {
  const tiered = () =>
    makeWorld(
      {},
      {
        marginTiers: [
          { notionalFloor: usdc(0n), maxLeverage: 20, maintenanceMarginRatioBps: 250 },
          { notionalFloor: dollars(10_000), maxLeverage: 10, maintenanceMarginRatioBps: 500 },
        ],
      },
    );

  it("refuse a leverage that the tier does not allow, and hold a position to theirs as its notional grows", () => {
    const world = tiered();
    expect(codeOf(world.place({ price: usd(190), size: contracts(60), leverage: 20 }))).toBe("LeverageTooHigh");
    world.place({ accountId: BOB, side: "sell", price: usd(200), size: contracts(49) });
    world.place({ price: usd(200), size: contracts(49), leverage: 20 });
    expect(world.engine.account(ALICE)?.positions[0]).toMatchObject({ leverage: 20, tierGrandfathered: false });
    world.print(210);
    expect(world.engine.account(ALICE)?.positions[0]).toMatchObject({ leverage: 10, tierGrandfathered: false });
    expect(world.engine.account(ALICE)).toMatchObject({ initialMargin: dollars(1029) });
    expect(codeOf(world.place({ price: usd(190), size: contracts(1), leverage: 20 }))).toBe("LeverageTooHigh");
  });

  it("refuse no order for its leverage that carries no more than before", () => {
    const world = tiered();
    world.place({ accountId: BOB, side: "sell", price: usd(200), size: contracts(44) });
    world.place({ price: usd(200), size: contracts(44), leverage: 20 });
    world.place({ price: usd(190), size: contracts(5), leverage: 20 });
    world.print(210);
    const sell = { side: "sell", price: usd(220), size: contracts(40), leverage: 20 } as const;
    expect(codeOf(world.place(sell))).toBeNull();
    expect(codeOf(world.place({ ...sell, size: contracts(54) }))).toBe("LeverageTooHigh");
  });

  it("deduct so that maintenance is continuous at a floor", () => {
    const world = tiered();
    expect(world.engine.market(1)?.marginTiers).toMatchObject([
      { maintenanceDeduction: 0n },
      { maintenanceDeduction: dollars(250) },
    ]);
    world.place({ accountId: BOB, side: "sell", price: usd(200), size: contracts(100) });
    world.place({ price: usd(200), size: contracts(100) });
    expect(world.engine.account(ALICE)).toMatchObject({ maintenanceMargin: dollars(750) });
  });
});

describe("a resting order whose account lost its margin", () => {
  it("is canceled when it would fill, and the next in line takes its place", () => {
    const world = withPoor(101);
    world.place({ accountId: BOB, side: "sell", price: usd(200), size: contracts(10) });
    world.place({ accountId: POOR, price: usd(200), size: contracts(10) });
    world.print(205);
    world.place({ accountId: POOR, price: usd(199), size: contracts(2) });
    const next = world.placed({ accountId: CAROL, price: usd(199), size: contracts(2) });
    world.print(194);
    const receipt = world.place({ accountId: BOB, side: "sell", price: usd(199), size: contracts(2) });
    expect(canceledOf(receipt)).toEqual(["InsufficientMargin"]);
    expect(fillsOf(receipt)).toMatchObject([{ maker: next, size: 2 }]);
    world.engine.auditBalances();
  });
});

describe("money that is in use", () => {
  it("does not leave the account, nor does profit that is not realized", () => {
    const world = withPoor(200);
    world.place({ accountId: BOB, side: "sell", price: usd(200), size: contracts(10) });
    world.place({ accountId: POOR, price: usd(200), size: contracts(10) });
    world.print(210);
    expect(world.engine.account(POOR)).toMatchObject({ collateral: dollars(199), availableCollateral: dollars(94) });
    const withdraw = (amount: number) =>
      world.engine.post({ from: POOR, to: "withdrawals", amount: dollars(amount) }, world.ctx());
    expect(withdraw(94.000_001)).toMatchObject({ code: "InsufficientCollateral" });
    expect(withdraw(94)).toBeNull();
    expect(world.engine.systemBalance("withdrawals")).toBe(dollars(94));
  });

  it("is refused in nonsense amounts and from unknown places", ({ world }) => {
    const post = (posting: Parameters<World["engine"]["post"]>[0]) => world.engine.post(posting, world.ctx());
    expect(post({ from: ALICE, to: BOB, amount: usdc(0n) })).toMatchObject({ code: "InvalidAmount" });
    expect(post({ from: ALICE, to: ALICE, amount: usdc(1n) })).toMatchObject({ code: "InvalidAmount" });
    expect(post({ from: ALICE, to: accountId(404n), amount: usdc(1n) })).toMatchObject({ code: "UnknownAccount" });
  });

  it("is exact however much it is", ({ world }) => {
    const huge = usdc(2n ** 70n + 1n);
    world.engine.post({ from: "custody", to: ALICE, amount: huge }, world.ctx());
    world.engine.post({ from: ALICE, to: "custody", amount: huge }, world.ctx());
    expect(world.engine.account(ALICE)?.collateral).toBe(dollars(100_000));
    world.engine.post({ from: "custody", to: ALICE, amount: huge }, world.ctx());
    expect(codeOf(world.place({ price: price(10n ** 6n), size: contracts(1_000_000) }))).toBeNull();
    world.engine.auditBalances();
  });
});
