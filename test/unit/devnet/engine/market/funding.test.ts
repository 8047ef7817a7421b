// Hourly funding: how the rate comes about, who pays whom, and that nothing is made or lost.

import { describe, expect, it } from "vitest";
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
    // premium 1 % / 8 = 0.125 %, interest pulls by 0.05 % toward 0.
    [202, 1_250_000n - 500_000n],
    [198, -1_250_000n + 500_000n],
    // premium 0.1 % / 8 is within the pull: interest wins.
    [200.2, 0n],
  ])("with the book at %d is %d parts per billion", (mid, rate) => {
    const world = traded(1_000_000n, mid);
    world.block(5000);
    expect(world.engine.funding(1)).toMatchObject({ fundingRate: rate, cumulativeFunding: 0n });
  });

  it("is the interest while the book is thin on a side, and within its cap otherwise", () => {
    const thin = traded(1_000_000n, 210, { depthThreshold: dollars(10_000), interestRateMicroBps: 64 });
    thin.block(5000);
    expect(thin.engine.funding(1)?.fundingRate).toBe(6_400n);
    const capped = traded(1_000_000n, 210, { maxFundingRateBps: 2 });
    capped.block(5000);
    expect(capped.engine.funding(1)?.fundingRate).toBe(200_000n);
  });

  it("takes the mean of its samples, one in five seconds, whatever happens between them", () => {
    const world = traded(1_000_000n, 202);
    world.block(5000);
    world.engine.cancelAll(CAROL, null, world.ctx());
    world.block(1000);
    expect(world.engine.funding(1)?.fundingRate).toBe(750_000n);
    world.block(4000);
    // Samples of 1 % and 0: mean 0.5 %, an eighth is 0.0625 %, pulled by 0.05 %.
    expect(world.engine.funding(1)?.fundingRate).toBe(125_000n);
  });
});

describe("a settlement", () => {
  it("moves collateral from longs to shorts when the book is above the oracle", () => {
    const world = traded(1_000_000n, 202);
    world.block(5000);
    const before = [ALICE, BOB].map((id) => world.engine.account(id)!.collateral);
    const events = world.block(HOUR_MS - INTO_HOUR_MS);
    const paid = events.filter((event) => event.type === "FundingPaid");
    // 0.075 % of 200 USDC.
    expect(paid).toMatchObject([
      { accountId: BOB, amount: 150_000n, inventory: -1_000_000n, fundingRate: 750_000n },
      { accountId: ALICE, amount: -150_000n, inventory: 1_000_000n },
    ]);
    expect(events.filter((event) => event.type === "FundingUpdated")).toEqual([
      {
        type: "FundingUpdated",
        marketId: 1,
        fundingRate: 750_000n,
        timestampSec: (START_MS - INTO_HOUR_MS + HOUR_MS) / 1000,
      },
    ]);
    expect([ALICE, BOB].map((id) => world.engine.account(id)!.collateral)).toEqual([
      before[0]! - 150_000n,
      before[1]! + 150_000n,
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
