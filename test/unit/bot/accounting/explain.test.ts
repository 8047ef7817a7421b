// What a difference of collateral is booked as, and that the postings always come to it.

import fc from "fast-check";
import { expect, test } from "vitest";
import { type Causes, explain } from "../../../../src/bot/accounting/explain.ts";
import { usdc } from "../../../../src/domain/units.ts";

const dollars = (count: number) => usdc(BigInt(Math.round(count * 1_000_000)));
const noCauses: Causes = { pending: [], settlements: [], fillCount: 0 };
const fills = (marketId: number, realized: number, ...fillKeys: string[]) => ({
  marketId,
  fillKeys,
  realized: dollars(realized),
  fees: dollars(0.2),
  notional: dollars(400),
});
const settlement = (marketId: number, cap: number, estimate: bigint) => ({ marketId, cap: dollars(cap), estimate });

test("nothing differs, nothing is booked", () => {
  expect(explain(dollars(0), noCauses)).toEqual([]);
});

test.each([
  ["more than expected is a transfer", 5, noCauses, "transfer", null],
  ["less than expected is one too", -5, noCauses, "transfer", null],
  ["a base unit per fill is rounding", -0.000_002, { ...noCauses, fillCount: 2 }, "rounding", null],
  ["beyond a base unit per fill is not", -0.000_003, { ...noCauses, fillCount: 2 }, "transfer", null],
] as const)("%s", (_, difference, causes, reason, marketId) => {
  const amount = dollars(difference);
  expect(explain(amount, causes)).toEqual([{ kind: "transfer", reason, marketId, amount, fillKeys: [] }]);
});

test("fills of two markets share an amount: each gets its own profit, the first what that leaves", () => {
  const causes = { ...noCauses, pending: [fills(1, 6, "a", "b"), fills(2, 2, "c")] };
  expect(explain(dollars(7.75), causes)).toEqual([
    { kind: "transfer", reason: "fills", marketId: 1, amount: dollars(5.75), fillKeys: ["a", "b"] },
    { kind: "transfer", reason: "fills", marketId: 2, amount: dollars(2), fillKeys: ["c"] },
  ]);
});

test("fills take no more than profit and fees can be; beyond that they take what is expected of them, and the rest is something else", () => {
  const booked = (difference: bigint) =>
    explain(usdc(difference), { ...noCauses, pending: [fills(1, 6, "a")] }).map(({ amount }) => amount);
  // 6 of profit less 0.2 of fees, 20 bps of 400 of notional, and a base unit for the fill.
  const most = dollars(6.6) + 1n;
  expect(booked(most)).toEqual([most]);
  expect(booked(most + 1n)).toEqual([dollars(5.8), dollars(0.8) + 2n]);
  expect(booked(dollars(100))).toEqual([dollars(5.8), dollars(94.2)]);
  expect(booked(dollars(-100))).toEqual([dollars(5.8), dollars(-105.8)]);
});

test("funding is split by what each market should have paid, within the caps of all", () => {
  const settlements = [settlement(1, 10, -300n), settlement(2, 10, -100n)];
  expect(explain(dollars(-4), { ...noCauses, settlements })).toEqual([
    { kind: "funding", marketId: 1, amount: dollars(-3) },
    { kind: "funding", marketId: 2, amount: dollars(-1) },
  ]);
  expect(explain(dollars(-21), { ...noCauses, settlements })).toMatchObject([{ reason: "transfer" }]);
});

test("where the markets' estimates have other signs, their caps split the funding", () => {
  const settlements = [settlement(1, 3, -300n), settlement(2, 1, 100n)];
  expect(explain(dollars(-2), { ...noCauses, settlements }).map(({ amount }) => amount)).toEqual([
    dollars(-1.5),
    dollars(-0.5),
  ]);
});

test("law: the postings come to the difference, to the base unit", () => {
  const amount = fc.bigInt({ min: -(10n ** 9n), max: 10n ** 9n });
  const above = fc.bigInt({ min: 0n, max: 10n ** 9n });
  const keys = fc.array(fc.string(), { minLength: 1, maxLength: 3 });
  const pending = fc.record({ marketId: fc.nat(3), fillKeys: keys, realized: amount, fees: amount, notional: above });
  const due = fc.record({ marketId: fc.nat(3), cap: above, estimate: amount });
  const causes = fc.record({
    pending: fc.array(pending, { maxLength: 3 }),
    settlements: fc.array(due, { maxLength: 3 }),
    fillCount: fc.nat(5),
  });
  fc.assert(
    fc.property(amount, causes, (difference, of) => {
      const booked = explain(usdc(difference), of).reduce<bigint>((sum, posting) => sum + posting.amount, 0n);
      expect(booked).toBe(difference);
    }),
  );
});
