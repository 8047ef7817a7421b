// What the exchange says of an account is wrong in one way at a time, for long, while takers trade: on the exchange's truth the limits hold,
// and the operator is told. One account read without its positions once took the bot to 12 contracts where 2 are allowed.

import { beforeAll, expect, test } from "vitest";
import { lies } from "./lies.ts";
import { LIMITS, type Outcome, runLies } from "./lying-exchange.ts";

let outcomes: readonly Outcome[];
beforeAll(async () => {
  outcomes = await runLies(lies, { lieMs: 20_000, healMs: 0 });
});

test.each(lies)("$name: the limits hold, and the operator is told", ({ name, told }) => {
  const { most, taken, log } = outcomes.find((outcome) => outcome.name === name) as Outcome;
  expect(taken, "takers traded").toBeGreaterThan(0);
  expect(most.contracts).toBeLessThanOrEqual(LIMITS.contracts);
  expect(most.worst).toBeLessThanOrEqual(LIMITS.contracts);
  expect(most.orders).toBeLessThanOrEqual(LIMITS.orders);
  expect(log).toMatch(told);
});
