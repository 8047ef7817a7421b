// The size that a market carries: the least of what its depth, its takers and the account's equity carry.

import { expect, test } from "vitest";
import { type SizeFacts, sizeAdvice, sizeAdviceText } from "../../../../src/bot/risk/size-advice.ts";
import { orderId, usdc } from "../../../../src/domain/units.ts";
import { lots, usd } from "./healthy.ts";

const level = (at: number, contracts: number) => ({ price: usd(at), size: lots(contracts), orderCount: 2 });
const takers = (contracts: readonly number[]) =>
  contracts.map((each, at) => ({ takerOrderId: orderId(BigInt(at)), size: lots(each) }));

/** Mid 200: 10 bps are 0.20. */
const facts: SizeFacts = {
  book: { marketId: 1, bids: [level(199.9, 2), level(199.7, 50)], asks: [level(200.1, 3), level(200.15, 1)] },
  own: [],
  trades: takers(Array.from({ length: 21 }, () => 1)),
  equity: usdc(100_000_000_000n),
  price: usd(200),
  tailMoveBps: 23.26,
};

test("half of the thinner side within 10 bps, two median takers, or what equity may lose by a print: the least", () => {
  expect(sizeAdvice(facts)).toMatchObject({ contracts: 1, binds: "depth", depth: 2, medianTaker: 1 });
  const book = { ...facts.book, bids: [level(199.9, 3)], asks: [level(200.1, 1)] };
  expect(sizeAdvice({ ...facts, book })).toMatchObject({ contracts: 0.5, depth: 1 });
  const even = takers(Array.from({ length: 21 }, () => 0.5));
  expect(sizeAdvice({ ...facts, trades: even })).toMatchObject({ contracts: 1, binds: "depth" });
  const few = {
    ...facts,
    trades: takers([...Array.from({ length: 11 }, () => 0.2), ...Array.from({ length: 10 }, () => 9)]),
  };
  expect(sizeAdvice(few)).toMatchObject({ contracts: 0.4, binds: "takers" });
  // Ten orders of it lose 1 % of 100 USDC by a move of 23.26 bps.
  const poor = sizeAdvice({ ...facts, equity: usdc(100_000_000n) });
  expect(poor.binds).toBe("equity");
  expect(poor.contracts * 10 * 0.002_326 * 200).toBeCloseTo(1, 9);
});

test("our own orders are no depth of others", () => {
  const own = [{ side: "buy", price: usd(199.9), remainingSize: lots(1.5) } as const];
  expect(sizeAdvice({ ...facts, own }).contracts).toBe(0.25);
  const far = [{ side: "buy", price: usd(199.7), remainingSize: lots(1.5) } as const];
  expect(sizeAdvice({ ...facts, own: far }).contracts).toBe(1);
});

test("a taker who met three orders is one taker; fewer than twenty tell nothing", () => {
  const split = takers(Array.from({ length: 20 }, () => 0.1)).flatMap((trade) => [trade, trade, trade]);
  expect(sizeAdvice({ ...facts, trades: split }).medianTaker).toBeCloseTo(0.3, 9);
  expect(sizeAdvice({ ...facts, trades: split.slice(0, 57) })).toMatchObject({ medianTaker: null, binds: "depth" });
});

test("an empty book leaves its own out; without equity nothing is carried", () => {
  const empty = { ...facts, book: { marketId: 1, bids: [], asks: [] } };
  expect(sizeAdvice(empty)).toMatchObject({ binds: "takers", depth: null });
  expect(sizeAdvice({ ...facts, equity: usdc(-1n) })).toMatchObject({ contracts: 0, binds: "equity" });
});

test("in a sentence", () => {
  expect(sizeAdviceText(sizeAdvice(facts))).toBe(
    "suggested size 1.0 contracts: half of the 2.0 that others offer on each side within 10 bps",
  );
  const poor = { ...facts, book: { marketId: 1, bids: [], asks: [] }, trades: [], equity: usdc(46_520_000n) };
  expect(sizeAdviceText(sizeAdvice(poor))).toBe(
    "suggested size 0.10 contracts: with 10 such orders held, one print in 100 may lose 1 % of equity",
  );
});
