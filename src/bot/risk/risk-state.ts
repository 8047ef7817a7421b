// What the guard knows beside the view: latches, health of process and journal, daily PnL, and what it observed over time.

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

/** Target quotes of a side that have not rested for longer than it may take. */
export type StuckSide = {
  readonly forMs: number;
  /** What was in the way last, a clause for people. */
  readonly why: string;
  /** False: a limit or the strategy itself is in the way, and the side's other orders may go. */
  readonly blocks: boolean;
};

/** Whether what is wanted comes to rest; null: it does, or has not had the time. */
export type StuckQuotes = {
  readonly buy: StuckSide | null;
  readonly sell: StuckSide | null;
  /** Of the orders that are blocked, the one to try now, counted round; null: one was tried lately. */
  readonly trial: number | null;
};

export const nothingStuck: StuckQuotes = { buy: null, sell: null, trial: null };

export type RiskState = {
  /** All active latches; the guard picks those that apply to the view's market. */
  readonly latches: Latches;
  /** "failed" from the first write error until a write succeeds again. */
  readonly journal: Fact<"healthy" | StorageFault>;
  /** "reserve": what is written takes from the space that is kept for reductions and cancels. */
  readonly ledgerSpace: Fact<"free" | "reserve">;
  /** Why the key has no nonce for a new order; null: it has one. */
  readonly nonceRefusal: Fact<Facts | null>;
  /** Longest recent stall of the event loop, ms. */
  readonly eventLoopLagMs: Fact<number>;
  /** The on-chain budget, every request since it was read counted; null where the exchange shows none. Absent: never read. */
  readonly budget: Fact<RequestBudget | null>;
  readonly marketDailyPnl: Fact<DailyPnl>;
  readonly accountDailyPnl: Fact<DailyPnl>;
  /** A print of one of the account's markets is unconfirmed, and the account's PnL with it. */
  readonly isAccountPnlUnconfirmed: boolean;
  /** Worst-case notional of the account's other markets together. */
  readonly grossNotionalElsewhere: Fact<Usdc>;
  /** The strategy's own fair value this turn, USD; null: it has none. */
  readonly fairValueUsd: number | null;
  readonly observed: Observed;
  readonly stuckQuotes: StuckQuotes;
  /** Of the account's new orders, without an order that was taken in between; null: none. */
  readonly rejections: Rejections | null;
};

/** All inputs of one decision. */
export type RiskInputs = { readonly view: View; readonly limits: Limits; readonly state: RiskState };
