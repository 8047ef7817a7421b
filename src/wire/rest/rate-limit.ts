// An account's budget of requests on the chain (GET /v1/accounts/{id}/rate-limit). The shape is not shown: the devnet has its own,
// and the reader looks for what it can name. What is not found is null, and whoever asked falls back to a budget of its own.

import type { RateLimit } from "../../domain/account.ts";
import { type Fields, objectOf } from "../strict.ts";
import { maybe, type Names, natural } from "../tolerant.ts";

/** Sent as it is: what the devnet reports beyond the domain's three numbers. */
export type RequestBudget = RateLimit & {
  /** Cancels go on up to here: min(cap + 100000, 2 x cap). Null: not limited. */
  readonly cancelCap: bigint | null;
  /** Requests that may pass within a second, cancels beyond the budget aside. Null: not limited. */
  readonly congestionQuota: bigint | null;
};

const USED = ["requestsUsed", "requests_used", "used", "nRequestsUsed"];
const CAP = ["requestsCap", "requests_cap", "cap", "limit", "nRequestsCap"];
const REMAINING = ["requestsRemaining", "requests_remaining", "remaining"];

/** Throws WireError where a known name does not hold a number. */
export function decodeRateLimit(json: unknown): RateLimit {
  const fields = objectOf(json, "");
  const requestsUsed = maybeNatural(fields, USED);
  const requestsCap = maybeNatural(fields, CAP);
  const sent = maybeNatural(fields, REMAINING);
  const difference = requestsCap === null || requestsUsed === null ? null : requestsCap - requestsUsed;
  return {
    requestsUsed,
    requestsCap,
    requestsRemaining: sent ?? (difference !== null && difference < 0n ? 0n : difference),
  };
}

const maybeNatural = (fields: Fields, names: Names): bigint | null => maybe(fields, names, natural);
