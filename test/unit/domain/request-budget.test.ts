// What is left of the exchange's count of requests, and what of it is kept.

import { expect, test } from "vitest";
import type { RateLimit } from "../../../src/domain/account.ts";
import { afterRequest, requestBudgetOf } from "../../../src/domain/request-budget.ts";

const limit = (of: Partial<RateLimit>): RateLimit => ({
  requestsUsed: null,
  requestsCap: null,
  requestsRemaining: null,
  ...of,
});

test.each<readonly [string, Partial<RateLimit>, readonly [bigint, bigint] | null]>([
  ["of a large count 200 are kept", { requestsCap: 10_000n, requestsRemaining: 1000n }, [1000n, 200n]],
  ["of a small one 30 %, rounded up", { requestsCap: 101n, requestsUsed: 1n }, [100n, 31n]],
  [
    "what is said to be left outweighs the difference",
    { requestsCap: 100n, requestsUsed: 1n, requestsRemaining: 7n },
    [7n, 30n],
  ],
  ["without a cap what is left is the whole", { requestsRemaining: 10n }, [10n, 3n]],
  ["a cap below what is left is none", { requestsCap: 5n, requestsRemaining: 10n }, [10n, 3n]],
  ["used alone says nothing", { requestsUsed: 5n }, null],
  ["nothing shown is no budget", {}, null],
])("%s", (_, shown, expected) => {
  const budget = requestBudgetOf(limit(shown));
  expect(budget && [budget.remaining, budget.reserve]).toEqual(expected);
});

test("a request later one less is left, however the exchange shows it", () => {
  expect(afterRequest(limit({ requestsCap: 9n, requestsUsed: 1n, requestsRemaining: 8n }))).toEqual({
    requestsCap: 9n,
    requestsUsed: 2n,
    requestsRemaining: 7n,
  });
  expect(requestBudgetOf(afterRequest(limit({ requestsCap: 9n, requestsUsed: 1n })))?.remaining).toBe(7n);
  expect(afterRequest(limit({}))).toEqual(limit({}));
});
