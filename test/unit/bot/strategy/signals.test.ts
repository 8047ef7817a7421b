// Estimates against series whose true figures are known, and the events that they are folded from.

import { describe, expect, test } from "vitest";
import { intensityOf, noIntensity, observeTaker, observeTime } from "../../../../src/bot/strategy/intensity.ts";
import { foldSignals, readSignals, type SignalState, startSignals } from "../../../../src/bot/strategy/signals.ts";
import { noVolatility, observeMid, volatilityBps } from "../../../../src/bot/strategy/volatility.ts";
import type { VenueEvent } from "../../../../src/domain/event.ts";
import { orderId, type Side } from "../../../../src/domain/units.ts";
import { createPrng } from "../../../../src/kernel/prng.ts";
import { lots, oracle, order, usd } from "../risk/healthy.ts";

describe("volatility", () => {
  const walk = (bpsPerRootSec: number, stepMs: number, steps: number) => {
    const prng = createPrng(3n);
    let state = noVolatility;
    let mid = 200;
    for (let step = 0; step <= steps; step += 1) {
      state = observeMid(state, mid, step * stepMs);
      mid *= 1 + (bpsPerRootSec / 10_000) * Math.sqrt(stepMs / 1000) * prng.gaussian();
    }
    return volatilityBps(state);
  };

  test.each([
    [2, 1000],
    [2, 5000],
    [2, 100],
    [0.05, 2000],
  ])("finds %d bps per root second in a walk seen each %d ms", (bps, stepMs) => {
    expect((walk(bps, stepMs, 100_000) ?? 0) / bps).toBeCloseTo(1, 1);
  });

  test("a bounce between samples is not seen, twenty samples are needed, a quiet mid is quiet", () => {
    let state = noVolatility;
    for (let ms = 0; ms < 20_000; ms += 500) state = observeMid(state, ms % 1000 === 0 ? 200 : 201, ms);
    expect(volatilityBps(state)).toBe(null);
    expect(volatilityBps(observeMid(state, 200, 20_000))).toBe(0);
  });

  test("forgets: an hour halves the weight of what was", () => {
    let state = noVolatility;
    for (let sec = 0; sec <= 3600; sec += 10) state = observeMid(state, sec % 20 === 0 ? 200 : 200.2, sec * 1000);
    const wild = volatilityBps(state) ?? 0;
    for (let sec = 3610; sec <= 7200; sec += 10) state = observeMid(state, 200, sec * 1000);
    expect((volatilityBps(state) ?? 0) / wild).toBeCloseTo(Math.sqrt(1 / 3), 1);
  });

  test("a leap there and back is no volatility, moves that go on are", () => {
    const seen = (midAt: (sec: number) => number) => {
      let state = noVolatility;
      for (let sec = 0; sec <= 60; sec += 1) state = observeMid(state, midAt(sec), sec * 1000);
      return volatilityBps(state) ?? 0;
    };
    const quiet = (sec: number) => (sec % 2 === 0 ? 200 : 200.2);
    expect(seen((sec) => (sec > 40 && sec <= 50 ? 250 : quiet(sec)))).toBeLessThan(2.1 * seen(quiet));
    expect(seen((sec) => (sec > 40 && sec % 2 === 0 ? 210 : quiet(sec)))).toBeGreaterThan(100);
  });

  test("what is no price is not taken", () => {
    expect(observeMid(noVolatility, Number.NaN, 0)).toBe(noVolatility);
    expect(observeMid(noVolatility, 0, 0)).toBe(noVolatility);
  });
});

describe("fill intensity", () => {
  /** Takers of both sides at rate 2A, reaching exponential depths. */
  const watch = (a: number, k: number, takers: number) => {
    const prng = createPrng(5n);
    let state = observeTime(noIntensity, 0);
    let ms = 0;
    for (let id = 0; id < takers; id += 1) {
      ms += prng.exponential(1000 / (2 * a));
      state = observeTaker(state, orderId(BigInt(id)), prng.exponential(1 / k), ms);
    }
    return intensityOf(state, 200);
  };

  test.each([
    [0.5, 3],
    [2, 20],
  ])("finds A %d and k %d in a flow of takers", (a, k) => {
    const found = watch(a, k, 20_000);
    expect((found?.a ?? 0) / a).toBeCloseTo(1, 1);
    expect((found?.k ?? 0) / k).toBeCloseTo(1, 1);
  });

  test("few takers leave it near the prior: 0.1 a second, a reach of 10 bps", () => {
    const found = watch(5, 100, 12);
    expect(found?.k).toBeGreaterThan(5);
    expect(found?.k).toBeLessThan(7);
    expect(found?.a).toBeLessThan(0.3);
    expect(watch(5, 100, 9)).toBe(null);
  });

  test("a sweep over levels is one taker, as deep as its last trade", () => {
    const taker = orderId(7n);
    const once = observeTaker(noIntensity, taker, 0.3, 10);
    const swept = [0.1, 0.2, 0.3].reduce((state, depth) => observeTaker(state, taker, depth, 10), noIntensity);
    expect(swept.takers).toBe(1);
    expect(swept.depthUsd).toBeCloseTo(once.depthUsd, 12);
  });
});

