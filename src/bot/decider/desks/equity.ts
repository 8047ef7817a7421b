// Current worth of accounts and markets, for the ledger. A turn's view would be too old where no turn follows a fill, as in a stop: the
// book would already hold the fill, and its fee would seem to be missing.

import type { Account } from "../../../domain/account.ts";
import { type AccountId, type MarketId, usdc } from "../../../domain/units.ts";
import { lastKnown, type View } from "../../../domain/view.ts";
import type { Instant } from "../../../kernel/clock.ts";
import type { AccountState, BotState } from "../../account/account-state.ts";
import { collateralOf } from "../../accounting/totals.ts";
import type { ChainMark } from "../../ledger/store.ts";
import { chainTimeMs } from "../../market/time.ts";
import type { AccountDesk } from "./account-desk.ts";
import { dayOf } from "./day-tracker.ts";

export type EquityModules = {
  readonly state: Pick<BotState, "accounts" | "chain">;
  readonly desks: ReadonlyMap<AccountId, AccountDesk>;
  readonly now: Instant;
  readonly view: (account: AccountId, market: MarketId) => View;
};

/** Keeps the prices of each market, and the collateral and unrealized profit of each account whose money was read. */
export function keepEquity({ state, desks, now, view }: EquityModules): void {
  const { monotonicMs, wallMs } = now;
  const day = dayOf(chainTimeMs(state, monotonicMs), wallMs);
  for (const { accountId, book, markets, records } of desks.values()) {
    for (const market of markets.values()) records.mark(market, day, wallMs);
    const [marketId] = markets.keys();
    const funds = marketId === undefined ? undefined : lastKnown(view(accountId, marketId).funds);
    if (funds === undefined) continue;
    const unexplained = state.accounts.get(accountId)?.collateral.unexplained?.amount ?? usdc(0n);
    const collateral = usdc(collateralOf(book) + unexplained);
    const unrealizedPnl = usdc(funds.equity - funds.collateral);
    records.equity({ atMs: wallMs, collateral, unrealizedPnl, unexplained });
  }
}

/** Returns the account's chain mark where its last read agreed with our state; else null. */
export function agreedMark(account: AccountState | undefined): ChainMark | null {
  if (!account?.read || account.reconcile.agreedMs !== account.read.askedMs) return null;
  return markOf(account.read.value);
}

export const markOf = ({ createdAtMs, lifetimeVolume }: Account): ChainMark => ({
  createdAtMs: createdAtMs ?? 0,
  lifetimeVolume: lifetimeVolume ?? usdc(0n),
});
