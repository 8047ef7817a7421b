// The reads of S4.1 and S4.2: written as S2 shows them, read as leniently as is safe.

import { describe, expect, test } from "vitest";
import { accountId, native, orderId, price, size, usdc } from "../../../../src/domain/units.ts";
import { type Json, parseJson, stringifyJson } from "../../../../src/kernel/json.ts";
import type { Kind } from "../../../../src/wire/description.ts";
import {
  account as accountKind,
  order as orderKind,
  readOpenOrders,
  readOrder,
  readPositions,
  readRateLimit,
} from "../../../../src/wire/rest/accounts.ts";
import * as exchange from "../../../../src/wire/rest/exchange.ts";
import * as markets from "../../../../src/wire/rest/markets.ts";
import { ownedAccounts } from "../../../../src/wire/rest/owners.ts";
import { faultOf } from "../fault-of.ts";

const owner = "0f".repeat(32);
const carried = (json: Json): unknown => parseJson(stringifyJson(json));
const said = <T>(kind: Pick<Kind<T>, "text">, value: T): Readonly<Record<string, Json>> =>
  parseJson(kind.text(value)) as Readonly<Record<string, Json>>;

const market = {
  marketId: 1,
  name: "USA-HPI",
  status: "Active",
  markPrice: price(21_694_000_000n),
  bestBid: price(21_690_000_000n),
  bestAsk: null,
  oraclePrice: price(21_694_000_000n),
  lastOraclePrice: price(21_680_000_000n),
  oracleStatus: "Active" as const,
  fundingRate: -15_800n,
  openInterestLong: size(37_460_000n),
  openInterestShort: size(37_460_000n),
  maxOpenInterest: size(1_000_000_000n),
  initialMarginRatioBps: 500,
  maintenanceMarginRatioBps: 250,
  backstopAccountId: accountId(2n ** 64n - 1n),
  feeTiersEndpoint: "/v1/fee-tiers",
  lastOracleTimestampMs: 1_790_000_000_000,
  oracleValidUntilSec: 1_790_086_400,
  tickSize: price(1_000_000n),
  lastFundingTimestampSec: 1_789_999_200,
  fundingIntervalSecs: 3600,
  assetClass: "RealEstate",
  priceBandBps: 1000,
  interestRateMicroBps: 64,
  depthThresholdLamports: 5_000_000_000n,
  marginTiers: [
    { notionalFloor: usdc(0n), maxLeverage: 20, maintenanceMarginRatioBps: 250, maintenanceDeduction: usdc(0n) },
  ],
};

const flatTier = { notionalFloor: "0", maxLeverage: 20, maintenanceMarginRatioBps: 250, maintenanceDeduction: "0" };
const tier = (change: object) => ({ ...flatTier, ...change });

