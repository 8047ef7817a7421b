// What the guard knows beside the view: halts, the health of our own process and journal, results, and what it watched itself.

import { type Usdc, usdc } from "../../domain/units.ts";
import type { Fact, View } from "../../domain/view.ts";
import type { Latches } from "./latches.ts";
import type { Limits } from "./limits/limits.ts";
import type { Watch } from "./watch.ts";

/** Result since the start of the day in USDC: realized, unrealized, funding and fees; and the best it was. */
export type DailyPnl = { readonly pnl: Usdc; readonly best: Usdc };

/** The result after the day's profit became `pnl`; null starts a day, which begins at zero. */
export function nextDailyPnl(previous: DailyPnl | null, pnl: Usdc): DailyPnl {
  const best = previous === null ? 0n : previous.best;
  return { pnl, best: usdc(pnl > best ? pnl : best) };
}

export type RiskState = {
  /** All that are held; the guard picks those that bear on the view's market. */
  readonly latches: Latches;
  /** "failed" from the first write error until a write succeeds again. */
  readonly journal: Fact<"healthy" | "failed">;
  /** Longest stall of the event loop lately, ms. */
  readonly eventLoopLagMs: Fact<number>;
  /** Requests of the on-chain budget left; null where the exchange shows none. Absent: never read. */
  readonly budgetRemaining: Fact<bigint | null>;
  readonly marketDailyPnl: Fact<DailyPnl>;
  readonly accountDailyPnl: Fact<DailyPnl>;
  /** Worst-case notional of the account's other markets together. */
  readonly grossNotionalElsewhere: Fact<Usdc>;
  /** The strategy's own center this turn; null: it has none. */
  readonly fairValueUsd: number | null;
  readonly watch: Watch;
};

/** All that one decision stands on. */
export type Ground = { readonly view: View; readonly limits: Limits; readonly state: RiskState };
