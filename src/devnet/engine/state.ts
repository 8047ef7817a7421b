// The whole exchange in memory: every record, and the tools that work on them.

import type { FeeTier } from "../../domain/market.ts";
import type { MarketId } from "../../domain/units.ts";
import type { MatchPlan } from "./book/match-plan.ts";
import type { SystemLedger } from "./calls.ts";
import type { ChangeLog } from "./persistence/change-log.ts";
import type { Account, Family, LiveOrder, MarketState, Purse } from "./records.ts";

export type Core = {
  readonly markets: Map<MarketId, MarketState>;
  readonly accounts: Map<number | bigint, Account>;
  readonly families: Map<number | bigint, Family>;
  readonly orders: Map<number, LiveOrder>;
  readonly ledgers: Readonly<Record<SystemLedger, Purse>>;
  readonly feeTiers: readonly FeeTier[];
  readonly openOrderCap: number;
  /** Accounts whose maintenance margin is to be looked at in the next block, whatever their markets do. */
  readonly watched: Set<Account>;
  readonly log: ChangeLog;
  /** Scratch of the match in progress. */
  readonly plan: MatchPlan<LiveOrder>;
  lastOrderId: number;
  /** Time of the newest block. */
  nowMs: number;
  insuranceDeposited: bigint;
};
