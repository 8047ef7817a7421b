// Rows 88 to 90, 113, 118 and 121 to 126: markets and oracles in every state, funding, fees, margin, liquidation (S2, S3, S7).

import { describe, expect } from "vitest";
import { type AccountId, price, size, usdc } from "../../src/domain/units.ts";
import { encodeTransaction } from "../../src/wire/transaction.ts";
import { plainMarket as market } from "../support/plain-exchange.ts";
import {
  ALICE,
  ALICE_SUB,
  accounts,
  BOB,
  bob,
  bobs,
  contracts,
  dollars,
  HOUR_MS,
  order,
  START_MS,
  START_SEC,
  signerOf,
  usd,
} from "./actors.ts";
import { eventsOf, it, openWorld, placedId, trade, type World } from "./world.ts";

const collateralOf = async (world: World, id: AccountId) => (await world.client.accounts.byId(id)).collateral;
const untilHour = HOUR_MS - (START_MS % HOUR_MS);
const setStatus = (world: World, status: string) => world.control("PATCH", "/markets/1", { status });
/** To the exchange itself: the client would not send what adds exposure where S7 says no. */
const place = async (world: World, of: Parameters<typeof order>[0] = {}) =>
  (await world.postText(encodeTransaction(order(of)))).json as { status: string; error?: string };

describe("a market that is not Active", () => {
  it.each(["Paused", "Settling", "Settled"])("%s is hidden from the list and read by its id [88]", async (status) => {
    await using world = await openWorld();
    await setStatus(world, status);
    expect(await world.client.exchange.marketIds()).toEqual([]);
    expect(await world.client.exchange.market(1)).toMatchObject({ status });
  });

  it.each(["Paused", "Settling"])(
    "%s takes no new exposure, and lets go what reduces and what cancels [113b]",
    async (status) => {
      await using world = await openWorld();
      await trade(world, { side: "buy", price: usd(200), size: contracts(2) });
      const resting = placedId(await world.run(order({ side: "sell", price: usd(202), reduceOnly: true })));
      await setStatus(world, status);
      expect(await place(world)).toMatchObject({ status: "failed" });
      expect(await place(world, { orderType: "StopMarket", price: price(0n), triggerPrice: usd(210) })).toMatchObject({
        status: "failed",
      });
      const reducing = { side: "sell", price: usd(201), reduceOnly: true } as const;
      expect(await place(world, reducing)).toMatchObject({ status: "success" });
      await world.run(bobs({ side: "buy", price: usd(201), reduceOnly: true }), bob);
      expect(await world.client.accounts.positions(ALICE)).toMatchObject([{ size: contracts(1) }]);
      await world.run({ type: "CancelOrder", orderId: resting });
      await setStatus(world, "Active");
      expect(await place(world)).toMatchObject({ status: "success" });
    },
  );

  it("Settling cancels what rests and could add exposure, and keeps what reduces [113b]", async ({ world }) => {
    await trade(world, { side: "buy", price: usd(200), size: contracts(2) });
    const adding = placedId(await world.run(order()));
    const reducing = placedId(await world.run(order({ side: "sell", price: usd(202), reduceOnly: true })));
    const { of, settled } = await world.follow([{ channel: "orders", accountId: ALICE }]);
    await setStatus(world, "Settling");
    await settled();
    expect(of("orderCanceled")).toMatchObject([{ orderId: adding, reason: "MarketClosed" }]);
    expect(await world.client.accounts.openOrders(ALICE)).toMatchObject([{ orderId: reducing }]);
  });

  it("in settlement closes every position at the oracle price, without fees [88]", async ({ world }) => {
    await trade(world, { side: "buy", price: usd(199), size: contracts(10) });
    const before = await collateralOf(world, ALICE);
    await setStatus(world, "Settled");
    await world.advance(200);
    expect(await world.client.accounts.positions(ALICE)).toEqual([]);
    expect((await collateralOf(world, ALICE)) - before).toBe(dollars(10));
  });
});