describe("market (S2.2)", () => {
  const text = markets.market.text(market);

  const changed = (change: Readonly<Record<string, unknown>>) => ({ ...(parseJson(text) as object), ...change });

  test("is read with numbers for text, text for numbers, and members that nobody knows", () => {
    const loose = changed({ markPrice: 21_694_000_000, marketId: "1", makerFeeBps: 0, backstopAccountId: 5n });
    expect(markets.market.read(loose)).toEqual({ ...market, backstopAccountId: 5n });
  });

  test("a side that is left out is an empty side", () => {
    const { bestBid: _bid, bestAsk: _ask, ...rest } = parseJson(text) as Record<string, unknown>;
    expect(markets.market.read(rest)).toMatchObject({ bestBid: null, bestAsk: null });
  });

  test("any word of a status is kept, a known one in any case is that one, and none is Unknown", () => {
    expect(markets.market.read(changed({ status: "PostOnly\u0007", oracleStatus: "Open" }))).toMatchObject({
      status: "PostOnly\\u0007",
      oracleStatus: "Open",
    });
    expect(markets.market.read(changed({ status: "ACTIVE", oracleStatus: "active" }))).toEqual(market);
    expect(markets.market.read(changed({ oracleStatus: null })).oracleStatus).toBe("Unknown");
    expect(markets.market.read(changed({ status: "" })).status).toBe("Unknown");
  });

  test("the funding time is understood in milliseconds too: its unit is not documented", () => {
    expect(markets.market.read(changed({ lastFundingTimestamp: 1_789_999_200_999 }))).toEqual(market);
  });

  test("id, status, tick, oracle price and margin ratios are enough", () => {
    const least = {
      ...{ id: "1", status: "Active", oraclePrice: "21694000000", tickSize: "1000000" },
      ...{ initial_margin_ratio_bps: "500", maintenance_margin_ratio_bps: 250 },
    };
    expect(markets.market.read(least)).toEqual({
      ...{ marketId: 1, name: "market 1", status: "Active", oracleStatus: "Unknown", assetClass: "" },
      ...{ oraclePrice: 21_694_000_000n, lastOraclePrice: null, markPrice: null, bestBid: null, bestAsk: null },
      ...{ openInterestLong: null, openInterestShort: null, maxOpenInterest: null },
      ...{ initialMarginRatioBps: 500, maintenanceMarginRatioBps: 250, marginTiers: market.marginTiers },
      ...{ backstopAccountId: null, feeTiersEndpoint: null, tickSize: 1_000_000n },
      ...{ lastOracleTimestampMs: 0, oracleValidUntilSec: 0, lastFundingTimestampSec: 0, fundingIntervalSecs: 3600 },
      ...{ fundingRate: null, priceBandBps: null, interestRateMicroBps: null, depthThresholdLamports: null },
    });
  });

  test.each([[null], [[]]])("a margin schedule of %j is the flat one of the two ratios", (marginTiers) => {
    expect(markets.market.read(changed({ marginTiers }))).toEqual(market);
  });

  test.each(["tickSize", "oraclePrice", "status", "initialMarginRatioBps", "maintenanceMarginRatioBps", "marketId"])(
    "without %s there is no market",
    (name) => {
      expect(faultOf(() => markets.market.read(changed({ [name]: null })))).toBe(`field_missing ${name}`);
    },
  );

  test.each([
    [{ markPrice: "216.94" }, "field_type markPrice"],
    [{ markPrice: 216.94 }, "field_type markPrice"],
    [{ markPrice: "-1" }, "field_range markPrice"],
    [{ markPrice: true }, "field_type markPrice"],
    [{ marketId: "1152921504606846976" }, "field_range marketId"],
    [{ marginTiers: [{}] }, "field_missing marginTiers.0.notionalFloor"],
    [{ name: {} }, "field_type name"],
  ])("%j is a fault", (change, fault) => {
    expect(faultOf(() => markets.market.read(changed(change)))).toBe(fault);
  });

  test.each([
    [{ marginTiers: [tier({ notionalFloor: "1" })] }, "field_range marginTiers"],
    [{ marginTiers: [tier({}), tier({})] }, "field_conflict marginTiers.1.notionalFloor"],
    [{ marginTiers: [tier({ maxLeverage: 0 })] }, "field_range marginTiers.0.maxLeverage"],
    [{ marginTiers: [tier({ maxLeverage: -20 })] }, "field_range marginTiers.0.maxLeverage"],
    [{ marginTiers: [tier({ maintenanceMarginRatioBps: 0 })] }, "field_range marginTiers.0.maintenanceMarginRatioBps"],
    [{ marginTiers: [tier({ maintenanceDeduction: "1" })] }, "field_conflict marginTiers.0.maintenanceDeduction"],
    [{ tickSize: "0" }, "field_range tickSize"],
    [{ tickSize: `1${"0".repeat(24)}` }, "field_conflict tickSize"],
    [{ tickSize: "2169400001" }, "field_conflict tickSize"],
    [{ oraclePrice: "0" }, "field_range oraclePrice"],
    [{ oraclePrice: "-21694000000" }, "field_range oraclePrice"],
    [{ markPrice: 0 }, "field_range markPrice"],
    [{ initialMarginRatioBps: 0 }, "field_range initialMarginRatioBps"],
    [{ initialMarginRatioBps: -500 }, "field_range initialMarginRatioBps"],
    [{ initialMarginRatioBps: 10_001 }, "field_range initialMarginRatioBps"],
    [{ maintenanceMarginRatioBps: -250 }, "field_range maintenanceMarginRatioBps"],
    [{ maintenanceMarginRatioBps: 501 }, "field_conflict maintenanceMarginRatioBps"],
    [{ fundingIntervalSecs: 0 }, "field_range fundingIntervalSecs"],
    [{ fundingIntervalSecs: 2 ** 40 }, "field_range fundingIntervalSecs"],
    [{ lastFundingTimestamp: -1 }, "field_range lastFundingTimestamp"],
    [{ oracleValidUntil: -1 }, "field_range oracleValidUntil"],
    [{ priceBandBps: -1 }, "field_range priceBandBps"],
    [{ marketId: 65_536 }, "field_range marketId"],
  ])("%j means nothing, and is refused", (change, fault) => {
    expect(faultOf(() => markets.market.read(changed(change)))).toBe(fault);
  });

  test("a market that is described badly is listed all the same: orders in it must be found", () => {
    expect(markets.readMarketIds([parseJson(text), changed({ marketId: 2, tickSize: "0" })])).toEqual([1, 2]);
  });

  test("in a list, a fault names its place", () => {
    expect(faultOf(() => markets.readMarketIds([parseJson(text), changed({ marketId: "x" })]))).toBe(
      "field_type 1.marketId",
    );
    expect(faultOf(() => markets.readMarketIds({ data: [{ id: "x" }] }))).toBe("field_type data.0.marketId");
  });

  test("a list may come in an envelope with exactly one list in it", () => {
    expect(markets.readMarketIds({ total: 1, data: [parseJson(text)] })).toEqual([1]);
    expect(markets.readMarketIds({ markets: [] })).toEqual([]);
    expect(markets.readMarketIds({ data: [], error: null })).toEqual([]);
    const odd = [{}, { markets: [], more: [] }, { markets: {} }, { errors: [] }, { error: "no", data: [] }];
    for (const none of [...odd, null, "[]", 5]) expect(faultOf(() => markets.readMarketIds(none))).toBe("field_type");
  });
});

