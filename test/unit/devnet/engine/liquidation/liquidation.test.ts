// Positions that their margin no longer carries: the book first, large ones in part, the backstop account at last.

import { describe, expect } from "vitest";
import type { ChainEvent } from "../../../../../src/devnet/event.ts";
import { accountId, price } from "../../../../../src/domain/units.ts";
import {
  ALICE,
  BACKSTOP,
  BOB,
  CAROL,
  contracts,
  dollars,
  it,
  makeWorld,
  marketSpec,
  usd,
  type World,
} from "../set-up.ts";

const POOR = accountId(7n);

/** Long `amount` at 200 with this much collateral, against Bob. Maintenance is 2.5 % of the notional. */
function indebted(collateral: number, amount: number, options: Parameters<typeof makeWorld>[1] = {}): World {
  const world = makeWorld({}, options);
  world.engine.openAccount({ accountId: POOR, masterAccountId: null }, world.ctx());
  world.engine.post({ from: "custody", to: POOR, amount: dollars(collateral) }, world.ctx());
  for (const [id, side] of [
    [BOB, "sell"],
    [POOR, "buy"],
  ] as const) {
    const receipt = world.place({ accountId: id, side, price: usd(200), size: contracts(amount) });
    if (receipt.status === "failed") throw new Error(receipt.error);
  }
  return world;
}

const poor = (world: World) => world.engine.account(POOR)!;
const ofType = <T extends ChainEvent["type"]>(events: readonly ChainEvent[], type: T) =>
  events.filter((event): event is Extract<ChainEvent, { type: T }> => event.type === type);

describe("an account below its maintenance margin", () => {
  it("is left alone at it, and reduced below it", () => {
    const world = indebted(101, 10);
    world.place({ accountId: CAROL, price: usd(194), size: contracts(100) });
    world.print(194.88);
    // Equity 100 - 51.2 = 48.8 against maintenance 48.72.
    expect(ofType(world.block(), "Liquidation")).toEqual([]);
    world.print(194.87);
    const events = world.block();
    expect(ofType(events, "Liquidation")).toEqual([
      { type: "Liquidation", accountId: POOR, marketId: 1, positionsClosed: 1, positionsRemaining: 0 },
    ]);
    expect(ofType(events, "Fill")).toMatchObject([
      { execution: { takerAccountId: POOR, takerSide: "sell", price: usd(194) } },
    ]);
    expect(poor(world).positions).toEqual([]);
    world.engine.auditBalances();
  });

  it("pays the ordinary taker fee and nothing else while it can", () => {
    const world = indebted(101, 10);
    world.place({ accountId: CAROL, price: usd(194.5), size: contracts(100) });
    world.print(194.5);
    world.block();
    expect(poor(world).collateral).toBe(dollars(100 - 55 - 0.9725));
    expect(world.engine.insuranceFund()).toEqual({ balance: 0n, shortfall: 0n, totalDeposited: 0n });
  });

  it("takes no price at which it would end in debt: what is worse goes to the backstop", () => {
    const world = indebted(101, 10);
    world.place({ accountId: CAROL, price: usd(189.9), size: contracts(100) });
    world.print(194.5);
    const events = world.block();
    // Equity 45 less the fee of 5 bps at the price itself: 44.049524 below the risk price for all ten.
    const takeover = price(19_009_504_760n);
    expect(ofType(events, "Fill")).toMatchObject([
      {
        execution: {
          price: takeover,
          takerAccountId: POOR,
          makerAccountId: BACKSTOP,
          takerFee: 950_476n,
          makerFee: 0n,
        },
      },
    ]);
    expect(ofType(events, "BackstopTransfer")).toEqual([
      { type: "BackstopTransfer", accountId: POOR, marketId: 1, side: "buy", size: contracts(10), price: takeover },
    ]);
  });

  it("is taken over where there is no book; the maintenance margin stays with the insurance fund", () => {
    const world = indebted(101, 10);
    world.print(194.5);
    const events = world.block();
    expect(ofType(events, "BackstopTransfer")).toHaveLength(1);
    expect(world.engine.account(BACKSTOP)?.positions).toMatchObject([
      { side: "buy", size: contracts(10), entryPrice: price(19_009_504_760n) },
    ]);
    // Equity 45, all of it below the maintenance margin of 48.625: the fee, and the rest for the fund.
    expect(poor(world)).toMatchObject({ collateral: 0n, positions: [] });
    const kept = dollars(45 - 0.950_476);
    expect(world.engine.insuranceFund()).toMatchObject({ balance: kept, totalDeposited: kept });
    expect(world.engine.account(BACKSTOP)?.equity).toBe(0n);
    world.engine.auditBalances();
  });

  it("below two thirds of it goes to the backstop, book or not", () => {
    const world = indebted(101, 10);
    world.place({ accountId: CAROL, price: usd(192), size: contracts(100) });
    world.print(193.2);
    // Equity 32 against two thirds of 48.3.
    expect(ofType(world.block(), "BackstopTransfer")).toHaveLength(1);
    expect(world.engine.book(1)?.bids).toHaveLength(1);
  });

  it("in debt costs the insurance fund, and what that lacks is its shortfall", () => {
    const world = indebted(101, 10);
    world.engine.post({ from: "custody", to: "insurance", amount: dollars(60) }, world.ctx());
    world.print(180);
    world.block();
    expect(poor(world)).toMatchObject({ collateral: 0n, positions: [] });
    expect(world.engine.insuranceFund()).toMatchObject({ balance: 0n, shortfall: dollars(40) });
    expect(world.engine.account(BACKSTOP)?.collateral).toBe(0n);
    world.engine.post({ from: "custody", to: "insurance", amount: dollars(50) }, world.ctx());
    expect(world.engine.insuranceFund()).toMatchObject({ balance: dollars(10), shortfall: 0n });
    world.engine.auditBalances();
  });

  it("reduces position by position until it is carried", () => {
    const world = indebted(1010, 100);
    world.place({ accountId: CAROL, price: usd(194.5), size: contracts(40) });
    world.print(194.5);
    const events = world.block();
    expect(ofType(events, "Liquidation")).toMatchObject([{ positionsClosed: 0, positionsRemaining: 1 }]);
    expect(poor(world).positions).toMatchObject([{ size: contracts(60) }]);
    expect(poor(world).equity >= poor(world).maintenanceMargin).toBe(true);
    expect(ofType(world.block(), "Liquidation")).toEqual([]);
  });
});