describe("an oracle", () => {
  it("is Active strictly before its expiry and Stale from then on; a print renews it [89]", async ({ world }) => {
    const status = async () => (await world.client.exchange.oracle(1)).status;
    await world.advance(86_400_000 - 1);
    expect(await status()).toBe("Active");
    await world.advance(1);
    expect(await status()).toBe("Stale");
    await world.control("PATCH", "/oracle/1", { price: "200.5" });
    expect(await status()).toBe("Active");
    expect((await world.client.exchange.oracle(1)).validUntilSec).toBe(START_SEC + 2 * 86_400);
  });

  it("once Stale, trading goes on at the last price [89]", async ({ world }) => {
    await world.control("PATCH", "/oracle/1", { status: "Stale" });
    expect(await world.client.exchange.market(1)).toMatchObject({ oracleStatus: "Stale", oraclePrice: usd(200) });
    expect(await place(world)).toMatchObject({ status: "success" });
  });

  it("once Halted, only what reduces goes, until an operator resumes it [89]", async ({ world }) => {
    await trade(world, { side: "buy", price: usd(200), size: contracts(1) });
    await world.control("PATCH", "/oracle/1", { status: "Halted" });
    expect(await place(world)).toMatchObject({ status: "failed" });
    expect(await place(world, { side: "sell", price: usd(201), reduceOnly: true })).toMatchObject({
      status: "success",
    });
    await world.control("PATCH", "/oracle/1", { status: "Active" });
    expect(await place(world)).toMatchObject({ status: "success" });
  });
});

describe("the client sends no order that adds exposure", () => {
  it.each([
    ["the market is not Active", "/markets/1", { status: "Paused" }],
    ["its oracle is Stale", "/oracle/1", { status: "Stale" }],
    ["its oracle is Halted", "/oracle/1", { status: "Halted" }],
    ["its oracle price has expired", "/oracle/1", { status: "Active", validUntil: START_SEC }],
  ])("while %s, and still reduces and cancels [113a]", async (_, path, body) => {
    await using world = await openWorld();
    const resting = placedId(await world.run(order()));
    await trade(world, { side: "buy", price: usd(200), size: contracts(1) });
    await world.control("PATCH", path, body);
    expect(await world.submit(order())).toMatchObject({ kind: "notSent" });
    await world.run(order({ side: "sell", price: usd(201), reduceOnly: true }));
    await world.run({ type: "CancelOrder", orderId: resting });
  });

  it("where the market cannot be read [113a]", async ({ world }) => {
    expect(await world.submit(order({ marketId: 9 }))).toMatchObject({ kind: "notSent" });
  });
});

describe("an order's life", () => {
  it("goes by the names that its record shows [90]", async ({ world }) => {
    const statusOf = async () => (await world.client.accounts.openOrders(ALICE)).map(({ status }) => status);
    await world.run(order({ price: usd(200), size: contracts(2) }));
    expect(await statusOf()).toEqual(["Open"]);
    await world.run(bobs({ price: usd(200), size: contracts(1) }), bob);
    expect(await statusOf()).toEqual(["PartiallyFilled"]);
    await world.run(bobs({ price: usd(200), size: contracts(1) }), bob);
    expect(await statusOf()).toEqual([]);
    await world.run(order({ orderType: "StopLimit", price: usd(206), triggerPrice: usd(205) }));
    expect(await statusOf()).toEqual(["Untriggered"]);
  });
});

