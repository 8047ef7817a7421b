// Closing at once walks the book: what each part brings, what it pays, and what is left where nobody rests enough.

import { expect, test } from "vitest";
import { closingOf } from "../../../src/backtest/closing.ts";
import type { Level } from "../../../src/domain/book.ts";
import { price, size, usdc } from "../../../src/domain/units.ts";

const usd = (value: number) => price(BigInt(value) * 100_000_000n);
const contracts = (value: number) => size(BigInt(value) * 1_000_000n);
const level = (at: number, of: number): Level => ({ price: usd(at), size: contracts(of), orderCount: 1 });
const atHundred = { mark: usd(100), takerFeeBps: 5 };

test("a flat position costs nothing", () => {
  expect(closingOf(contracts(0), [level(99, 1)], atHundred)).toEqual({ cost: 0n, unclosed: 0n });
});

test("a long is sold to the bids, the best first, and pays the taker's fee on each", () => {
  // 2 at 99 and 1 at 98 bring 296 of 300; 5 bps of 198 and of 98 are 0.099 and 0.049.
  const closing = closingOf(contracts(3), [level(99, 2), level(98, 5)], atHundred);
  expect(closing).toEqual({ cost: usdc(4_148_000n), unclosed: 0n });
});

test("a short is bought back from the asks", () => {
  // 2 at 101 and 1 at 103 take 305 for 300; 5 bps of 202 and of 103.
  const closing = closingOf(contracts(-3), [level(101, 2), level(103, 5)], atHundred);
  expect(closing).toEqual({ cost: usdc(5_152_500n), unclosed: 0n });
});

test("what nobody takes is told, and counts at the worst price that was found, at the mark where there was none", () => {
  const through = closingOf(contracts(3), [level(99, 1), level(90, 1)], atHundred);
  expect(through).toEqual({ cost: usdc(21_139_500n), unclosed: contracts(1) });
  expect(closingOf(contracts(3), [], atHundred)).toEqual({ cost: usdc(150_000n), unclosed: contracts(3) });
});
