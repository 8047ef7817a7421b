// Funding: how the rate comes about, who pays whom, and that nothing is made or lost.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fundingRateOf } from "../../../../../src/devnet/engine/market/funding.ts";
import { size, usdc } from "../../../../../src/domain/units.ts";
import { ALICE, BOB, CAROL, contracts, dollars, makeWorld, START_MS, usd, type World } from "../set-up.ts";

const HOUR_MS = 3_600_000;
/** START_MS lies this far into its hour. */
const INTO_HOUR_MS = START_MS % HOUR_MS;

/** Alice long and Bob short this much at 200, and a book around `mid` that is deep enough for the impact price. */
function traded(amount: bigint, mid: number, options: Parameters<typeof makeWorld>[1] = {}): World {
  const world = makeWorld({}, { interestRateMicroBps: 0, ...options });
  world.place({ accountId: BOB, side: "sell", price: usd(200), size: size(amount) });
  world.place({ price: usd(200), size: size(amount) });
  world.place({ accountId: CAROL, side: "buy", price: usd(mid - 0.5), size: contracts(10) });
  world.place({ accountId: CAROL, side: "sell", price: usd(mid + 0.5), size: contracts(10) });
  return world;
}

describe("the funding rate", () => {
  it.each([
    [202, 1_250_000n],
    [198, -1_250_000n],
    [200.2, 125_000n],
    [200, 0n],
  ])("with the book at %d is an eighth of the premium: %d parts per billion", (mid, rate) => {
    const world = traded(1_000_000n, mid);
    world.block(5000);
    expect(world.engine.funding(1)).toMatchObject({ fundingRate: rate, cumulativeFunding: 0n });
  });

  it("is zero while the book is thin on a side, and within its cap", () => {
    const thin = traded(1_000_000n, 210, { depthThreshold: dollars(10_000) });
    thin.block(5000);
    expect(thin.engine.funding(1)?.fundingRate).toBe(0n);
    const capped = traded(1_000_000n, 210, { maxFundingRateBps: 2 });
    capped.block(5000);
    expect(capped.engine.funding(1)?.fundingRate).toBe(200_000n);
  });

  it("takes the mean of its samples, one in five seconds, whatever happens between them", () => {
    const world = traded(1_000_000n, 202);
    world.block(5000);
    world.engine.cancelAll(CAROL, null, world.ctx());
    world.block(1000);
    expect(world.engine.funding(1)?.fundingRate).toBe(1_250_000n);
    world.block(4000);
    // Samples of 1 % and 0: mean 0.5 %, an eighth is 0.0625 %.
    expect(world.engine.funding(1)?.fundingRate).toBe(625_000n);
  });

  it("has a sample in every interval, however short that is", () => {
    const world = traded(1_000_000n, 202, { fundingIntervalSecs: 1 });
    for (let second = 0; second < 20; second += 1) {
      world.block(1000);
      expect(world.engine.funding(1)?.fundingRate).toBe(347n); // 1 % / 28,800
    }
  });
});

describe("the rate of a premium", () => {
  const any = {
    premium: fc.bigInt({ min: -1_000_000_000_000n, max: 1_000_000_000_000n }),
    interestRateMicroBps: fc.integer({ min: -1_000_000, max: 1_000_000 }),
    intervalSecs: fc.integer({ min: 1, max: 31_536_000 }),
    premiumPeriodSecs: fc.integer({ min: 60, max: 31_536_000 }),
    maxBps: fc.integer({ min: 0, max: 10_000 }),
  };
  const rates = (law: (of: Parameters<typeof fundingRateOf>[0]) => void) => fc.assert(fc.property(fc.record(any), law));

  it("never has the sign that is not the premium's, and never passes the cap", () => {
    rates((of) => {
      const rate = fundingRateOf(of);
      expect(rate * of.premium >= 0n).toBe(true);
      expect(rate <= BigInt(of.maxBps) * 100_000n && rate >= -BigInt(of.maxBps) * 100_000n).toBe(true);
    });
  });

  it("of all intervals of its period together is the premium, but for what each of them cuts off", () => {
    const intervals = fc.constantFrom(1, 2, 60, 300, 3600, 7200, 14_400, 28_800);
    fc.assert(
      fc.property(
        any.premium,
        intervals,
        fc.constantFrom(28_800, 86_400),
        (premium, intervalSecs, premiumPeriodSecs) => {
          const times = BigInt(premiumPeriodSecs / intervalSecs);
          const interest = { interestRateMicroBps: 0, maxBps: 100_000_000 };
          const rate = fundingRateOf({ premium, intervalSecs, premiumPeriodSecs, ...interest });
          const left = premium - rate * times;
          expect(left < times && left > -times).toBe(true);
        },
      ),
    );
  });
});

describe("a settlement", () => {
  it("moves collateral from longs to shorts when the book is above the oracle", () => {
    const world = traded(1_000_000n, 202);
    world.block(5000);
    const before = [ALICE, BOB].map((id) => world.engine.account(id)!.collateral);
    const events = world.block(HOUR_MS - INTO_HOUR_MS);
    const paid = events.filter((event) => event.type === "FundingPaid");
    // 0.125 % of 200 USDC.
    expect(paid).toMatchObject([
      { accountId: BOB, amount: 250_000n, inventory: -1_000_000n, fundingRate: 1_250_000n },
      { accountId: ALICE, amount: -250_000n, inventory: 1_000_000n },
    ]);
    expect(events.filter((event) => event.type === "FundingUpdated")).toEqual([
      {
        type: "FundingUpdated",
        marketId: 1,
        fundingRate: 1_250_000n,
        timestampSec: (START_MS - INTO_HOUR_MS + HOUR_MS) / 1000,
      },
    ]);
    expect([ALICE, BOB].map((id) => world.engine.account(id)!.collateral)).toEqual([
      before[0]! - 250_000n,
      before[1]! + 250_000n,
    ]);
    expect(world.engine.account(ALICE)?.positions[0]?.cumulativeFunding).toBe(
      world.engine.funding(1)?.cumulativeFunding,
    );
  });

  it("charges up and pays down, and keeps the difference", () => {
    const world = traded(333_333n, 202);
    world.print(200.01);
    world.block(5000);
    world.block(HOUR_MS);
    expect(world.engine.systemBalance("rounding")).toBe(1n);
    world.engine.auditBalances();
  });

  it("happens once at each hour, not before, and never twice", () => {
    const world = traded(1_000_000n, 202);
    const settlements = (advanceMs: number) =>
      world.block(advanceMs).filter((event) => event.type === "FundingUpdated").length;
    expect(settlements(HOUR_MS - INTO_HOUR_MS - 1)).toBe(0);
    expect(settlements(1)).toBe(1);
    expect(settlements(1000)).toBe(0);
    expect(settlements(HOUR_MS)).toBe(1);
  });

  it("asks nothing of a position for the time before it was opened", () => {
    const world = traded(1_000_000n, 202);
    world.block(HOUR_MS);
    world.place({ accountId: BOB, side: "buy", price: usd(202.5), size: contracts(0.5) });
    expect(world.engine.account(CAROL)?.positions[0]?.cumulativeFunding).toBe(
      world.engine.funding(1)?.cumulativeFunding,
    );
    expect(world.engine.account(CAROL)?.collateral).toBe(usdc(dollars(100_000) + 10_125n));
  });
});