describe("the mark price", () => {
  const markOf = async (world: World) => (await world.client.exchange.market(1)).markPrice;
  const rest = (world: World, side: "buy" | "sell", at: number, amount: number) =>
    world.run(bobs({ side, price: usd(at), size: contracts(amount) }), bob);

  it("is the mean of what selling and buying the depth threshold would get, level by level [121a]", async ({
    world,
  }) => {
    await rest(world, "buy", 199, 1);
    await rest(world, "buy", 190, 10);
    await rest(world, "sell", 204, 10);
    // 500 USDC sold get 1 at 199 and 301/190 at 190: 193.387158; bought they cost 204. In whole size units, floored.
    const sold = usd(199) * 1_000_000n + usd(190) * 1_584_211n;
    expect(await markOf(world)).toBe((sold / 2_584_211n + usd(204)) / 2n);
  });

  it("is the oracle price while either side lacks the depth, and never outside the price band [121a]", async ({
    world,
  }) => {
    await rest(world, "sell", 208, 10);
    await rest(world, "buy", 206, 2.4);
    expect(await markOf(world)).toBe(usd(200));
    await rest(world, "buy", 205, 1);
    expect(await markOf(world)).toBeGreaterThan(usd(206));
    await world.control("PATCH", "/oracle/1", { price: "150" });
    expect(await markOf(world)).toBe(usd(165));
  });

  it("is not moved by dust, nor is funding, nor does dust stop a market order with a cap [121a]", async ({ world }) => {
    await rest(world, "buy", 199.9, 10);
    await rest(world, "sell", 200.1, 10);
    await world.run(bobs({ side: "sell", price: usd(219.99), size: size(1n) }), bob);
    await world.run(order({ side: "buy", price: usd(200.09), size: size(1n) }));
    const dusty = await markOf(world);
    expect(dusty).toBeGreaterThanOrEqual(usd(200));
    expect(dusty).toBeLessThan(usd(200) + 10_000n);
    for (let sampled = 0; sampled < 3; sampled += 1) await world.advance(5000);
    expect((await world.client.exchange.funding(1)).fundingRate).toBeLessThan(100n);
    const receipt = await world.run(
      order({ orderType: "Market", price: price(0n), timeInForce: "IOC", maxSlippageBps: 10, size: contracts(1) }),
    );
    expect(eventsOf(receipt, "fill")).toMatchObject([{ execution: { price: usd(200.1), size: contracts(1) } }]);
  });
});