describe("a large position", () => {
  it("goes by a fifth first, waits 30 seconds, then goes whole", () => {
    const world = indebted(10_100, 1000);
    world.place({ accountId: CAROL, price: usd(194), size: contracts(150) });
    world.print(194);
    expect(ofType(world.block(), "Fill")).toMatchObject([{ execution: { size: contracts(150) } }]);
    world.place({ accountId: CAROL, price: usd(193.9), size: contracts(2000) });
    expect(ofType(world.block(29_000), "Fill")).toEqual([]);
    world.print(193.9);
    expect(ofType(world.block(800), "Fill")).toEqual([]);
    expect(ofType(world.block(200), "Fill")).toMatchObject([{ execution: { size: contracts(850) } }]);
    expect(poor(world).positions).toEqual([]);
    world.engine.auditBalances();
  });
});

describe("the backstop account", () => {
  /** Takes 10 contracts over at 194.5, with 45 USDC for the insurance fund. */
  const holding = (): World => {
    const world = indebted(101, 10);
    world.print(194.5);
    world.block();
    return world;
  };
  const backstop = (world: World) => world.engine.account(BACKSTOP)!;

  it("works its position off through the book, within one percent of the mark price", () => {
    const world = holding();
    world.place({ accountId: CAROL, price: usd(192), size: contracts(100) });
    expect(ofType(world.block(), "Fill")).toEqual([]);
    world.place({ accountId: CAROL, price: usd(194), size: contracts(100) });
    expect(ofType(world.block(), "Fill")).toMatchObject([
      { execution: { takerAccountId: BACKSTOP, takerSide: "sell", price: usd(194), size: contracts(10) } },
    ]);
    expect(backstop(world).positions).toEqual([]);
    world.engine.auditBalances();
  });

  it("is paid by the insurance fund for what it lost, once it is flat", () => {
    const world = holding();
    world.place({ accountId: CAROL, price: usd(194), size: contracts(100) });
    world.block();
    // 10 contracts at a loss of 0.5 USD each, and the taker fee of 5 bps.
    expect(backstop(world).collateral).toBe(0n);
    expect(world.engine.insuranceFund().balance).toBe(dollars(45 - 0.950_476 - 5 - 0.97));
    world.engine.auditBalances();
  });

  it("takes what the book has, and the rest after a pause", () => {
    const world = holding();
    world.place({ accountId: CAROL, price: usd(194), size: contracts(4) });
    world.block();
    world.place({ accountId: CAROL, price: usd(194), size: contracts(4) });
    world.block(29_000);
    expect(backstop(world).positions).toMatchObject([{ size: contracts(6) }]);
    world.block(1000);
    expect(backstop(world).positions).toMatchObject([{ size: contracts(2) }]);
    world.engine.auditBalances();
  });

  it("works a large position off by fifths", () => {
    const world = indebted(10_100, 1000);
    world.print(190.1);
    world.block();
    world.place({ accountId: CAROL, price: usd(190), size: contracts(2000) });
    world.block();
    expect(backstop(world).positions).toMatchObject([{ size: contracts(800) }]);
    world.block(30_000);
    expect(backstop(world).positions).toMatchObject([{ size: contracts(640) }]);
  });

  it("buys a short back the same way", ({ world }) => {
    world.engine.openAccount({ accountId: POOR, masterAccountId: null }, world.ctx());
    world.engine.post({ from: "custody", to: POOR, amount: dollars(101) }, world.ctx());
    world.place({ accountId: BOB, price: usd(200), size: contracts(10) });
    world.place({ accountId: POOR, side: "sell", price: usd(200), size: contracts(10) });
    world.print(206);
    world.block();
    world.place({ accountId: CAROL, side: "sell", price: usd(206), size: contracts(10) });
    expect(ofType(world.block(), "Fill")).toMatchObject([
      { execution: { takerSide: "buy", takerAccountId: BACKSTOP } },
    ]);
    expect(backstop(world).positions).toEqual([]);
  });
});

