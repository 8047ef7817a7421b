// The exchange's count of an account's requests (S4.2): how many are left, and how many of them are kept in reserve.

import type { RateLimit } from "./account.ts";

/** Requests left; at `reserve` or fewer, only a few orders are sent. */
export type RequestBudget = { readonly remaining: bigint; readonly reserve: bigint };

/** The reserve is 30 % of the cap, at most 200 requests. */
const RESERVE_MAX = 200n;
const RESERVE_PERCENT = 30n;

/** Null: the exchange shows no count. */
export function requestBudgetOf({ requestsCap, requestsUsed, requestsRemaining }: RateLimit): RequestBudget | null {
  const derived = requestsCap !== null && requestsUsed !== null ? requestsCap - requestsUsed : null;
  const remaining = requestsRemaining ?? derived;
  if (remaining === null) return null;
  const whole = requestsCap === null || requestsCap < remaining ? remaining : requestsCap;
  const share = (whole * RESERVE_PERCENT + 99n) / 100n;
  return { remaining, reserve: share < RESERVE_MAX ? share : RESERVE_MAX };
}

/** What the exchange would show after one more request. */
export const afterRequest = ({ requestsCap, requestsUsed, requestsRemaining }: RateLimit): RateLimit => ({
  requestsCap,
  requestsUsed: requestsUsed === null ? null : requestsUsed + 1n,
  requestsRemaining: requestsRemaining === null ? null : requestsRemaining - 1n,
});
