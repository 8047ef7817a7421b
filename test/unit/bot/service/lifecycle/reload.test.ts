// Which change of a limit waits for the operator's signal: one that lets more through.

import { expect, test } from "vitest";
import { accountLimitsSchema, marketLimitsSchema } from "../../../../../src/bot/risk/limits/limits.ts";
import { raises } from "../../../../../src/bot/service/lifecycle/reload.ts";

const market = (changes: object) =>
  marketLimitsSchema.parse({ maxPosition: 20, maxOrderSize: 2, maxOpenOrders: 20, maxLoss: 500, ...changes });
const account = (changes: object) => accountLimitsSchema.parse(changes);

test("the same limits, and lower ones, do not", () => {
  expect(raises(market({}), market({}))).toBe(false);
  expect(raises(market({}), market({ maxPosition: 19.999_999, maxLoss: 1, maxOpenOrders: 1 }))).toBe(false);
});

test.each([
  { maxPosition: 20.000_001 },
  { maxOrderSize: 3 },
  { maxOpenOrders: 21 },
  { maxLoss: 501 },
  { maxFillsPerMinute: 301 },
  { maxPosition: 1, maxLoss: 501 },
])("%j does, among lowered ones too", (changes) => {
  expect(raises(market({}), market(changes))).toBe(true);
});

test("a limit that goes is raised beyond every number; one that comes is not", () => {
  expect(raises(account({ maxLoss: 5 }), account({}))).toBe(true);
  expect(raises(account({}), account({ maxLoss: 5 }))).toBe(false);
});