describe("funding", () => {
  /** Long Alice against short Bob, and a book around `mid`, where nothing is said far deeper than the depth threshold. */
  async function premium(world: World, mid: number, depth = 100): Promise<void> {
    await trade(world, { side: "buy", price: usd(200), size: contracts(100) });
    await world.run(bobs({ side: "buy", price: usd(mid - 1), size: contracts(depth) }), bob);
    await world.run(bobs({ price: usd(mid + 1), size: contracts(depth) }), bob);
    for (let sampled = 0; sampled < 10; sampled += 1) await world.advance(5000);
  }
  const rateAt = async (mid: number, of: { readonly depth?: number; readonly everySecs?: number } = {}) => {
    await using world = await openWorld({ markets: [{ ...market, fundingIntervalSecs: of.everySecs ?? 3600 }] });
    await premium(world, mid, of.depth);
    return (await world.client.exchange.funding(1)).fundingRate;
  };

  it.each([
    [206, -1n],
    [200.01, -1n],
    [199.99, 1n],
    [194, 1n],
  ])("with the mark at %d and the oracle at 200, longs pay or are paid [121a]", async (mid, sign) => {
    await using world = await openWorld();
    await premium(world, mid);
    const before = [await collateralOf(world, ALICE), await collateralOf(world, BOB)];
    await world.advance(untilHour);
    const gained = (await collateralOf(world, ALICE)) - (before[0] ?? 0n);
    const lost = (await collateralOf(world, BOB)) - (before[1] ?? 0n);
    expect(gained * sign > 0n).toBe(true);
    expect(gained + lost === 0n || gained + lost === -1n).toBe(true); // What rounding keeps is not paid out.
  });

  it("goes straight to collateral, and the index moves by as much [121a]", async ({ world }) => {
    await premium(world, 206);
    const before = await collateralOf(world, ALICE);
    const indexBefore = (await world.client.exchange.funding(1)).cumulativeFunding;
    await world.advance(untilHour);
    const { cumulativeFunding, fundingRate, lastFundingTimestampSec } = await world.client.exchange.funding(1);
    const paid = before - (await collateralOf(world, ALICE));
    // Rate in parts per billion of a notional of 100 contracts at 200 USD; the index is USD per contract with 8 decimals.
    const notional = dollars(20_000);
    expect(paid).toBe((notional * fundingRate + 999_999_999n) / 1_000_000_000n);
    expect(cumulativeFunding! - indexBefore!).toBe((usd(200) * fundingRate) / 1_000_000_000n);
    expect(lastFundingTimestampSec).toBe((START_MS + untilHour) / 1000);
    expect((await world.client.accounts.positions(ALICE))[0]).toMatchObject({ cumulativeFunding });
  });

  it("is the premium over eight hours, and a micro basis point of interest an hour is 1e-10 [121a]", async () => {
    expect(await rateAt(200)).toBe(6n); // Interest alone, 64 micro basis points.
    expect(await rateAt(206)).toBe(3_750_006n); // 3 % / 8
    expect(await rateAt(194)).toBe(-3_749_994n);
  });

  it("is as much smaller as the interval is shorter [121b]", async () => {
    expect(await rateAt(206, { everySecs: 60 })).toBe(62_500n); // 3 % / 480
    expect(await rateAt(206, { everySecs: 1 })).toBe(1041n); // 3 % / 28,800
  });

  it("is interest alone while a side of the book lacks the depth threshold [121a]", async () => {
    expect(await rateAt(206, { depth: 2 })).toBe(6n);
    expect(await rateAt(194, { depth: 2 })).toBe(6n);
  });

  it("is capped [121a]", async () => {
    await using world = await openWorld({ markets: [{ ...market, priceBandBps: 9000 }] });
    await premium(world, 370);
    expect((await world.client.exchange.funding(1)).fundingRate).toBe(62_500_000n); // 625 bps
  });

  it("settles once an interval, as long as the market's interval is [121b]", async () => {
    await using world = await openWorld({ markets: [{ ...market, fundingIntervalSecs: 60 }] });
    const { of, settled } = await world.follow([{ channel: "funding", marketId: 1 }]);
    for (let at = 0; at < 12; at += 1) await world.advance(30_000);
    await settled();
    expect(of("fundingUpdate")).toHaveLength(6);
  });
});

describe("fees", () => {
  const tier = (assetClass: string, minVolume: number, makerFeeBps: number, takerFeeBps: number) => ({
    assetClass,
    minVolume30d: dollars(minVolume),
    makerFeeBps,
    takerFeeBps,
  });
  const feeTiers = [
    tier("RealEstate", 0, 1, 5),
    tier("RealEstate", 1000, -1, 3),
    tier("RealEstate", 1_000_000, -2, 1),
    tier("Commodities", 0, 2, 9),
  ];
  const takerFee = async (world: World, of: object = {}) => {
    await world.run(bobs({ price: usd(200), size: contracts(5), ...of }), bob);
    const [fill] = eventsOf(await world.run(order({ price: usd(200), size: contracts(5), ...of })), "fill");
    return fill?.execution.takerFee;
  };

  it("are those of the highest tier that the family's 30 days reach, for the market's asset class [122]", async () => {
    await using world = await openWorld({
      feeTiers,
      markets: [market, { ...market, marketId: 2, assetClass: "Commodities" }],
    });
    expect(await takerFee(world)).toBe(dollars(0.5)); // 1,000 USDC at 5 bps
    expect(await takerFee(world)).toBe(dollars(0.3)); // exactly at the floor of the next
    expect(await takerFee(world, { marketId: 2 })).toBe(dollars(0.9));
  });

  it("go by the volume of the whole family [122]", async () => {
    await using world = await openWorld({ feeTiers });
    await takerFee(world);
    await world.run(bobs({ price: usd(200), size: contracts(5) }), bob);
    const events = await world.run(order({ accountId: ALICE_SUB, price: usd(200), size: contracts(5) }));
    expect(eventsOf(events, "fill")).toMatchObject([{ execution: { takerFee: dollars(0.3) } }]);
  });

  it("forget volume after 30 days [122]", async () => {
    const lasting = { ...market, oracle: { source: "fixed", price: usd(200), validForSecs: 10_000_000 } } as const;
    await using world = await openWorld({
      feeTiers,
      markets: [lasting],
      accounts: accounts.map((each) => ({
        ...each,
        agents: each.agents.map((agentOf) => ({ ...agentOf, expiresAtSec: null })),
      })),
    });
    await takerFee(world);
    await world.advance(31 * 86_400_000);
    expect(await world.client.accounts.byId(ALICE)).toMatchObject({
      feeTierVolume30d: 0n,
      lifetimeVolume: dollars(1000),
    });
    expect(await takerFee(world)).toBe(dollars(0.5));
  });

  it("below zero are a rebate to the maker [122]", async ({ world }) => {
    const before = await collateralOf(world, BOB);
    await trade(world, { side: "buy", price: usd(200), size: contracts(5) });
    expect((await collateralOf(world, BOB)) - before).toBe(dollars(0.1));
  });
});

