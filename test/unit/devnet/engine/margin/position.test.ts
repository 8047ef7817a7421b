// What trades do to positions: open, add, reduce, flip; the rounding of each; and that profits sum to zero.

import { describe, expect } from "vitest";
import { makeAccount, marketAccountOf } from "../../../../../src/devnet/engine/accounts/market-accounts.ts";
import { openVolume } from "../../../../../src/devnet/engine/accounts/volume.ts";
import { newCore } from "../../../../../src/devnet/engine/core.ts";
import { bookTrade, entryPriceOf, longChange } from "../../../../../src/devnet/engine/margin/position.ts";
import type { MarketAccount } from "../../../../../src/devnet/engine/records.ts";
import { accountId, price, size, usdc } from "../../../../../src/domain/units.ts";
import { ALICE, BOB, CAROL, dollars, eventsOf, it, marketSpec, usd } from "../set-up.ts";

function emptyMarketAccount(): MarketAccount {
  const core = newCore({
    markets: [marketSpec],
    feeTiers: [{ assetClass: "RealEstate", minVolume30d: usdc(0n), makerFeeBps: 0, takerFeeBps: 0 }],
    openOrderCap: 1,
    record: () => {},
  });
  const family = { masterId: ALICE, volume: openVolume(0n) };
  return marketAccountOf(makeAccount(ALICE, null, family, openVolume(0n)), core.markets.get(1)!);
}

type Trade = readonly [side: "buy" | "sell", units: number, notional: bigint];

describe("a trade", () => {
  it.each<[string, readonly Trade[], { units: number; cost: bigint; realized: bigint }]>([
    ["opens a long", [["buy", 10, 2000n]], { units: 10, cost: 2000n, realized: 0n }],
    ["opens a short", [["sell", 10, 2000n]], { units: -10, cost: -2000n, realized: 0n }],
    [
      "adds",
      [
        ["buy", 10, 2000n],
        ["buy", 5, 1100n],
      ],
      { units: 15, cost: 3100n, realized: 0n },
    ],
    [
      "closes a long",
      [
        ["buy", 10, 2000n],
        ["sell", 10, 2300n],
      ],
      { units: 0, cost: 0n, realized: 300n },
    ],
    [
      "closes a short",
      [
        ["sell", 10, 2000n],
        ["buy", 10, 2300n],
      ],
      { units: 0, cost: 0n, realized: -300n },
    ],
    [
      "reduces a long, profit down",
      [
        ["buy", 3, 100n],
        ["sell", 1, 50n],
      ],
      { units: 2, cost: 66n, realized: 16n },
    ],
    [
      "reduces a short, profit down",
      [
        ["sell", 3, 100n],
        ["buy", 1, 20n],
      ],
      { units: -2, cost: -67n, realized: 13n },
    ],
    [
      "flips long to short",
      [
        ["buy", 2, 400n],
        ["sell", 5, 1050n],
      ],
      { units: -3, cost: -630n, realized: 20n },
    ],
    [
      "flips short to long",
      [
        ["sell", 2, 400n],
        ["buy", 5, 950n],
      ],
      { units: 3, cost: 570n, realized: 20n },
    ],
  ])("%s", (_, trades, expected) => {
    const marketAccount = emptyMarketAccount();
    let realized = 0n;
    for (const [side, units, notional] of trades) realized += bookTrade(marketAccount, side, units, notional);
    expect({ units: marketAccount.units, cost: marketAccount.cost, realized }).toEqual(expected);
  });

  it("shows a mean entry price, floored", () => {
    const marketAccount = emptyMarketAccount();
    bookTrade(marketAccount, "buy", 3, 100n);
    expect(entryPriceOf(marketAccount)).toBe(price(3_333_333_333n));
    bookTrade(marketAccount, "sell", 3, 100n);
    expect(entryPriceOf(marketAccount)).toBe(0n);
  });

  it.each<[number, "buy" | "sell", number, number]>([
    [0, "buy", 5, 5],
    [0, "sell", 5, 0],
    [5, "sell", 8, -5],
    [-5, "buy", 8, 3],
  ])("from %d by %s %d changes the longs by %d", (held, side, units, change) => {
    expect(longChange(held, side, units)).toBe(change);
  });
});

describe("profits", () => {
  it("sum to zero over all accounts when everything is closed, odd sizes and prices or not", ({ world }) => {
    const trade = (buyer: typeof ALICE, seller: typeof ALICE, at: number, amount: bigint) => {
      world.place({ accountId: seller, side: "sell", price: usd(at), size: size(amount) });
      return world.place({ accountId: buyer, side: "buy", price: usd(at), size: size(amount) });
    };
    let realized = 0n;
    for (const receipt of [
      trade(ALICE, BOB, 200.03, 1_234_567n),
      trade(ALICE, CAROL, 201.07, 333_333n),
      trade(CAROL, ALICE, 199.51, 777_777n),
      trade(BOB, ALICE, 203.33, 790_123n),
      trade(BOB, CAROL, 198.77, 444_444n),
    ]) {
      for (const event of eventsOf(receipt)) {
        if (event.type === "Fill") realized += event.execution.takerRealizedPnl + event.execution.makerRealizedPnl;
      }
    }
    for (const id of [ALICE, BOB, CAROL]) expect(world.engine.account(id)?.positions).toEqual([]);
    expect(realized).toBe(0n);
    expect(world.engine.systemBalance("clearing")).toBe(0n);
    world.engine.auditBalances();
  });

  it("of an open position are reckoned at the oracle price, not at the mark", ({ world }) => {
    world.place({ accountId: BOB, side: "sell", price: usd(202) });
    world.place({ price: usd(202) });
    expect(world.engine.account(ALICE)?.positions[0]).toMatchObject({
      unrealizedPnl: dollars(-2),
      entryPrice: usd(202),
    });
    world.print(205);
    expect(world.engine.account(ALICE)?.positions[0]).toMatchObject({
      unrealizedPnl: dollars(3),
      lastOraclePrice: usd(205),
    });
    expect(world.engine.account(BOB)?.positions[0]).toMatchObject({ side: "sell", unrealizedPnl: dollars(-3) });
  });
});

describe("fees", () => {
  it("charge the taker up and rebate the maker down, and balance in the fee ledger", ({ world }) => {
    world.place({ accountId: BOB, side: "sell", price: usd(200), size: size(333_333n) });
    const receipt = world.place({ price: usd(200), size: size(333_333n) });
    const fill = eventsOf(receipt).find((event) => event.type === "Fill");
    // Notional 66.6666 USDC: 5 bps are 33333.3 base units, 1 bp is 6666.66.
    expect(fill).toMatchObject({ execution: { takerFee: 33_334n, makerFee: -6_666n } });
    expect(world.engine.systemBalance("fees")).toBe(26_668n);
  });

  it("count a subaccount's volume for the whole family, and what was traded before the start", ({ world }) => {
    const master = accountId(50n);
    const sub = accountId(51n);
    world.engine.openAccount({ accountId: master, masterAccountId: null, volume30d: dollars(700) }, world.ctx());
    world.engine.openAccount({ accountId: sub, masterAccountId: master }, world.ctx());
    world.engine.post({ from: "custody", to: sub, amount: dollars(1000) }, world.ctx());
    world.place({ accountId: BOB, side: "sell", price: usd(200) });
    world.place({ accountId: sub, price: usd(200) });
    expect(world.engine.account(master)).toMatchObject({ volume30d: dollars(700), feeTierVolume30d: dollars(900) });
    expect(world.engine.account(sub)).toMatchObject({ volume30d: dollars(200), feeTierVolume30d: dollars(900) });
  });
});
