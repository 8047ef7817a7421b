// The account's worth for the ledger, on what is known now. A turn's view would be too old where no turn follows a fill, as in a stop:
// the book would already hold the fill, and its fee would seem to be missing.

import { type AccountId, usdc } from "../../../domain/units.ts";
import { lastKnown } from "../../../domain/view.ts";
import type { Clock } from "../../../kernel/clock.ts";
import { collateralOf } from "../../accounting/totals.ts";
import type { FeedState } from "../../feed/state.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { TradingLoop } from "../loop/loop.ts";
import type { AccountDesk } from "./account-desk.ts";

export type EquityModules = {
  readonly state: Pick<FeedState, "accounts">;
  readonly desks: ReadonlyMap<AccountId, AccountDesk>;
  readonly loop: Pick<TradingLoop, "view">;
  readonly ledger: Pick<Ledger, "equity">;
  readonly clock: Clock;
};

/** Books collateral and unrealized profit of each account whose money was read. */
export function snapshotEquity({ state, desks, loop, ledger, clock }: EquityModules): void {
  for (const { accountId, book, markets } of desks.values()) {
    const [marketId] = markets.keys();
    const funds = marketId === undefined ? undefined : lastKnown(loop.view(accountId, marketId).funds);
    if (funds === undefined) continue;
    const unexplained = state.accounts.get(accountId)?.collateral.unattributed?.amount ?? usdc(0n);
    const collateral = usdc(collateralOf(book) + unexplained);
    const unrealizedPnl = usdc(funds.equity - funds.collateral);
    ledger.equity({ accountId, atMs: clock.wallMs(), collateral, unrealizedPnl, unexplained });
  }
}