test("an oracle's times are understood in milliseconds, seconds and as dates", () => {
  const oracle = {
    marketId: 1,
    price: price(21_694_000_000n),
    lastUpdateTimestampMs: 1_790_000_000_000,
    lastUpdateDate: 20_260_921,
    status: "Stale" as const,
    validUntilSec: 1_790_086_400,
  };
  const changed = (change: object) => markets.oracle.read({ ...(said(markets.oracle, oracle) as object), ...change });
  expect(changed({ status: "Paused" })).toEqual({ ...oracle, status: "Paused" });
  expect(changed({ validUntil: 1_790_086_400_000, lastUpdateTimestamp: 1_790_000_000 })).toEqual(oracle);
  expect(changed({ validUntil: "2026-09-22T14:13:20Z", lastUpdateTimestamp: "2026-09-21T14:13:20.000Z" })).toEqual(
    oracle,
  );
  // Not told: whoever compares it takes the print for expired.
  for (const validUntil of [null, 0, "0", undefined]) expect(changed({ validUntil }).validUntilSec).toBe(0);
  expect(markets.oracle.read({ marketId: 1, price: "5", status: "active" })).toEqual({
    ...{ marketId: 1, price: 5n, status: "Active", lastUpdateTimestampMs: 0, lastUpdateDate: null, validUntilSec: 0 },
  });
});

test("a book's level that does not say how many orders it is of is taken for one", () => {
  const [bid] = markets.book.read({ market_id: 1, bids: [{ price: 5, quantity: "6" }], asks: [] }).bids;
  expect(bid).toEqual({ price: 5n, size: 6n, orderCount: 1 });
});

test("of funding, market and rate are enough", () => {
  expect(markets.funding.read({ marketId: 1, funding_rate: 5 })).toEqual({
    ...{ marketId: 1, fundingRate: 5n, cumulativeFunding: null, lastFundingTimestampSec: 0 },
    ...{ fundingIntervalSecs: 3600, maxFundingRateBps: 10_000 },
  });
});

test("fee tiers are read in camelCase too", () => {
  const tiers = [{ assetClass: "RealEstate", minVolume30d: usdc(0n), makerFeeBps: -1, takerFeeBps: 5 }];
  const camel = { tiers: [{ assetClass: "RealEstate", minVolume30d: 0, makerFeeBps: -1, takerFeeBps: "5" }] };
  expect(markets.feeTiers.read(camel)).toEqual(tiers);
});

test("a part of a basis point is a whole one, so that no fee is expected to be less than it is", () => {
  const read = (makerFeeBps: Json, takerFeeBps: Json) => markets.feeTiers.read([{ makerFeeBps, takerFeeBps }]);
  const tier = { assetClass: "", minVolume30d: 0n };
  expect(read(-0.5, 2.5)).toEqual([{ ...tier, makerFeeBps: 0, takerFeeBps: 3 }]);
  expect(read("-1.5", "0.10")).toEqual([{ ...tier, makerFeeBps: -1, takerFeeBps: 1 }]);
  expect(faultOf(() => read("1.x", 1))).toBe("field_type 0.maker_fee_bps");
});

test("an earlier build tag stands in for node info's build", () => {
  const node = {
    protocolVersion: 4,
    binaryVersion: 9,
    buildSha: "abc",
    blockHeight: 77,
    blockTimestampSec: 1_790_000_000,
    stateRoot: "00ff",
    chainId: "venue-v4:devnet:chain-2",
  };
  const { build_sha, ...rest } = said(exchange.node, node) as Record<string, Json>;
  expect(exchange.node.read({ ...rest, build_tag: build_sha, block_timestamp: 1_790_000_000_500 })).toEqual(node);
  expect(faultOf(() => exchange.node.read({ ...rest, build_sha, chain_id: undefined }))).toBe("field_missing chain_id");
});

