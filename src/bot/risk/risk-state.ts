// The guard's facts besides the view: latches, health of process and journal, daily PnL, and observations over time.

import type { RequestBudget } from "../../domain/request-budget.ts";
import type { StorageFault } from "../../domain/storage.ts";
import { type Usdc, usdc } from "../../domain/units.ts";
import type { Fact, View } from "../../domain/view.ts";
import type { Facts } from "../../kernel/errors.ts";
import type { Latches } from "./latches.ts";
import type { Limits } from "./limits/limits.ts";
import type { Observed, Rejections } from "./observed.ts";

/** PnL since the start of the day, USDC: realized, unrealized, funding and fees; and its best value so far. */
export type DailyPnl = { readonly pnl: Usdc; readonly best: Usdc };

/** The daily PnL after its value became `pnl`; null starts a day, at zero. */
export function nextDailyPnl(previous: DailyPnl | null, pnl: Usdc): DailyPnl {
  const best = previous === null ? 0n : previous.best;
  return { pnl, best: usdc(pnl > best ? pnl : best) };
}

/** Target quotes of a side that have not rested for longer than allowed. */
export type StuckSide = {
  readonly forMs: number;
  /** The last obstacle, as a clause for people. */
  readonly why: string;
  /** False if a limit or the strategy itself is the obstacle, so that other orders of the side may be sent. */
  readonly blocks: boolean;
};

/** Sides whose wanted quotes do not come to rest; null: they rest, or have not had enough time. */
export type StuckQuotes = {
  readonly buy: StuckSide | null;
  readonly sell: StuckSide | null;
  /** Index of the blocked order to try now, in turn; null: one was tried recently. */
  readonly trial: number | null;
};

export const nothingStuck: StuckQuotes = { buy: null, sell: null, trial: null };

export type RiskState = {
  /** All active latches; the guard selects those that apply to the view's market. */
  readonly latches: Latches;
  /** Healthy, or the fault from the first write error until a write succeeds again. */
  readonly journal: Fact<"healthy" | StorageFault>;
  /** "reserve": writes use the space reserved for reductions and cancels. */
  readonly ledgerSpace: Fact<"free" | "reserve">;
  /** Why the key has no nonce for a new order; null: it has one. */
  readonly nonceRefusal: Fact<Facts | null>;
  /** Longest recent stall of the event loop, ms. */
  readonly eventLoopLagMs: Fact<number>;
  /** The on-chain budget, with every request since its read counted; null if the exchange shows none. Absent: never read. */
  readonly budget: Fact<RequestBudget | null>;
  readonly marketDailyPnl: Fact<DailyPnl>;
  readonly accountDailyPnl: Fact<DailyPnl>;
  /** A print of one of the account's markets is unconfirmed, and so is the account's PnL. */
  readonly isAccountPnlUnconfirmed: boolean;
  /** Worst-case notional of the account's other markets together. */
  readonly grossNotionalElsewhere: Fact<Usdc>;
  /** The strategy's own fair value this turn, USD; null: it has none. */
  readonly fairValueUsd: number | null;
  readonly observed: Observed;
  readonly stuckQuotes: StuckQuotes;
  /** Consecutive rejections of the account's new orders, without an accepted order in between; null: none. */
  readonly rejections: Rejections | null;
};

/** All inputs of one decision. */
export type RiskInputs = { readonly view: View; readonly limits: Limits; readonly state: RiskState };
