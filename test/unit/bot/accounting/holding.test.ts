// Cost and value of a position, and which way each of them rounds.

import { expect, test } from "vitest";
import { afterFill, holdingAt, realizedBy, valueAt } from "../../../../src/bot/accounting/holding.ts";
import { price, size, usdc } from "../../../../src/domain/units.ts";

const dollar = price(100_000_000n);
const halfDollar = price(50_000_000n);
const buy = { side: "buy", price: dollar } as const;
const sell = { side: "sell", price: dollar } as const;

test("half a base unit is worth nothing held, and a whole one owed", () => {
  expect(valueAt(halfDollar, size(1n))).toBe(0n);
  expect(valueAt(halfDollar, size(-1n))).toBe(-1n);
  expect(valueAt(dollar, size(-3n))).toBe(-3n);
});

test("what opens or adds realizes nothing", () => {
  expect(realizedBy(holdingAt(dollar, size(0n)), { ...buy, size: size(5n) })).toBe(0n);
  expect(realizedBy(holdingAt(dollar, size(5n)), { ...buy, size: size(5n) })).toBe(0n);
  expect(realizedBy(holdingAt(dollar, size(-5n)), { ...sell, size: size(5n) })).toBe(0n);
});

test("profit of a partial close rounds down, for a long and for a short", () => {
  const long = { inventory: size(3n), cost: usdc(10n) };
  const short = { inventory: size(-3n), cost: usdc(-10n) };
  expect(realizedBy(long, { ...sell, size: size(1n) })).toBe(-3n);
  expect(realizedBy(short, { ...buy, size: size(1n) })).toBe(2n);
});

test("what a fill opens beyond the close costs its own price", () => {
  const long = { inventory: size(3n), cost: usdc(10n) };
  const fill = { ...sell, size: size(5n) };
  const realized = realizedBy(long, fill);
  expect(realized).toBe(-7n);
  expect(afterFill(long, fill, realized)).toEqual({ inventory: -2n, cost: -2n });
});
