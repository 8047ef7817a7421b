// Limit on what one node of a fleet may have sent to an account without an answer. It is registered before use and never exceeded, so that
// the next holder of the account knows the worst that may still arrive.

import type { MarketId, Size } from "./units.ts";

/** Unanswered places in one market: how many, and how many contracts on each side. */
export type Allowance = { readonly orders: number; readonly contracts: Size };

export type Allowances = ReadonlyMap<MarketId, Allowance>;

/** A previous holder of the account. `untilMs`: until then places within its allowances, and any cancel, may still arrive; monotonic ms. */
export type EarlierHolder = { readonly allowances: Allowances; readonly untilMs: number };