describe("treasury config", () => {
  test.each([
    [{ open_order_cap: "200" }, 200],
    [{ openOrderCap: 150 }, 150],
    [{ max_open_orders: 100 }, 100],
    [{ orders: { openOrderCap: "90" } }, 90],
    [{ orders: [], caps: "200" }, null],
    [{}, null],
  ])("the open-order cap in %j is %s", (json, cap) => {
    expect(exchange.readOpenOrderCap(json)).toBe(cap);
  });

  test("a cap that is no number is a fault, not no cap", () => {
    expect(faultOf(() => exchange.readOpenOrderCap({ open_order_cap: "many" }))).toBe("field_type open_order_cap");
    expect(faultOf(() => exchange.activationFee.read({}))).toBe("field_missing account_activation_fee_usdc");
    expect(exchange.activationFee.read({ account_activation_fee_usdc: "5" }).accountActivationFee).toBe(5n);
  });
});

test("a capability that is not told is not there", () => {
  expect(exchange.tokenRegistry.read({ tokens: [] }).capabilities).toEqual({
    genericTransfers: false,
    atomicSubaccountClosure: false,
  });
});

const order = {
  orderId: orderId(2n ** 64n - 1n),
  accountId: accountId(12n),
  marketId: 1,
  side: "buy" as const,
  orderType: "Limit" as const,
  price: price(21_694_000_000n),
  size: size(10n),
  filledSize: size(4n),
  remainingSize: size(6n),
  triggerPrice: null,
  reduceOnly: true,
  postOnly: true,
  timeInForce: "GTC" as const,
  status: "PartiallyFilled",
  takeProfit: { triggerPrice: price(9n) },
  stopLoss: null,
  createdAtMs: 1_790_000_000_000,
  updatedAtMs: 1_790_000_000_001,
};

const position = {
  marketId: 1,
  side: "sell" as const,
  size: size(5n),
  entryPrice: price(6n),
  unrealizedPnl: usdc(-7n),
  cumulativeFunding: -8n,
  lastOraclePrice: price(9n),
  openedAtMs: 1_790_000_000_000,
  marginMode: "Cross" as const,
  leverage: 20,
  isolatedMargin: usdc(0n),
  tierGrandfathered: false,
};

