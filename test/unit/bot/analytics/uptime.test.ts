// Uptime: which orders count as resting, and which time is credited.

import { expect, test } from "vitest";
import { createUptime, isTwoSided } from "../../../../src/bot/analytics/uptime.ts";
import type { TrackedOrder } from "../../../../src/domain/order.ts";
import { nonce, orderId, price, type Side, size } from "../../../../src/domain/units.ts";

const resting = (side: Side, usd: number, state: TrackedOrder["state"] = "working"): TrackedOrder => ({
  nonce: nonce(1n),
  orderId: orderId(1n),
  marketId: 1,
  side,
  price: price(BigInt(Math.round(usd * 100)) * 1_000_000n),
  size: size(1_000_000n),
  remainingSize: size(1_000_000n),
  reduceOnly: false,
  postOnly: true,
  isConditional: false,
  isForeign: false,
  state,
  level: 0,
  pending: null,
  movingTo: [],
  queueAhead: null,
  sinceMs: 0,
});

test("both sides must work", () => {
  expect(isTwoSided([])).toBe(false);
  expect(isTwoSided([resting("buy", 199), resting("buy", 198)])).toBe(false);
  expect(isTwoSided([resting("buy", 199), resting("sell", 201)])).toBe(true);
});

test.each(["inFlight", "unknown", "canceling"] as const)("an order that is %s does not count", (state) => {
  expect(isTwoSided([resting("buy", 199), resting("sell", 201, state)])).toBe(false);
});

test("a foreign order on a side is no quote of ours", () => {
  expect(isTwoSided([resting("buy", 199), { ...resting("sell", 201), isForeign: true }])).toBe(false);
});

test("a turn's orders count until the next turn", () => {
  const uptime = createUptime();
  expect(uptime.turn(10_000, true)).toBe(0);
  expect(uptime.turn(10_250, true)).toBe(0.25);
  expect(uptime.turn(10_750, false)).toBe(0.5);
  expect(uptime.turn(11_000, true)).toBe(0);
  expect(uptime.turn(11_000, true)).toBe(0);
});

test("a long gap between turns counts up to its cap, once", () => {
  const uptime = createUptime();
  uptime.turn(0, true);
  expect(uptime.turn(60_000, true)).toBe(2);
  expect(uptime.turn(60_100, true)).toBeCloseTo(0.1, 12);
});
