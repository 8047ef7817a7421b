// Rows 10 to 23: what the validator tells of markets and of the exchange (S4.1).

import { describe, expect } from "vitest";
import { native, usdc } from "../../src/domain/units.ts";
import { plainMarket as market } from "../support/plain-exchange.ts";
import {
  alice,
  bob,
  bobs,
  carol,
  config,
  contracts,
  DAY_MS,
  dollars,
  order,
  START_MS,
  START_SEC,
  usd,
} from "./actors.ts";
import { it, openWorld, trade } from "./world.ts";

const DIGITS = /^\d+$/;
const SIGNED = /^-?\d+$/;

describe("markets", () => {
  const paused = { ...market, marketId: 2, name: "PAUSED", status: "Paused" } as const;

  it("the list of markets has the active ones alone [10]", async () => {
    await using world = await openWorld({ markets: [market, paused] });
    expect(await world.client.exchange.marketIds()).toEqual([1]);
    expect(Array.isArray((await world.get("/v1/markets")).json)).toBe(true);
  });

  it("a market is read by its id in any status [11a]", async () => {
    await using world = await openWorld({ markets: [market, paused] });
    expect(await world.client.exchange.market(2)).toMatchObject({ marketId: 2, status: "Paused" });
  });

  it("a market that is not there is 404, what is no market id 400 [11a]", async ({ world }) => {
    await expect(world.client.exchange.market(9)).rejects.toMatchObject({ httpStatus: 404, reason: "UNKNOWN_MARKET" });
    expect((await world.get("/v1/markets/65536")).status).toBe(400);
  });

  it("a market has the fields of S2.2 with their types and units [11b]", async ({ world }) => {
    await world.run(order());
    await world.control("PATCH", "/oracle/1", { price: "201.5" });
    expect((await world.get("/v1/markets/1")).json).toEqual({
      marketId: 1,
      name: "USA-HPI",
      status: "Active",
      markPrice: "20150000000",
      bestBid: "19900000000",
      bestAsk: null,
      oraclePrice: "20150000000",
      lastOraclePrice: "20000000000",
      oracleStatus: "Active",
      fundingRate: expect.stringMatching(SIGNED),
      openInterestLong: "0",
      openInterestShort: "0",
      maxOpenInterest: "1000000000000",
      initialMarginRatioBps: 500,
      maintenanceMarginRatioBps: 250,
      backstopAccountId: 1,
      feeTiersEndpoint: "/v1/fee-tiers",
      lastOracleTimestamp: START_MS,
      oracleValidUntil: START_SEC + 86_400,
      tickSize: "1000000",
      lastFundingTimestamp: START_SEC,
      fundingIntervalSecs: 3600,
      assetClass: "RealEstate",
      priceBandBps: 1000,
      interestRateMicroBps: expect.any(Number),
      depthThresholdLamports: expect.stringMatching(DIGITS),
      marginTiers: [{ notionalFloor: "0", maxLeverage: 20, maintenanceMarginRatioBps: 250, maintenanceDeduction: "0" }],
    });
  });

  it("a market that printed once has that print for the last one too [11b]", async ({ world }) => {
    expect(await world.client.exchange.market(1)).toMatchObject({ oraclePrice: usd(200), lastOraclePrice: usd(200) });
  });

  it("open interest counts both sides alike [11b]", async ({ world }) => {
    await trade(world, { side: "buy", price: usd(200), size: contracts(3) });
    const { openInterestLong, openInterestShort } = await world.client.exchange.market(1);
    expect([openInterestLong, openInterestShort]).toEqual([contracts(3), contracts(3)]);
  });

  it("the order book has prices and sizes as text and counts as numbers, best first [12]", async ({ world }) => {
    await world.run(order());
    await world.run(order({ size: contracts(2) }));
    await world.run(order({ price: usd(198) }));
    await world.run(bobs({ price: usd(201), size: contracts(0.5) }), bob);
    expect((await world.get("/v1/markets/1/orderbook")).json).toEqual({
      marketId: 1,
      bids: [
        { price: "19900000000", size: "3000000", orderCount: 2 },
        { price: "19800000000", size: "1000000", orderCount: 1 },
      ],
      asks: [{ price: "20100000000", size: "500000", orderCount: 1 }],
    });
    const { bids } = await world.client.exchange.book(1);
    expect(bids[0]).toEqual({ price: usd(199), size: contracts(3), orderCount: 2 });
  });

  it("the funding state has rate and index as signed text, and the cap [13]", async ({ world }) => {
    expect((await world.get("/v1/markets/1/funding")).json).toEqual({
      marketId: 1,
      fundingRate: expect.stringMatching(SIGNED),
      cumulativeFunding: expect.stringMatching(SIGNED),
      lastFundingTimestamp: START_SEC,
      fundingIntervalSecs: 3600,
      maxFundingRateBps: 625,
    });
    expect((await world.client.exchange.funding(1)).marketId).toBe(1);
  });

  it("recent trades have the taker's side, snake_case ids and ms, newest first [14]", async ({ world }) => {
    await trade(world, { side: "buy", price: usd(200), size: contracts(1) });
    await world.advance(1000);
    await trade(world, { side: "sell", price: usd(199), size: contracts(2) });
    const { json } = await world.get("/v1/markets/1/trades");
    expect(json).toEqual([
      {
        price: "19900000000",
        size: "2000000",
        side: "Short",
        timestamp: START_MS + 1000,
        taker_order_id: expect.any(Number),
        maker_order_id: expect.any(Number),
        tx_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      expect.objectContaining({ side: "Long", timestamp: START_MS }),
    ]);
    expect((await world.client.exchange.trades(1))[0]).toMatchObject({ takerSide: "sell", size: contracts(2) });
  });
});

describe("oracle", () => {
  it("the current state has ms, yyyymmdd and seconds [15]", async ({ world }) => {
    expect((await world.get("/v1/oracle/1")).json).toEqual({
      marketId: 1,
      price: "20000000000",
      lastUpdateTimestamp: START_MS,
      lastUpdateDate: 20_260_921,
      status: "Active",
      validUntil: START_SEC + 86_400,
    });
    expect(await world.client.exchange.oracle(1)).toMatchObject({ price: usd(200), status: "Active" });
  });

  it("the history of real estate has one point a day, in seconds, the day's last print [16]", async ({ world }) => {
    await world.control("PATCH", "/oracle/1", { price: "201" });
    await world.advance(DAY_MS);
    await world.control("PATCH", "/oracle/1", { price: "202" });
    const history = await world.client.exchange.oracleHistory(1);
    expect(history).toEqual({
      marketId: 1,
      prices: [
        { timeSec: START_SEC, price: usd(201) },
        { timeSec: START_SEC + 86_400, price: usd(202) },
      ],
    });
    expect((await world.get("/v1/oracle/1/history")).json).toMatchObject({
      prices: [{ time: START_SEC, price: "20100000000" }, {}],
    });
  });
});

describe("configuration of the exchange", () => {
  it("fee tiers carry their asset class; a negative maker fee is a rebate [17]", async ({ world }) => {
    expect((await world.get("/v1/fee-tiers")).json).toEqual({
      tier_count: 1,
      tiers: [{ asset_class: "RealEstate", min_volume_30d: "0", maker_fee_bps: -1, taker_fee_bps: 5 }],
    });
    expect(await world.client.exchange.feeTiers()).toEqual([
      { assetClass: "RealEstate", minVolume30d: 0n, makerFeeBps: -1, takerFeeBps: 5 },
    ]);
  });

  it("the treasury's settings are whole numbers as text, the activation fee among them [18]", async () => {
    await using world = await openWorld({ openOrderCap: 77 });
    const { json } = await world.get("/v1/treasury-config");
    expect(Object.values(json).every((value) => DIGITS.test(String(value)))).toBe(true);
    expect(json).toMatchObject({ account_activation_fee_usdc: "1000000", open_order_cap: "77" });
    const { exchange } = world.client;
    expect(await exchange.activationFee()).toBe(dollars(1));
    expect(await exchange.openOrderCap()).toBe(77);
    expect(await exchange.treasury()).toMatchObject({ subaccountMax: 50, subaccountFirstCount: 10 });
  });

  it("a market's interest rate, depth threshold and funding cap are its own [13]", async () => {
    const own = { interestRateMicroBps: 7, depthThreshold: dollars(50), maxFundingRateBps: 3 };
    await using world = await openWorld({ markets: [{ ...market, ...own }] });
    expect(await world.client.exchange.market(1)).toMatchObject({
      interestRateMicroBps: 7,
      depthThresholdLamports: 50_000_000n,
    });
    expect(await world.client.exchange.funding(1)).toMatchObject({ maxFundingRateBps: 3 });
  });

  it("node info is snake_case and follows the chain [19]", async ({ world }) => {
    await world.advance(5000);
    const { height, stateRoot } = (await world.ask("GET", "/state")).json as { height: number; stateRoot: string };
    expect((await world.get("/v1/node/info")).json).toEqual({
      protocol_version: 1,
      binary_version: 1,
      build_sha: expect.any(String),
      block_height: height,
      block_timestamp: START_SEC + 5,
      state_root: stateRoot,
      chain_id: "venue-v4:devnet:chain-2",
    });
    expect(await world.client.exchange.node()).toMatchObject({ blockHeight: height, stateRoot });
  });

  it("the insurance fund has balance and total as text [20]", async ({ world }) => {
    expect((await world.get("/v1/insurance-fund")).json).toEqual({
      balance: expect.stringMatching(DIGITS),
      shortfall: expect.stringMatching(DIGITS),
      totalDeposited: expect.stringMatching(DIGITS),
    });
    expect((await world.client.exchange.insuranceFund()).balance).toBeTypeOf("bigint");
  });

  it("token 0 is USDC, token 1 NATIVE, with sources and capabilities [21]", async ({ world }) => {
    expect((await world.get("/v1/tokens")).json).toMatchObject({
      tokens: [
        {
          id: 0,
          symbol: "USDC",
          decimals: 6,
          name: expect.any(String),
          representations: [{ source: expect.any(String) }],
        },
        { id: 1, symbol: "NATIVE", decimals: 6 },
      ],
      capabilities: { genericTransfers: true, atomicSubaccountClosure: true },
    });
    const { tokens, capabilities } = await world.client.exchange.tokens();
    expect(tokens.map(({ id }) => id)).toEqual([0, 1]);
    expect(capabilities).toEqual({ genericTransfers: true, atomicSubaccountClosure: true });
  });
});

describe("bridge", () => {
  const withdrawal = (amount: bigint, tokenId = 0) =>
    ({
      type: "RequestWithdrawal",
      accountId: order().accountId,
      tokenId,
      amount,
      destination: "there",
    }) as const;

  it("the state has window, limits, use and pending totals in smallest units [22, 120]", async ({ world }) => {
    await world.control("POST", "/bridge/deposits", { owner: carol.publicKey, usdc: "10" });
    await world.run(withdrawal(2n, 1), alice);
    const state = await world.client.exchange.bridge();
    expect(state).toMatchObject({ withdrawalWindowSecs: 86_400, owner: null });
    const [usdcToken, nativeToken] = state.tokens;
    expect(usdcToken).toMatchObject({ tokenId: 0, depositUsed: dollars(10), withdrawalUsed: 0n });
    expect(nativeToken).toMatchObject({ tokenId: 1, depositUsed: 0n, withdrawalUsed: 2n });
    const { json } = await world.get("/v1/bridge/state");
    expect(json).not.toHaveProperty("owner");
    expect(json).not.toHaveProperty("unclaimed_usdc");
  });

  it("each token shows its availability and limits, and they hold [22]", async () => {
    const limit = { usdc: dollars(10), native: native(3n) };
    const bridge = { deposits: { enabled: true, limit }, withdrawals: { enabled: true, limit } };
    await using world = await openWorld({ bridge });
    expect((await world.client.exchange.bridge()).tokens).toMatchObject([
      { tokenId: 0, depositLimit: dollars(10), withdrawalLimit: dollars(10) },
      { tokenId: 1, depositLimit: 3n, withdrawalLimit: 3n },
    ]);
    const deposit = (of: object) => world.ask("POST", "/bridge/deposits", { owner: carol.publicKey, ...of });
    const over = { status: 400, json: { code: "BridgeLimit" } };
    expect(await deposit({ usdc: "10.000001" })).toMatchObject(over);
    expect(await deposit({ native: "0.000004" })).toMatchObject(over);
    expect(await deposit({ usdc: "10" })).toMatchObject({ status: 200 });
    expect(await deposit({ usdc: "0.000001" })).toMatchObject(over);
    expect(await world.submit(withdrawal(dollars(11)), alice)).toMatchObject({ kind: "refused" });
  });

  it("bridge and token registry report a closed direction, which lets nothing pass [22]", async () => {
    const closed = { ...config.bridge.deposits, enabled: false };
    await using world = await openWorld({ bridge: { deposits: closed, withdrawals: closed } });
    const { exchange } = world.client;
    expect(await exchange.bridge()).toMatchObject({ depositsEnabled: false, withdrawalsEnabled: false });
    for (const { representations } of (await exchange.tokens()).tokens)
      expect(representations).toEqual([{ source: "bridge", depositEnabled: false, withdrawalEnabled: false }]);
    const body = { owner: carol.publicKey, usdc: "10" };
    expect(await world.ask("POST", "/bridge/deposits", body)).toMatchObject({ json: { code: "BridgeClosed" } });
    expect(await world.submit(withdrawal(1n), alice)).toMatchObject({
      kind: "refused",
      error: expect.stringContaining("no withdrawals"),
    });
  });

  it("with an owner it tells what awaits that key, which needs no account [23]", async ({ world }) => {
    const { exchange } = world.client;
    expect(await exchange.unclaimed(carol.publicKey)).toEqual({ owner: carol.publicKey, unclaimedUsdc: 0n });
    expect((await world.get(`/v1/bridge/state?owner=${carol.publicKey}`)).json).toMatchObject({ unclaimed_usdc: "0" });
    await world.control("POST", "/bridge/deposits", { owner: carol.publicKey, usdc: "12.5" });
    expect(await exchange.unclaimed(carol.publicKey)).toMatchObject({ unclaimedUsdc: usdc(12_500_000n) });
  });

  it("the owner comes back as 64 lowercase hex characters, however it was asked for [23]", async ({ world }) => {
    const asked = `0x${carol.publicKey.toUpperCase()}`;
    expect((await world.get(`/v1/bridge/state?owner=${asked}`)).json).toMatchObject({ owner: carol.publicKey });
  });

  it.each(["", "xyz", "0x", `${carol.publicKey}00`])("a malformed owner is 400: %j [23]", async (owner) => {
    await using world = await openWorld();
    await expect(world.client.exchange.unclaimed(owner)).rejects.toMatchObject({ httpStatus: 400 });
  });
});