describe("account (S2.6)", () => {
  const account = {
    accountId: accountId(12n),
    owner,
    mode: "Cross" as const,
    collateral: usdc(-1n),
    availableCollateral: usdc(0n),
    nativeBalance: native(3n),
    positions: [position],
    openOrders: [order],
    unreadable: [],
    createdAtMs: 1_790_000_000_000,
    volume30d: usdc(2n ** 60n),
    feeTierVolume30d: usdc(5n),
    lifetimeVolume: usdc(6n),
    pendingActivation: false,
    pendingActivationFeeUsdc: null,
    agents: [],
  };

  test("keys of agents carry 0x, and are read without it", () => {
    const agents = [{ pubkey: owner, name: "bot", expiresAtSec: null }];
    const written = said(accountKind, { ...account, agents, pendingActivationFeeUsdc: usdc(1n) }) as object;
    expect(written).toMatchObject({ agents: [{ pubkey: `0x${owner}`, name: "bot", expiresAt: null }] });
    expect(accountKind.read(written).agents).toEqual(agents);
    const bare = { ...written, agents: [{ pubkey: owner.toUpperCase(), name: "bot" }] };
    expect(accountKind.read(bare).agents).toEqual(agents);
  });

  describe("one thing that cannot be read leaves the rest readable", () => {
    const written = said(accountKind, account) as { openOrders: object[]; positions: object[] };
    const [good] = written.openOrders;
    const unread = { what: "order", orderId: order.orderId, marketId: 1, side: "buy" };

    test.each<[string, unknown, object]>([
      ["no price", { price: null }, { ...unread, why: "price: is required" }],
      ["no size", { size: undefined, remainingSize: undefined }, { ...unread, why: "size: is required" }],
      ["a type that nobody knows", { orderType: "Pegged" }, unread],
      ["sizes that contradict each other", { remainingSize: "99999999999999" }, unread],
      ["a side that nobody knows", { side: "Both" }, { ...unread, side: null }],
      ["no market", { marketId: null }, { ...unread, marketId: null }],
      ["no id", { orderId: "x" }, { ...unread, orderId: null }],
    ])("an order with %s", (_, change, item) => {
      const read = accountKind.read({ ...written, openOrders: [{ ...good, ...(change as object) }, good] });
      expect(read.openOrders).toEqual(account.openOrders);
      expect(read.unreadable).toEqual([expect.objectContaining(item)]);
    });

    test.each([null, "order", []])("%j for an order", (item) => {
      expect(accountKind.read({ ...written, openOrders: [item] }).unreadable).toEqual([
        { what: "order", orderId: null, marketId: null, side: null, why: "must be an object" },
      ]);
    });

    test("members that nobody needs may be anything", () => {
      const odd = {
        reduceOnly: 1,
        postOnly: "x",
        status: 5,
        takeProfit: 5,
        stopLoss: [],
        createdAt: "x",
        updatedAt: -1,
      };
      const read = accountKind.read({ ...written, openOrders: [{ ...good, ...odd }] });
      expect(read.unreadable).toEqual([]);
      expect(read.openOrders?.[0]).toMatchObject({ reduceOnly: false, takeProfit: null, createdAtMs: 0 });
    });

    test("an order without a price of its own needs none", () => {
      const read = accountKind.read({
        ...written,
        openOrders: [{ ...good, orderType: "StopMarket", triggerPrice: "5", price: null }],
      });
      expect(read.openOrders?.[0]).toMatchObject({ price: 0n, triggerPrice: 5n });
    });

    const [held] = written.positions;
    test.each<[string, object, object]>([
      ["a negative isolated margin", { isolated_margin: "-5" }, { isolatedMargin: -5n }],
      ["an odd leverage", { leverage: "max", openedAt: null, tierGrandfathered: null }, { leverage: 0 }],
      ["an unknown margin mode", { margin_mode: "Portfolio" }, { marginMode: "Cross" }],
      ["no profit", { unrealizedPnl: null, cumulativeFunding: "x" }, { unrealizedPnl: null, cumulativeFunding: null }],
    ])("a position with %s is read", (_, change, position) => {
      const read = accountKind.read({ ...written, positions: [{ ...held, ...change }] });
      expect(read.positions).toEqual([expect.objectContaining(position)]);
      expect(read.unreadable).toEqual([]);
    });

    test("a position of unknown size, and one that is named twice, are none of ours to guess", () => {
      const { marketId } = account.positions[0]!;
      const unreadable = { what: "position", orderId: null, marketId };
      expect(accountKind.read({ ...written, positions: [{ ...held, size: null }] })).toMatchObject({
        positions: [],
        unreadable: [{ ...unreadable, why: "size: is required" }],
      });
      expect(accountKind.read({ ...written, positions: [{ ...held, entryPrice: "0" }] })).toMatchObject({
        positions: [],
        unreadable: [{ ...unreadable, why: "entryPrice: must be above 0 where size is" }],
      });
      expect(accountKind.read({ ...written, positions: [held, held] })).toMatchObject({
        positions: [],
        unreadable: [{ ...unreadable, side: null, why: "the market is named twice" }],
      });
    });

    test("an agent that cannot be read is none", () => {
      const agents = [{ pubkey: 5 }, { pubkey: owner, name: "bot" }];
      expect(accountKind.read({ ...written, agents }).agents).toHaveLength(1);
    });

    test.each([[undefined], [null]])("%j for one of its lists is no empty list: it was not told", (none) => {
      expect(accountKind.read({ ...written, openOrders: none })).toMatchObject({ openOrders: null });
      expect(accountKind.read({ ...written, positions: none })).toMatchObject({ positions: null });
    });

    test.each([[{}], ["[]"], [{ one: [], other: [] }]])("%j for one of its lists spoils the whole", (none) => {
      expect(faultOf(() => accountKind.read({ ...written, openOrders: none }))).toBe("field_type openOrders");
      expect(faultOf(() => accountKind.read({ ...written, positions: none }))).toBe("field_type positions");
    });

    test("whether activation is pending is told by its fee where it is not told itself", () => {
      const { pendingActivation: _, ...silent } = written as Record<string, unknown>;
      expect(accountKind.read(silent).pendingActivation).toBe(false);
      expect(accountKind.read({ ...silent, pendingActivationFeeUsdc: "5" }).pendingActivation).toBe(true);
    });

    test("orders that are ids alone are not told", () => {
      for (const openOrders of [[7], ["7"], [2n ** 63n, 8]])
        expect(accountKind.read({ ...written, openOrders }).openOrders).toBeNull();
    });

    test("id, collateral and the two lists are enough", () => {
      expect(accountKind.read({ account_id: "12", collateral: 5, orders: { data: [] }, positions: [] })).toEqual({
        ...{ accountId: 12n, collateral: 5n, openOrders: [], positions: [], unreadable: [], agents: [] },
        ...{ owner: null, mode: "Cross", availableCollateral: null, nativeBalance: 0n, createdAtMs: null },
        ...{ volume30d: null, feeTierVolume30d: null, lifetimeVolume: null },
        ...{ pendingActivation: false, pendingActivationFeeUsdc: null },
      });
      expect(faultOf(() => accountKind.read({ accountId: 12, positions: [], openOrders: [] }))).toBe(
        "field_missing collateral",
      );
    });

    test("a row of another account spoils the whole", () => {
      const other = { ...good, accountId: 13 };
      expect(faultOf(() => accountKind.read({ ...written, openOrders: [good, other] }))).toBe(
        "field_conflict openOrders.1.accountId",
      );
      expect(faultOf(() => accountKind.read({ ...written, positions: [{ ...held, account_id: "13" }] }))).toBe(
        "field_conflict positions.0.accountId",
      );
    });
  });

  describe("its lists, read alone", () => {
    const { openOrders, positions } = said(accountKind, account) as {
      openOrders: readonly object[];
      positions: readonly object[];
    };
    const [listed, held] = [openOrders[0], positions[0]];
    const own = account.accountId;

    test("say what the account says", () => {
      expect(readOpenOrders(openOrders, own)).toEqual({ openOrders: account.openOrders, unreadable: [] });
      expect(readPositions(positions, own)).toEqual({ positions: account.positions, unreadable: [] });
      expect(readOpenOrders([], own)).toEqual({ openOrders: [], unreadable: [] });
      expect(readPositions([], own)).toEqual({ positions: [], unreadable: [] });
    });

    test("an order or a position that cannot be read stands apart", () => {
      expect(readOpenOrders([{ ...listed, price: null }, listed], own)).toEqual({
        openOrders: account.openOrders,
        unreadable: [{ what: "order", orderId: order.orderId, marketId: 1, side: "buy", why: "price: is required" }],
      });
      expect(readPositions([held, held], own)).toEqual({
        positions: [],
        unreadable: [{ what: "position", orderId: null, marketId: 1, side: null, why: "the market is named twice" }],
      });
    });

    test.each([
      [null, "field_null"],
      [{}, "field_type"],
      ["[]", "field_type"],
      [{ openOrders: [], positions: [] }, "field_type"],
    ])("%j is no list", (none, code) => {
      expect(faultOf(() => readOpenOrders(none, own))).toBe(code);
      expect(faultOf(() => readPositions(none, own))).toBe(code);
    });

    test("a row of another account spoils them", () => {
      expect(faultOf(() => readOpenOrders([{ ...listed, accountId: 13 }], own))).toBe("field_conflict 0.accountId");
      expect(faultOf(() => readPositions([{ ...held, accountId: 13 }], own))).toBe("field_conflict 0.accountId");
      expect(readPositions([{ ...held, accountId: 12 }], own).positions).toEqual(account.positions);
    });
  });
});