describe("an isolated position", () => {
  it("goes alone: neither orders nor collateral elsewhere are touched", () => {
    const world = makeWorld({ markets: [marketSpec, { ...marketSpec, marketId: 2 }] });
    world.engine.publishPrint(2, usd(200), world.nowMs + 86_400_000, world.ctx());
    world.place({ accountId: BOB, side: "sell", price: usd(200), size: contracts(10) });
    world.place({ price: usd(200), size: contracts(10), marginMode: "Isolated" });
    world.place({ marketId: 2, price: usd(190) });
    const before = world.engine.account(ALICE)!.collateral;
    world.print(194);
    const events = world.block();
    expect(ofType(events, "BackstopTransfer")).toHaveLength(1);
    expect(world.engine.account(ALICE)).toMatchObject({ positions: [], collateral: before });
    expect(world.engine.account(ALICE)?.openOrders).toHaveLength(1);
    expect(world.engine.insuranceFund().balance).toBe(dollars(100 - 60 - 0.950_476));
    world.engine.auditBalances();
  });

  it("loses no more than its bucket", ({ world }) => {
    world.place({ accountId: BOB, side: "sell", price: usd(200), size: contracts(10) });
    world.place({ price: usd(200), size: contracts(10), marginMode: "Isolated" });
    const before = world.engine.account(ALICE)!.collateral;
    world.print(150);
    world.block();
    expect(world.engine.account(ALICE)).toMatchObject({ positions: [], collateral: before });
    expect(world.engine.insuranceFund().shortfall).toBe(dollars(400));
    world.engine.auditBalances();
  });
});

describe("a short", () => {
  it("is bought back the same way", ({ world }) => {
    world.engine.openAccount({ accountId: POOR, masterAccountId: null }, world.ctx());
    world.engine.post({ from: "custody", to: POOR, amount: dollars(101) }, world.ctx());
    world.place({ accountId: BOB, price: usd(200), size: contracts(10) });
    world.place({ accountId: POOR, side: "sell", price: usd(200), size: contracts(10) });
    world.place({ accountId: CAROL, side: "sell", price: usd(205.2), size: contracts(10) });
    world.print(205);
    expect(ofType(world.block(), "Fill")).toMatchObject([{ execution: { takerSide: "buy", price: usd(205.2) } }]);
    expect(poor(world).collateral).toBe(dollars(100 - 52 - 1.026));
  });
});
