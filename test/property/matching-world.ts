// Arbitrary lives of a small exchange: everything that can be asked of the engine, in any order, by poor and rich accounts.

import fc from "fast-check";
import type { MarketSpec, PlaceOrder } from "../../src/devnet/engine/calls.ts";
import { createEngine, type Engine, type EngineOptions } from "../../src/devnet/engine/engine.ts";
import type { EngineSnapshot } from "../../src/devnet/engine/persistence/snapshot.ts";
import type { ChainEvent, Receipt } from "../../src/devnet/event.ts";
import { accountId, orderId, price, size, usdc } from "../../src/domain/units.ts";

export const START_MS = 1_790_000_000_000;
export const ACCOUNTS = [1n, 2n, 3n, 4n].map(accountId);
const BACKSTOP = accountId(99n);
const TICK = 1_000_000n;

const spec = (marketId: number, assetClass: string): MarketSpec => ({
  marketId,
  name: `M${marketId}`,
  assetClass,
  status: "Active",
  tickSize: price(TICK),
  initialMarginRatioBps: 500,
  maintenanceMarginRatioBps: 250,
  priceBandBps: 1000,
  maxOpenInterest: size(60_000_000n),
  fundingIntervalSecs: 60,
  premiumPeriodSecs: 28_800,
  interestRateMicroBps: 64,
  depthThreshold: usdc(500_000_000n),
  maxFundingRateBps: 625,
  marginTiers: [
    { notionalFloor: usdc(0n), maxLeverage: 20, maintenanceMarginRatioBps: 250 },
    { notionalFloor: usdc(2_000_000_000n), maxLeverage: 10, maintenanceMarginRatioBps: 400 },
  ],
  backstopAccountId: BACKSTOP,
});

export const options = (record: (changes: Uint8Array) => void): EngineOptions => ({
  markets: [spec(1, "RealEstate"), spec(2, "Commodities")],
  feeTiers: [
    { assetClass: "RealEstate", minVolume30d: usdc(0n), makerFeeBps: -1, takerFeeBps: 5 },
    { assetClass: "RealEstate", minVolume30d: usdc(5_000_000_000n), makerFeeBps: -2, takerFeeBps: 3 },
    { assetClass: "Commodities", minVolume30d: usdc(0n), makerFeeBps: 2, takerFeeBps: 6 },
  ],
  openOrderCap: 8,
  record,
});

export type Deed =
  | { readonly kind: "place"; readonly order: PlaceOrder }
  | { readonly kind: "cancel"; readonly pick: number }
  | { readonly kind: "cancelAll"; readonly account: number; readonly marketId: number | null }
  | { readonly kind: "modify"; readonly pick: number; readonly ticks: number | null; readonly units: number | null }
  | { readonly kind: "adjust"; readonly account: number; readonly marketId: number; readonly delta: number }
  | { readonly kind: "print"; readonly marketId: number; readonly ticks: number; readonly validMs: number }
  | { readonly kind: "move"; readonly account: number; readonly amount: number }
  | { readonly kind: "status"; readonly marketId: number; readonly status: "Active" | "Paused" }
  | { readonly kind: "block"; readonly advanceMs: number };

const anyTicks = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 197, max: 203 }) },
  { weight: 1, arbitrary: fc.integer({ min: 170, max: 230 }) },
);
const anyUnits = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 3_000_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 40_000_000 }) },
);
const anyMarket = fc.constantFrom(1, 2);
const anyAccount = fc.nat({ max: ACCOUNTS.length - 1 });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 5 });
export const asPrice = (ticks: number) => price(BigInt(ticks) * 100n * TICK);