describe("margin", () => {
  const tiers = [
    { notionalFloor: usdc(0n), maxLeverage: 20, maintenanceMarginRatioBps: 250 },
    { notionalFloor: dollars(10_000), maxLeverage: 10, maintenanceMarginRatioBps: 500 },
    { notionalFloor: dollars(50_000), maxLeverage: 5, maintenanceMarginRatioBps: 1000 },
  ];

  it("tiers carry the deduction that makes maintenance continuous [124a]", async () => {
    await using world = await openWorld({ markets: [{ ...market, marginTiers: tiers }] });
    const { marginTiers } = await world.client.exchange.market(1);
    expect(marginTiers.map(({ maintenanceDeduction }) => maintenanceDeduction)).toEqual([
      0n,
      dollars(250), // 10,000 x (5 % - 2.5 %)
      dollars(2750), // 250 + 50,000 x (10 % - 5 %)
    ]);
  });

  it("the tier is that of the worst-case size, position and orders together [118a]", async () => {
    await using world = await openWorld({ markets: [{ ...market, marginTiers: tiers }] });
    const used = async () => {
      const { collateral, availableCollateral } = await world.client.accounts.byId(ALICE);
      return collateral - availableCollateral!;
    };
    await world.run(order({ price: usd(200), size: contracts(40) }));
    expect(await used()).toBe(dollars(400)); // 8,000 USDC at 20x
    await world.run(order({ price: usd(200), size: contracts(40) }));
    expect(await used()).toBe(dollars(1600)); // 16,000 USDC at 10x
  });

  it("an order beyond the collateral is refused, and changes nothing [118a]", async ({ world }) => {
    expect(await world.submit(order({ price: usd(200), size: contracts(10_001) }))).toMatchObject({ kind: "refused" });
    expect((await world.client.exchange.book(1)).bids).toEqual([]);
    await world.run(order({ price: usd(200), size: contracts(9000) }));
  });

  it("several orders of one account that one taker hits fill as far as its margin carries them together [118a]", async () => {
    const poor = accounts.map((account) =>
      account.accountId === ALICE ? { ...account, collateral: dollars(105) } : account,
    );
    await using world = await openWorld({ accounts: poor });
    await trade(world, { side: "buy", price: usd(200), size: contracts(5) });
    const sell = order({ side: "sell", price: usd(200.5), size: contracts(5) });
    for (let placed = 0; placed < 3; placed += 1) await world.run(sell);
    const [, second] = await world.client.accounts.openOrders(ALICE);
    const { of, settled } = await world.follow([{ channel: "orders", accountId: ALICE }]);
    await world.control("PATCH", "/oracle/1", { price: "210" });
    await world.run(bobs({ side: "buy", price: usd(200.5), size: contracts(15) }), bob);
    await settled();
    expect(of("orderCanceled")).toMatchObject([{ orderId: second?.orderId, reason: "InsufficientMargin" }]);
    expect(await world.client.accounts.positions(ALICE)).toMatchObject([{ side: "sell", size: contracts(5) }]);
    const { collateral } = await world.client.accounts.byId(ALICE);
    // 5 sold at 200.5 that are worth 210, and 5 % of 1,050 USDC.
    expect(collateral - dollars(47.5) >= dollars(52.5)).toBe(true);
  });

  it("open interest is limited, per side [118b]", async () => {
    await using world = await openWorld({ markets: [{ ...market, maxOpenInterest: contracts(10) }] });
    await trade(world, { side: "buy", price: usd(200), size: contracts(10) });
    expect(await world.submit(order({ price: usd(200), size: contracts(1) }))).toMatchObject({ kind: "refused" });
    expect(await world.submit(bobs({ price: usd(200), size: contracts(1) }), bob)).toMatchObject({ kind: "refused" });
    await world.run(order({ side: "sell", price: usd(201), size: contracts(1) }));
  });

  it("the open-order cap is the treasury's [119]", async () => {
    await using world = await openWorld({ openOrderCap: 3 });
    expect(await world.client.exchange.openOrderCap()).toBe(3);
    for (let placed = 0; placed < 3; placed += 1) await world.run(order());
    expect(await world.submit(order())).toMatchObject({ kind: "refused" });
    await world.run({ type: "CancelAllOrders", marketId: null });
    await world.run(order());
  });

  it("the open-order cap holds at any time: an entry keeps room for its exits, and a stop for its own [119]", async () => {
    await using world = await openWorld({ openOrderCap: 5 });
    const exits = { takeProfit: { triggerPrice: usd(220) }, stopLoss: { triggerPrice: usd(180) } };
    const open = async () => (await world.client.accounts.openOrders(ALICE)).length;
    await world.run(order({ price: usd(200), size: contracts(2), ...exits }));
    for (const price of [190, 189]) await world.run(order({ price: usd(price), size: contracts(0.1) }));
    expect(await world.submit(order({ price: usd(188) }))).toMatchObject({ kind: "refused" });
    await world.run(bobs({ price: usd(200), size: contracts(1) }), bob);
    expect(await open()).toBe(5);
    await world.run(bobs({ price: usd(200), size: contracts(1) }), bob);
    expect(await open()).toBe(4);
    const stop = { orderType: "StopMarket", price: usd(0), triggerPrice: usd(205) } as const;
    expect(await world.submit(order({ ...stop, ...exits }))).toMatchObject({ kind: "refused" });
    await world.run(order(stop));
    expect(await open()).toBe(5);
  });

  it("no position keeps the leverage of an older tier: it follows the tier of its notional [124b]", async () => {
    await using world = await openWorld({ markets: [{ ...market, marginTiers: tiers }] });
    await trade(world, { side: "buy", price: usd(200), size: contracts(49), leverage: 20 });
    expect(await world.client.accounts.positions(ALICE)).toMatchObject([{ leverage: 20, tierGrandfathered: false }]);
    await world.control("PATCH", "/oracle/1", { price: "210" }); // 10,290 USDC: the tier of 10x
    expect(await world.client.accounts.positions(ALICE)).toMatchObject([{ leverage: 10, tierGrandfathered: false }]);
  });
});

