// A small exchange for the engine's tests: one real-estate market at 200 USD, two traders with 100,000 USDC each, books empty.

import { it as base } from "vitest";
import type { Context, MarketSpec, PlaceOrder } from "../../../../src/devnet/engine/calls.ts";
import { createEngine, type Engine, type EngineOptions } from "../../../../src/devnet/engine/engine.ts";
import type { ChainEvent, Receipt } from "../../../../src/devnet/event.ts";
import { accountId, type OrderId, type Price, price, type Size, size, usdc } from "../../../../src/domain/units.ts";

export const START_MS = 1_790_000_000_000;
export const MARKET = 1;
export const ALICE = accountId(1n);
export const BOB = accountId(2n);
export const CAROL = accountId(3n);
export const BACKSTOP = accountId(1_000_000n);

/** USD as price scale. */
export const usd = (amount: number): Price => price(BigInt(Math.round(amount * 1e8)));
export const contracts = (amount: number): Size => size(BigInt(Math.round(amount * 1e6)));
/** USDC as base units. */
export const dollars = (amount: number) => usdc(BigInt(Math.round(amount * 1e6)));

export const marketSpec: MarketSpec = {
  marketId: MARKET,
  name: "USA-HPI",
  assetClass: "RealEstate",
  status: "Active",
  tickSize: usd(0.01),
  initialMarginRatioBps: 500,
  maintenanceMarginRatioBps: 250,
  priceBandBps: 1000,
  maxOpenInterest: contracts(1_000_000),
  fundingIntervalSecs: 3600,
  premiumPeriodSecs: 28_800,
  interestRateMicroBps: 64,
  depthThreshold: dollars(500),
  maxFundingRateBps: 625,
  marginTiers: [],
  backstopAccountId: BACKSTOP,
};

export type World = {
  readonly engine: Engine;
  /** Bytes of all change records so far. */
  readonly changes: Uint8Array[];
  nowMs: number;
  height: number;
  ctx(): Context;
  place(order: Partial<PlaceOrder>): Receipt;
  /** Places and expects success; the id of the order. */
  placed(order: Partial<PlaceOrder>): OrderId;
  print(at: number, validMs?: number): Receipt;
  /** Lets chain time pass and begins a block. */
  block(advanceMs?: number): readonly ChainEvent[];
};

/** A test that is given a world of its own. */
export const it = base.extend("world", () => makeWorld());

export function makeWorld(options: Partial<EngineOptions> = {}, market: Partial<MarketSpec> = {}): World {
  const changes: Uint8Array[] = [];
  const engine = createEngine({
    markets: [{ ...marketSpec, ...market }],
    feeTiers: [
      { assetClass: "RealEstate", minVolume30d: usdc(0n), makerFeeBps: -1, takerFeeBps: 5 },
      { assetClass: "Commodities", minVolume30d: usdc(0n), makerFeeBps: 1, takerFeeBps: 5 },
    ],
    openOrderCap: 200,
    record: (bytes) => changes.push(bytes.slice()),
    ...options,
  });
  const world: World = {
    engine,
    changes,
    nowMs: START_MS,
    height: 1,
    ctx: () => ({ height: world.height, timeMs: world.nowMs, emittedMs: world.nowMs, txHash: `tx${world.height}` }),
    place: (order) => engine.place({ ...defaults, ...order }, world.ctx()),
    placed: (order) => placedId(world.place(order)),
    print: (at, validMs = 86_400_000) => engine.publishPrint(MARKET, usd(at), world.nowMs + validMs, world.ctx()),
    block: (advanceMs = 200) => {
      world.nowMs += advanceMs;
      world.height += 1;
      return engine.beginBlock(world.ctx());
    },
  };
  for (const id of [ALICE, BOB, CAROL]) {
    engine.openAccount({ accountId: id, masterAccountId: null }, world.ctx());
    engine.post({ from: "custody", to: id, amount: dollars(100_000) }, world.ctx());
  }
  engine.beginBlock(world.ctx());
  world.print(200);
  return world;
}

export const defaults: PlaceOrder = {
  accountId: ALICE,
  marketId: MARKET,
  side: "buy",
  orderType: "Limit",
  price: usd(200),
  size: contracts(1),
  triggerPrice: null,
  reduceOnly: false,
  postOnly: false,
  timeInForce: "GTC",
  takeProfit: null,
  stopLoss: null,
  maxSlippageBps: null,
  marginMode: "Cross",
  leverage: 0,
};

export function placedId(receipt: Receipt): OrderId {
  if (receipt.status === "failed") throw new Error(`${receipt.code}: ${receipt.error}`);
  const placed = receipt.events.find((event) => event.type === "OrderPlaced");
  if (placed === undefined) throw new Error("no order was placed");
  return placed.order.orderId;
}

export const eventsOf = (receipt: Receipt): readonly ChainEvent[] =>
  receipt.status === "success" ? receipt.events : [];
export const typesOf = (receipt: Receipt): readonly string[] => eventsOf(receipt).map((event) => event.type);
export const codeOf = (receipt: Receipt): string | null => (receipt.status === "failed" ? receipt.code : null);

/** What the fills of a receipt say, in USD and contracts. */
export const fillsOf = (receipt: Receipt) =>
  eventsOf(receipt).flatMap((event) =>
    event.type === "Fill"
      ? [
          {
            at: Number(event.execution.price) / 1e8,
            size: Number(event.execution.size) / 1e6,
            maker: event.execution.makerOrderId,
          },
        ]
      : [],
  );

/** Reasons of the cancellations in a receipt. */
export const canceledOf = (receipt: Receipt): readonly string[] =>
  eventsOf(receipt).flatMap((event) => (event.type === "OrderCanceled" ? [event.reason] : []));
