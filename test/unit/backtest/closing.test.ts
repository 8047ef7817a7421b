// Closing at once walks the book: what each part brings, what it pays, and what is left where nobody rests enough.

import fc from "fast-check";
import { expect, test } from "vitest";
import { closingOf } from "../../../src/backtest/closing.ts";
import { valueAt } from "../../../src/bot/accounting/holding.ts";
import type { Level } from "../../../src/domain/book.ts";
import { notional } from "../../../src/domain/rounding.ts";
import { price, size, usdc } from "../../../src/domain/units.ts";
import { ALICE, usd as at, BOB, CAROL, makeWorld } from "../devnet/engine/set-up.ts";

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

test("what the book cannot take is reported as unclosed, at the worst price it had, or at the mark if it was empty", () => {
  const through = closingOf(contracts(3), [level(99, 1), level(90, 1)], atHundred);
  expect(through).toEqual({ cost: usdc(21_139_500n), unclosed: contracts(1) });
  expect(closingOf(contracts(3), [], atHundred)).toEqual({ cost: usdc(150_000n), unclosed: contracts(3) });
});

test("it is what the exchange takes when the position is closed", () => {
  const levels = fc.array(
    fc.record({ ticks: fc.integer({ min: 1, max: 400 }), units: fc.integer({ min: 1, max: 2e6 }) }),
    {
      minLength: 1,
      maxLength: 8,
    },
  );
  fc.assert(
    fc.property(levels, fc.boolean(), fc.integer({ min: 1, max: 3_000_000 }), (rows, isLong, held) => {
      const world = makeWorld();
      const [own, other] = isLong ? (["buy", "sell"] as const) : (["sell", "buy"] as const);
      const contracts = size(BigInt(held));
      world.placed({ accountId: BOB, side: other, price: at(200), size: contracts });
      world.placed({ accountId: ALICE, side: own, price: at(200), size: contracts });
      // What takes a long lies below the mark, what takes a short above it.
      for (const { ticks, units } of rows) {
        const away = (isLong ? -ticks : ticks) / 100;
        world.placed({ accountId: CAROL, side: own, price: at(200 + away), size: size(BigInt(units)) });
      }
      const book = world.engine.book(1);
      const resting = (isLong ? book?.bids : book?.asks) ?? [];
      const inventory = size(isLong ? contracts : -contracts);
      const { cost, unclosed } = closingOf(inventory, resting, { mark: at(200), takerFeeBps: 5 });
      if (unclosed !== 0n) return;

      const before = world.engine.account(ALICE)?.collateral ?? 0n;
      world.place({
        side: other,
        price: at(isLong ? 190 : 210),
        size: contracts,
        timeInForce: "IOC",
        reduceOnly: true,
      });
      const after = world.engine.account(ALICE);
      expect(after?.positions).toEqual([]);
      const expected = valueAt(at(200), inventory) - notional(at(200), inventory) - cost;
      // The exchange rounds each fill, orders of one level apart.
      const off = (after?.collateral ?? 0n) - before - expected;
      expect(off <= 20n && off >= -20n).toBe(true);
    }),
  );
});