describe("liquidation", () => {
  const poor = (usdcs: number) =>
    accounts.map((each) => (each.accountId === ALICE ? { ...each, collateral: dollars(usdcs) } : each));
  const print = async (world: World, price: string) => {
    await world.control("PATCH", "/oracle/1", { price });
    await world.advance(200);
  };

  it("comes when the oracle price eats the maintenance margin, through the book [123a]", async () => {
    await using world = await openWorld({ accounts: poor(1000) });
    await trade(world, { side: "buy", price: usd(200), size: contracts(90) });
    await world.run(bobs({ side: "buy", price: usd(193), size: contracts(100) }), bob);
    await print(world, "194"); // 451 USDC of equity against 436.50 of maintenance
    expect(await world.client.accounts.positions(ALICE)).toHaveLength(1);
    await print(world, "193.5"); // 406 against 435
    expect(await world.client.accounts.positions(ALICE)).toEqual([]);
  });

  it("cancels the account's orders first [123a]", async () => {
    await using world = await openWorld({ accounts: poor(1000) });
    const { of, settled } = await world.follow([{ channel: "orders", accountId: ALICE }]);
    await trade(world, { side: "buy", price: usd(200), size: contracts(80) });
    await world.run(order({ side: "sell", price: usd(220), size: contracts(1), reduceOnly: true }));
    await world.run(bobs({ side: "buy", price: usd(191), size: contracts(100) }), bob);
    await print(world, "192");
    await settled();
    expect(of("orderCanceled")).toMatchObject([{ reason: "Liquidation" }]);
  });

  it("takes a large position in part, the rest after a pause [123a]", async () => {
    await using world = await openWorld({ accounts: poor(9000) });
    await trade(world, { side: "buy", price: usd(200), size: contracts(800) });
    await world.run(bobs({ side: "buy", price: usd(193.5), size: contracts(1000) }), bob);
    await print(world, "193.6"); // 154,880 USDC: above the size that goes whole
    const [left] = await world.client.accounts.positions(ALICE);
    expect(left?.size).toBe(contracts(640));
  });

  it("where the book has nothing, the backstop account takes the position over [123b]", async () => {
    await using world = await openWorld({ accounts: poor(1000) });
    const { backstopAccountId } = await world.client.exchange.market(1);
    await trade(world, { side: "buy", price: usd(200), size: contracts(90) });
    await print(world, "193");
    expect(await world.client.accounts.positions(ALICE)).toEqual([]);
    expect(await world.client.accounts.positions(backstopAccountId!)).toMatchObject([
      { side: "buy", size: contracts(90) },
    ]);
  });

  it("feeds the insurance fund, and is paid from it where collateral falls short [125]", async () => {
    await using world = await openWorld({ accounts: poor(1000) });
    await trade(world, { side: "buy", price: usd(200), size: contracts(90) });
    await print(world, "193");
    const fed = await world.client.exchange.insuranceFund();
    expect(fed.balance > 0n).toBe(true);
    expect(fed.totalDeposited).toBe(fed.balance);
    await world.control("POST", "/accounts/12/deposit", { usdc: "1000" });
    await world.control("PATCH", "/oracle/1", { price: "200" });
    await trade(world, { side: "buy", price: usd(200), size: contracts(80) });
    await print(world, "150");
    const drawn = await world.client.exchange.insuranceFund();
    expect(drawn.balance < fed.balance).toBe(true);
    expect(await collateralOf(world, ALICE)).toBe(0n);
  });

  it("leaves the backstop account a position that it works off through the book, at the insurance fund's cost [123b]", async () => {
    await using world = await openWorld({ accounts: poor(1000) });
    const { backstopAccountId } = await world.client.exchange.market(1);
    await trade(world, { side: "buy", price: usd(200), size: contracts(90) });
    await print(world, "193");
    const fed = await world.client.exchange.insuranceFund();
    await world.run(bobs({ side: "buy", price: usd(192), size: contracts(100) }), bob);
    await world.advance(200);
    expect(await world.client.accounts.byId(backstopAccountId!)).toMatchObject({ positions: [], collateral: 0n });
    const paid = await world.client.exchange.insuranceFund();
    expect(fed.balance - paid.balance).toBe(dollars(98.64)); // 90 contracts at 1 USD less, and 5 bps of 17,280 USDC
  });

  it("that the insurance fund cannot pay shows as its shortfall, and no account is left below zero [125]", async () => {
    await using world = await openWorld({ accounts: poor(1000) });
    const { backstopAccountId } = await world.client.exchange.market(1);
    await trade(world, { side: "buy", price: usd(200), size: contracts(90) });
    await print(world, "180"); // 1,800 USDC lost of 991
    expect((await world.get("/v1/insurance-fund")).json).toEqual({
      balance: "0",
      shortfall: "809000000",
      totalDeposited: "0",
    });
    expect(await collateralOf(world, ALICE)).toBe(0n);
    expect(await collateralOf(world, backstopAccountId!)).toBe(0n);
  });

  it("of an isolated position leaves the cross collateral alone [123a]", async ({ world }) => {
    await world.run(bobs({ price: usd(200), size: contracts(10) }), bob);
    await world.run(order({ price: usd(200), size: contracts(10), marginMode: "Isolated", leverage: 20 }));
    const before = await collateralOf(world, ALICE);
    await print(world, "180");
    expect(await world.client.accounts.positions(ALICE)).toEqual([]);
    expect((await collateralOf(world, ALICE)) >= before).toBe(true);
  });

  it("of a subaccount does not touch its family [123a]", async () => {
    const people = accounts.map((each) =>
      each.accountId === ALICE_SUB ? { ...each, collateral: dollars(1000) } : each,
    );
    await using world = await openWorld({ accounts: people });
    await world.run(bobs({ price: usd(200), size: contracts(90) }), bob);
    await world.run(order({ accountId: ALICE_SUB, price: usd(200), size: contracts(90) }));
    await print(world, "180");
    expect(await world.client.accounts.positions(ALICE_SUB)).toEqual([]);
    expect(await collateralOf(world, ALICE)).toBe(dollars(100_000));
  });
});