describe("events", () => {
  const level = (at: number) => ({ price: usd(at), size: lots(1), orderCount: 1 });
  const book = (bid: number, ask: number, receivedMs: number): VenueEvent => ({
    kind: "book",
    receivedMs,
    book: { marketId: 1, bids: [level(bid)], asks: [level(ask)] },
  });
  const trade = (id: number, takerSide: Side, at: number, receivedMs: number, marketId = 1): VenueEvent => ({
    kind: "trade",
    receivedMs,
    trade: {
      marketId,
      price: usd(at),
      size: lots(1),
      takerSide,
      takerOrderId: orderId(BigInt(id)),
      makerOrderId: orderId(1n),
      txHash: "",
      timestampMs: null,
    },
  });
  const fold = (events: readonly VenueEvent[], from: SignalState = startSignals(1)) =>
    events.reduce((state, event) => foldSignals(state, event, { orders: [], vacated: [], orderSize: lots(1) }), from);

  test("nothing seen, nothing estimated", () => {
    expect(readSignals(startSignals(1))).toEqual({
      volatilityBps: null,
      intensityA: null,
      intensityK: null,
      nowcastUsd: null,
      nowcastErrorBps: expect.closeTo((5 * 2.4) / 1.96, 9),
      printDeviationBps: 20,
      nextPrint: null,
    });
  });

  test("books, trades and prints of the market, from frames and from reads, become all four signals", () => {
    const books = Array.from({ length: 30 }, (_, sec) => book(199.9 + 0.01 * (sec % 3), 200.1, sec * 1000));
    const trades = Array.from({ length: 20 }, (_, id) =>
      trade(id, id % 2 === 0 ? "buy" : "sell", id % 2 === 0 ? 200.2 : 199.8, 30_000 + id),
    );
    const prints: readonly VenueEvent[] = [
      { kind: "oracleRead", receivedMs: 1, askedMs: 0, oracle: { ...oracle, price: usd(200), validUntilSec: 1 } },
      ...[200.1, 200.2, 200.3].map(
        (at, day): VenueEvent => ({
          kind: "oracleUpdate",
          receivedMs: 2,
          marketId: 1,
          price: usd(at),
          previousPrice: usd(at),
          validUntilSec: day + 2,
        }),
      ),
    ];
    const signals = readSignals(fold([...books, ...trades, ...prints]));
    expect(signals.volatilityBps).toBeGreaterThan(0);
    expect(signals.intensityA).toBeGreaterThan(0.1);
    expect(signals.intensityK).toBeGreaterThan(4.5);
    expect(signals.nowcastUsd).toBeGreaterThan(200.3);
  });

  test("other markets leave it as it is", () => {
    const start = fold([book(199.9, 200.1, 0)]);
    const others: readonly VenueEvent[] = [
      trade(1, "buy", 201, 5, 2),
      { kind: "book", receivedMs: 9, book: { marketId: 2, bids: [level(1)], asks: [level(2)] } },
      { kind: "oracleRead", receivedMs: 1, askedMs: 0, oracle: { ...oracle, marketId: 2 } },
      { kind: "oracleUpdate", receivedMs: 2, marketId: 2, price: usd(1), previousPrice: usd(1), validUntilSec: 2 },
      { kind: "streamOpened", receivedMs: 3, epoch: 1 },
    ];
    expect(fold(others, start)).toBe(start);
  });

  test("our own orders are not the market: a mid of ours alone is none", () => {
    const ours = [order(1, "buy", 199.9, 1), order(2, "sell", 200.1, 1)];
    expect(
      foldSignals(startSignals(1), book(199.9, 200.1, 0), { orders: ours, vacated: [], orderSize: lots(1) }).midUsd,
    ).toBe(null);
  });

  test("depth is measured to the side that was taken: inside the mid is none", () => {
    const state = fold([book(199.9, 200.1, 0), trade(1, "buy", 199.95, 5), trade(2, "sell", 200.05, 6)]);
    expect(state.intensity).toMatchObject({ seen: 2, depthUsd: 0 });
  });
});
