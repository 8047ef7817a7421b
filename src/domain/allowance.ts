// What a node of a fleet may have sent to an account without an answer. It is registered before it is used and never exceeded, so that
// whoever has the account next knows the worst that may still land.

import type { MarketId, Size } from "./units.ts";

/** Places of one market that may be unanswered at once: how many, and how many contracts on each side. */
export type Allowance = { readonly orders: number; readonly contracts: Size };

export type Allowances = ReadonlyMap<MarketId, Allowance>;

/** One who held the account before. `untilMs`: places within its allowances, and any cancel, may land until then, monotonic ms. */
export type EarlierHolder = { readonly allowances: Allowances; readonly untilMs: number };