describe("orders, whose fields are not documented", () => {
  const read = (row: Json) => readOrder(row, accountId(12n));

  test("come back as the devnet writes them", () => {
    expect(read(said(orderKind, order) as Json)).toEqual(order);
  });

  const least = { order_id: 7, market_id: 1, side: "Short", price: "5", size: "10" };

  test("with the least that is needed are read as the most exposure", () => {
    expect(read(least)).toEqual({
      ...order,
      orderId: 7n,
      side: "sell",
      price: 5n,
      filledSize: 0n,
      remainingSize: 10n,
      reduceOnly: false,
      postOnly: false,
      status: "Open",
      takeProfit: null,
      createdAtMs: 0,
      updatedAtMs: 0,
      unclearSize: "alone",
    });
  });

  test("say where their one size may be the whole or what remains", () => {
    expect(read({ ...least, filled: "4" })).toMatchObject({ size: 10n, filledSize: 4n, unclearSize: "withFilled" });
    // More is filled than that: it is what remains.
    const rest = read({ ...least, filled: "11" });
    expect(rest).toMatchObject({ size: 21n, filledSize: 11n, remainingSize: 10n });
    expect(rest).not.toHaveProperty("unclearSize");
    for (const clear of [{ remaining: "6" }, { original_size: "12" }])
      expect(read({ ...least, ...clear })).not.toHaveProperty("unclearSize");
  });

  test.each([
    [{ size: "10", filled_size: "4" }, 10n, 4n, 6n],
    [{ quantity: "10", filledQuantity: 4 }, 10n, 4n, 6n],
    [{ qty: "10", executedQty: "4" }, 10n, 4n, 6n],
    [{ original_size: "10", size: "6" }, 10n, 4n, 6n],
    [{ origQty: "10", executed: "4" }, 10n, 4n, 6n],
    [{ remaining: "6", filled: "4" }, 10n, 4n, 6n],
    [{ originalSize: "10", remainingSize: "6" }, 10n, 4n, 6n],
    [{ filledSize: "4", remainingSize: "6" }, 10n, 4n, 6n],
    [{ remaining_size: "6" }, 6n, 0n, 6n],
  ])("sizes from %j", (sizes, whole, filled, remaining) => {
    const { size: _size, ...rest } = least;
    expect(read({ ...rest, ...sizes })).toMatchObject({ size: whole, filledSize: filled, remainingSize: remaining });
  });

  test.each([
    ["buy", [{ side: "Buy" }, { side: "LONG" }, { side: "bid" }, { isBuy: true }, { is_buy: true }]],
    ["sell", [{ side: "SELL" }, { side: "short" }, { side: "Ask" }, { isBuy: false }, { direction: "sell" }]],
  ])("%s by any of its words", (side, said) => {
    const { side: _side, ...rest } = least;
    for (const word of said) expect(read({ ...rest, ...word }).side).toBe(side);
  });

  test("are read with words in any case, and with an odd time in force", () => {
    const odd = { orderType: "STOP_LIMIT", trigger_price: 4, timeInForce: "day" };
    expect(read({ ...least, ...odd })).toMatchObject({ orderType: "StopLimit", timeInForce: "GTC" });
    expect(read({ ...least, tif: "gtc" }).timeInForce).toBe("GTC");
  });

  test.each([
    [{ order_id: undefined }, "field_missing orderId"],
    [{ side: undefined }, "field_missing side"],
    [{ market_id: undefined }, "field_missing marketId"],
    [{ price: undefined }, "field_missing price"],
    [{ size: undefined }, "field_missing size"],
    [{ originalSize: "10", filledSize: "11" }, "field_conflict filledSize"],
    [{ remainingSize: "11" }, "field_conflict remainingSize"],
    [{ side: "up" }, "field_type side"],
    [{ orderType: "Iceberg" }, "field_type orderType"],
  ])("%j is a fault", (change, fault) => {
    expect(faultOf(() => readOrder({ ...least, ...change }, accountId(12n)))).toBe(fault);
  });
});