/** One contract at 200 USD, to be bought. */
export const plainOrder: PlaceOrder = {
  accountId: ACCOUNTS[0]!,
  marketId: 1,
  side: "buy",
  orderType: "Limit",
  price: asPrice(200),
  size: size(1_000_000n),
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

const anyOrder: fc.Arbitrary<PlaceOrder> = fc
  .record({
    account: anyAccount,
    marketId: anyMarket,
    side: fc.constantFrom("buy" as const, "sell" as const),
    orderType: fc.constantFrom(...(["Limit", "Limit", "Limit", "Limit", "Market", "StopLimit", "StopMarket"] as const)),
    ticks: anyTicks,
    units: anyUnits,
    trigger: anyTicks,
    reduceOnly: fc.integer({ min: 0, max: 9 }),
    postOnly: fc.integer({ min: 0, max: 4 }),
    timeInForce: fc.constantFrom(...(["GTC", "GTC", "GTC", "GTC", "GTC", "IOC", "FOK"] as const)),
    exit: maybe(fc.integer({ min: 1, max: 20 })),
    slippage: maybe(fc.integer({ min: 0, max: 1500 })),
    marginMode: fc.constantFrom(...(["Cross", "Cross", "Cross", null, "Isolated"] as const)),
    leverage: fc.constantFrom(0, 0, 1, 5, 20),
  })
  .map((draw): PlaceOrder => {
    const limitLike = draw.orderType === "Limit" || draw.orderType === "StopLimit";
    const conditional = draw.orderType === "StopLimit" || draw.orderType === "StopMarket";
    const reduceOnly = draw.reduceOnly === 0;
    const above = asPrice(draw.ticks + (draw.exit ?? 0));
    const below = asPrice(draw.ticks - (draw.exit ?? 0));
    const exits = draw.exit !== null && !reduceOnly;
    return {
      accountId: ACCOUNTS[draw.account]!,
      marketId: draw.marketId,
      side: draw.side,
      orderType: draw.orderType,
      price: limitLike ? asPrice(draw.ticks) : price(0n),
      size: size(BigInt(draw.units)),
      triggerPrice: conditional ? asPrice(draw.trigger) : null,
      reduceOnly,
      postOnly: draw.postOnly === 0 && limitLike && draw.timeInForce === "GTC",
      timeInForce: draw.timeInForce,
      takeProfit: exits ? (draw.side === "buy" ? above : below) : null,
      stopLoss: exits ? (draw.side === "buy" ? below : above) : null,
      maxSlippageBps: limitLike ? null : draw.slippage,
      marginMode: draw.marginMode,
      leverage: draw.leverage,
    };
  });

export const anyDeed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 20, arbitrary: fc.record({ kind: fc.constant("place" as const), order: anyOrder }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("cancel" as const), pick: fc.nat({ max: 25 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("cancelAll" as const), account: anyAccount, marketId: maybe(anyMarket) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("modify" as const),
      pick: fc.nat({ max: 25 }),
      ticks: maybe(anyTicks),
      units: maybe(anyUnits),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("adjust" as const),
      account: anyAccount,
      marketId: anyMarket,
      delta: fc.integer({ min: -200_000_000, max: 200_000_000 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("print" as const),
      marketId: anyMarket,
      ticks: fc.integer({ min: 185, max: 215 }),
      validMs: fc.integer({ min: 0, max: 100_000 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("move" as const),
      account: anyAccount,
      amount: fc.integer({ min: -300_000_000, max: 300_000_000 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("status" as const),
      marketId: anyMarket,
      status: fc.constantFrom(...(["Active", "Active", "Active", "Paused"] as const)),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("block" as const), advanceMs: fc.integer({ min: 0, max: 40_000 }) }),
  },
);

export type ProcessRun = {
  readonly engine: Engine;
  readonly changes: Uint8Array[];
  nowMs: number;
  height: number;
};

/** A new exchange with three accounts of 1,000 USDC and one of 1,000,000, or one that goes on from a snapshot. */
export function beginRun(resume?: {
  readonly snapshot: EngineSnapshot;
  readonly nowMs: number;
  readonly height: number;
}): ProcessRun {
  const changes: Uint8Array[] = [];
  const record = (bytes: Uint8Array): void => {
    changes.push(bytes.slice());
  };
  if (resume !== undefined) {
    const engine = createEngine({ ...options(record), resumeFrom: resume.snapshot });
    return { engine, changes, nowMs: resume.nowMs, height: resume.height };
  }
  const life: ProcessRun = { engine: createEngine(options(record)), changes, nowMs: START_MS, height: 1 };
  for (const id of ACCOUNTS) {
    const ctx = ctxOf(life);
    life.engine.openAccount({ accountId: id, masterAccountId: id === ACCOUNTS[1] ? ACCOUNTS[0]! : null }, ctx);
    const amount = id === ACCOUNTS[3] ? 1_000_000_000_000n : 1_000_000_000n;
    life.engine.post({ from: "custody", to: id, amount: usdc(amount) }, ctx);
  }
  life.engine.post({ from: "custody", to: "insurance", amount: usdc(100_000_000n) }, ctxOf(life));
  life.engine.beginBlock(ctxOf(life));
  for (const id of [1, 2]) life.engine.publishPrint(id, asPrice(200), START_MS + 86_400_000, ctxOf(life));
  return life;
}

export const ctxOf = (life: ProcessRun) => ({
  height: life.height,
  timeMs: life.nowMs,
  emittedMs: life.nowMs,
  txHash: `tx${life.height}`,
});

/** Carries out one deed. Null where there is no receipt to speak of. */
export function live(life: ProcessRun, deed: Deed): Receipt | readonly ChainEvent[] | null {
  const { engine } = life;
  const ctx = ctxOf(life);
  switch (deed.kind) {
    case "place":
      return engine.place(deed.order, ctx);
    case "cancel":
      return engine.cancel(orderId(BigInt(deed.pick)), ctx);
    case "cancelAll":
      return engine.cancelAll(ACCOUNTS[deed.account]!, deed.marketId, ctx);
    case "modify":
      return engine.modify(
        {
          orderId: orderId(BigInt(deed.pick)),
          newPrice: deed.ticks === null ? null : asPrice(deed.ticks),
          newSize: deed.units === null ? null : size(BigInt(deed.units)),
        },
        ctx,
      );
    case "adjust":
      return engine.adjustIsolatedMargin(ACCOUNTS[deed.account]!, deed.marketId, usdc(BigInt(deed.delta)), ctx);
    case "print":
      return engine.publishPrint(deed.marketId, asPrice(deed.ticks), life.nowMs + deed.validMs, ctx);
    case "move": {
      const account = ACCOUNTS[deed.account]!;
      const amount = usdc(BigInt(Math.abs(deed.amount)));
      engine.post(
        deed.amount > 0 ? { from: "custody", to: account, amount } : { from: account, to: "custody", amount },
        ctx,
      );
      return null;
    }
    case "status":
      return engine.setMarketStatus(deed.marketId, deed.status, ctx);
    case "block":
      life.nowMs += deed.advanceMs;
      life.height += 1;
      return engine.beginBlock(ctxOf(life));
  }
}
