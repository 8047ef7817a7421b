// What accounts and markets are worth, for the ledger, on what is known now. A turn's view would be too old where no turn follows a fill, as in a stop:
// the book would already hold the fill, and its fee would seem to be missing.

import { type AccountId, usdc } from "../../domain/units.ts";
import { lastKnown } from "../../domain/view.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { BotState } from "../account/account-state.ts";
import { collateralOf } from "../accounting/totals.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { chainTimeMs } from "../market/time.ts";
import type { TradingLoop } from "../decider/step.ts";
import type { AccountDesk } from "../decider/desks/account-desk.ts";
import { dayOf } from "../decider/desks/day-tracker.ts";

export type EquityModules = {
  readonly state: Pick<BotState, "accounts" | "chain">;
  readonly desks: ReadonlyMap<AccountId, AccountDesk>;
  readonly loop: Pick<TradingLoop, "view">;
  readonly ledger: Pick<Ledger, "equity">;
  readonly clock: Clock;
};

/** Keeps the prices of each market, and collateral and unrealized profit of each account whose money was read. */
export function snapshotEquity({ state, desks, loop, ledger, clock }: EquityModules): void {
  const day = dayOf(chainTimeMs(state, clock.monotonicMs()), clock.wallMs());
  for (const { accountId, book, markets, records } of desks.values()) {
    for (const market of markets.values()) records.mark(market, day, clock.wallMs());
    const [marketId] = markets.keys();
    const funds = marketId === undefined ? undefined : lastKnown(loop.view(accountId, marketId).funds);
    if (funds === undefined) continue;
    const unexplained = state.accounts.get(accountId)?.collateral.unexplained?.amount ?? usdc(0n);
    const collateral = usdc(collateralOf(book) + unexplained);
    const unrealizedPnl = usdc(funds.equity - funds.collateral);
    ledger.equity({ accountId, atMs: clock.wallMs(), collateral, unrealizedPnl, unexplained });
  }
}
