// What people see of the estimates: value, how much of it is observed, and how old the newest observation is.

import { expect, test } from "vitest";
import { estimateNames, estimatesOf } from "../../../../src/bot/strategy/estimates.ts";
import { foldFill, foldSignals, startSignals } from "../../../../src/bot/strategy/signals.ts";
import type { VenueEvent } from "../../../../src/domain/event.ts";
import { orderId } from "../../../../src/domain/units.ts";
import { lots, oracle, usd } from "../risk/healthy.ts";

const own = { orders: [], vacated: [], orderSize: lots(1), chainTimeMs: null };
const level = (at: number) => ({ price: usd(at), size: lots(1), orderCount: 1 });
const book = (sec: number): VenueEvent => ({
  kind: "book",
  receivedMs: sec * 1000,
  book: { marketId: 1, bids: [level(199.9 + 0.01 * (sec % 3))], asks: [level(200.1)] },
});
const trade = (sec: number): VenueEvent => ({
  kind: "trade",
  receivedMs: sec * 1000,
  trade: {
    marketId: 1,
    price: usd(200.1),
    size: lots(1),
    takerSide: "buy",
    takerOrderId: orderId(BigInt(sec + 1)),
    makerOrderId: orderId(1n),
    txHash: "",
    timestampMs: null,
  },
});
const named = (state: Parameters<typeof estimatesOf>[0], nowMs: number) =>
  Object.fromEntries(estimatesOf(state, nowMs).map(({ name, ...rest }) => [name, rest]));

test("each name once, in order; before anything was seen all is prior and without age", () => {
  const estimates = estimatesOf(startSignals(1), 5000);
  expect(estimates.map(({ name }) => name)).toEqual(estimateNames);
  for (const { dataShare, ageMs } of estimates) expect({ dataShare, ageMs }).toEqual({ dataShare: 0, ageMs: null });
});

test("what was observed counts beside the prior, and has the age of the newest observation", () => {
  let state = startSignals(1);
  for (let sec = 0; sec < 100; sec += 1) {
    state = foldSignals(state, book(sec), own);
    if (sec < 20) state = foldSignals(state, trade(sec), own);
  }
  const read: VenueEvent = { kind: "oracleRead", receivedMs: 99_000, askedMs: 99_000, oracle };
  state = foldSignals(state, read, own);
  const estimates = named(state, 130_000);
  expect(estimates.volatilityBps?.ageMs).toBe(31_000);
  expect(estimates.volatilityBps?.dataShare).toBeCloseTo(1 - 0.5 ** (99 / 3600), 3);
  expect(estimates.intensityA?.ageMs).toBe(130_000 - 19_000);
  expect(estimates.intensityA).toMatchObject({ value: null, dataShare: 0 });
  expect(estimates.fillDepthBps).toMatchObject({ value: null, dataShare: 0 });
  expect(estimates.nowcastErrorBps).toMatchObject({ dataShare: 0, ageMs: 31_000 });
  expect(estimates.marketErrorBps).toEqual({ value: null, dataShare: 0, ageMs: 31_000 });
});

test("a fill is learned of once its minute has passed", () => {
  let state = foldSignals(startSignals(1), book(0), own);
  state = foldFill(state, { side: "buy", price: usd(199.9) }, 1000);
  expect(named(state, 2000).adverseBps?.ageMs).toBe(null);
  for (let sec = 1; sec <= 62; sec += 1) state = foldSignals(state, book(sec), own);
  const { ageMs, dataShare } = named(state, 62_000).adverseBps ?? { ageMs: null, dataShare: 0 };
  expect(ageMs).toBe(1000);
  expect(dataShare).toBeGreaterThan(0);
});