describe("profit and loss", () => {
  it("is realized as a position is reduced or flipped, against the mean entry price [96b]", async () => {
    await using world = await openWorld({
      feeTiers: [{ assetClass: "RealEstate", minVolume30d: usdc(0n), makerFeeBps: 0, takerFeeBps: 0 }],
    });
    const realized = async (side: "buy" | "sell", at: number, size: number) => {
      await world.run(bobs({ side: side === "buy" ? "sell" : "buy", price: usd(at), size: contracts(size) }), bob);
      const [fill] = eventsOf(await world.run(order({ side, price: usd(at), size: contracts(size) })), "fill");
      return fill?.execution.takerRealizedPnl;
    };
    expect(await realized("buy", 200, 2)).toBe(0n);
    expect(await realized("buy", 202, 2)).toBe(0n);
    expect((await world.client.accounts.positions(ALICE))[0]?.entryPrice).toBe(usd(201));
    expect(await realized("sell", 204, 1)).toBe(dollars(3));
    expect(await realized("sell", 200, 5)).toBe(dollars(-3)); // 3 contracts closed, 2 opened short
    expect(await world.client.accounts.positions(ALICE)).toMatchObject([
      { side: "sell", size: contracts(2), entryPrice: usd(200) },
    ]);
  });
});

describe("invites", () => {
  it("grow with the family's volume and are used up by who came [126]", async () => {
    const people = accounts.map((each) => (each.accountId === ALICE ? { ...each, volume30d: dollars(250_000) } : each));
    await using world = await openWorld({ accounts: people });
    expect(await world.client.accounts.invites(ALICE)).toMatchObject({ eligible: true, allowance: 12, consumed: 0 });
    const guest = signerOf(60);
    await world.control("POST", "/bridge/deposits", { owner: guest.publicKey, usdc: "5" });
    await world.run({ type: "CreateFundedAccount", mode: "Cross", referredBy: ALICE }, guest);
    expect(await world.client.accounts.invites(ALICE)).toMatchObject({ consumed: 1, remaining: 11 });
  });
});
