// As test/scenario/lying-reads.test.ts for a minute and a half: the limits hold, and once the lies have ended every account is quoted again
// or held by a latch that says why.

import { beforeAll, expect, test } from "vitest";
import { lies } from "../scenario/lies.ts";
import { LIMITS, type Outcome, runLies } from "../scenario/lying-exchange.ts";

let outcomes: readonly Outcome[];
beforeAll(async () => {
  outcomes = await runLies(lies, { lieMs: 90_000, healMs: 60_000 });
});

test.each(lies)("$name", ({ name, told }) => {
  const { most, log, latches, isQuoted } = outcomes.find((outcome) => outcome.name === name) as Outcome;
  expect(most.contracts).toBeLessThanOrEqual(LIMITS.contracts);
  expect(most.worst).toBeLessThanOrEqual(LIMITS.contracts);
  expect(most.orders).toBeLessThanOrEqual(LIMITS.orders);
  expect(log).toMatch(told);
  expect(isQuoted || latches.length > 0).toBe(true);
});