describe("an owner's accounts, wrapped or bare", () => {
  const accounts = [
    { accountId: accountId(12n), masterAccountId: null, isVault: false, pendingActivation: false },
    { accountId: accountId(13n), masterAccountId: accountId(12n), isVault: true, pendingActivation: true },
  ];

  test("come back", () => {
    const written = said(ownedAccounts, accounts) as { accounts: unknown };
    expect(ownedAccounts.read(written)).toEqual(accounts);
    expect(ownedAccounts.read(written.accounts)).toEqual(accounts);
  });

  test("an entry that is silent on its activation may be pending; one that is silent on being a vault is a fault", () => {
    expect(ownedAccounts.read([{ accountId: 1, isVault: false }])).toMatchObject([{ pendingActivation: true }]);
    expect(faultOf(() => ownedAccounts.read([{ accountId: 1 }]))).toBe("field_missing 0.isVault");
    expect(faultOf(() => ownedAccounts.read({ accounts: [{ accountId: 1 }] }))).toBe(
      "field_missing accounts.0.isVault",
    );
  });
});

describe("request budget, in whatever words", () => {
  test("as the devnet tells it", () => {
    const budget = {
      requestsUsed: 5n,
      requestsCap: 100n,
      requestsRemaining: 95n,
      cancelCap: 200n,
      congestionQuota: null,
    };
    expect(readRateLimit(carried(budget))).toEqual({
      requestsUsed: 5n,
      requestsCap: 100n,
      requestsRemaining: 95n,
    });
  });

  test.each([
    [
      { used: 5, limit: "8" },
      { requestsUsed: 5n, requestsCap: 8n, requestsRemaining: 3n, isUnitUnknown: true },
    ],
    [
      { used: 9, cap: 8 },
      { requestsUsed: 9n, requestsCap: 8n, requestsRemaining: 0n, isUnitUnknown: true },
    ],
    [{ remaining: 3 }, { requestsUsed: null, requestsCap: null, requestsRemaining: 3n, isUnitUnknown: true }],
    [{ requests_used: 3 }, { requestsUsed: 3n, requestsCap: null, requestsRemaining: null }],
    [{ budget: {} }, { requestsUsed: null, requestsCap: null, requestsRemaining: null }],
  ])("%j", (json, limit) => {
    expect(readRateLimit(json)).toEqual(limit);
  });
});

describe("what means nothing is refused", () => {
  const json = (value: Json, change: object): unknown => ({ ...(carried(value) as object), ...change });
  const oracle = said(markets.oracle, {
    marketId: 1,
    price: price(1n),
    lastUpdateTimestampMs: 0,
    lastUpdateDate: 20_260_921,
    status: "Active",
    validUntilSec: 0,
  });
  const funding = said(markets.funding, {
    marketId: 1,
    fundingRate: 0n,
    cumulativeFunding: 0n,
    lastFundingTimestampSec: 0,
    fundingIntervalSecs: 1,
    maxFundingRateBps: 0,
  });
  const account = (change: object): unknown => ({
    ...{ accountId: 12, owner, mode: "Cross", collateral: "0", availableCollateral: "0", nativeBalance: "0" },
    ...{ positions: [], openOrders: [], createdAt: 0, volume30d: 0, feeTierVolume30d: 0, lifetimeVolume: 0 },
    ...{ pendingActivation: false, ...change },
  });
  const trade = {
    ...{ price: "1", size: "1", side: "Long", timestamp: 0, taker_order_id: 1, maker_order_id: 2, tx_hash: "00" },
  };
  const book = (level: object) => ({
    marketId: 1,
    asks: [],
    bids: [{ price: "1", size: "1", orderCount: 1, ...level }],
  });

  test.each<[string, () => unknown, string]>([
    [
      "a history that goes back in time",
      () =>
        markets.oracleHistory.read({
          marketId: 1,
          prices: [
            { time: 5, price: "1" },
            { time: 5, price: "1" },
          ],
        }),
      "field_range prices.1.time",
    ],
    [
      "a past price of zero",
      () => markets.oracleHistory.read({ marketId: 1, prices: [{ time: 5, price: "0" }] }),
      "field_range prices.0.price",
    ],
    ["an oracle price of zero", () => markets.oracle.read(json(oracle, { price: "0" })), "field_range price"],
    ["an oracle price below zero", () => markets.oracle.read(json(oracle, { price: -1 })), "field_range price"],
    [
      "a validity before time began",
      () => markets.oracle.read(json(oracle, { validUntil: -1 })),
      "field_range validUntil",
    ],
    [
      "a settlement every 0 s",
      () => markets.funding.read(json(funding, { fundingIntervalSecs: 0 })),
      "field_range fundingIntervalSecs",
    ],
    [
      "a funding cap above all of it",
      () => markets.funding.read(json(funding, { maxFundingRateBps: 10_001 })),
      "field_range maxFundingRateBps",
    ],
    [
      "a funding cap below zero",
      () => markets.funding.read(json(funding, { maxFundingRateBps: -1 })),
      "field_range maxFundingRateBps",
    ],
    ["a level at no price", () => markets.book.read(book({ price: "0" })), "field_range bids.0.price"],
    [
      "a level of fewer than no orders",
      () => markets.book.read(book({ orderCount: -1 })),
      "field_range bids.0.orderCount",
    ],
    ["a trade at no price", () => markets.readTrades([{ ...trade, price: "0" }], 1), "field_range 0.price"],
    ["a trade of nothing", () => markets.readTrades([{ ...trade, size: "0" }], 1), "field_range 0.size"],
    [
      "a fee of more than everything",
      () =>
        markets.feeTiers.read({ tiers: [{ assetClass: "A", minVolume30d: 0, makerFeeBps: 0, takerFeeBps: 10_001 }] }),
      "field_range tiers.0.taker_fee_bps",
    ],
    [
      "fewer than no open orders",
      () => exchange.readOpenOrderCap({ open_order_cap: "-1" }),
      "field_range open_order_cap",
    ],
  ])("%s", (_, decode, fault) => {
    expect(faultOf(decode)).toBe(fault);
  });

  test.each([
    ["after the last day of any calendar", 2n ** 64n - 1n, null],
    ["at 0", 0, null],
    ["in milliseconds", 1_790_000_000_000, 1_790_000_000],
  ])("a key that ends %s", (_, expiresAt, sec) => {
    const { agents } = accountKind.read(account({ agents: [{ pubkey: owner, expiresAt }] }));
    expect(agents[0]?.expiresAtSec).toBe(sec);
  });
});
