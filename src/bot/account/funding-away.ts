// What settlements paid while no daemon ran: the move of each market's index on an unchanged position.

import type { FundedTo } from "../../domain/market.ts";
import { divideCeil } from "../../domain/rounding.ts";
import { type MarketId, NOTIONAL_DIVISOR, type Size, type Usdc, usdc } from "../../domain/units.ts";
import { inventoryIn } from "../accounting/account-book.ts";
import type { Posting } from "../accounting/explain.ts";
import type { AccountState, BotState } from "./account-state.ts";

type FundingPosting = Extract<Posting, { readonly kind: "funding" }>;

/** Returns until when the book has the market's funding; null: the exchange shows no index, or the account was not adopted yet. */
export function fundedTo({ collateral }: Pick<AccountState, "collateral">, marketId: MarketId): FundedTo | null {
  const [sec, index] = [collateral.settledSec.get(marketId), collateral.fundingIndex.get(marketId)];
  return sec === undefined || index === undefined ? null : { sec, index };
}

/**
 * Returns funding that adds up to `amount`, a change of collateral, where the index confirms it to the unit; otherwise none: it may be a
 * deposit, or the index may be in another scale than prices (S2.4 names none). `held`: the positions that earlier runs left.
 */
export function fundingAway(
  state: BotState,
  account: AccountState,
  amount: Usdc,
  held: ReadonlyMap<MarketId, Size>,
): readonly FundingPosting[] {
  const paid: { marketId: MarketId; amount: bigint }[] = [];
  let [rest, settlements]: [bigint, number] = [amount, 0];
  for (const [marketId, inventory] of held) {
    if (inventory === 0n) continue;
    const { fundingIndex = null, funding = null } = state.markets.get(marketId) ?? {};
    const before = fundedTo(account, marketId);
    if (before === null || fundingIndex === null || inventoryIn(account.book, marketId) !== inventory) return [];
    const gained = -divideCeil(inventory * (fundingIndex.value - before.index), NOTIONAL_DIVISOR);
    if (gained === 0n) continue;
    paid.push({ marketId, amount: gained });
    rest -= gained;
    settlements += Math.ceil((fundingIndex.lastSec - before.sec) / (funding?.value.fundingIntervalSecs ?? 3600));
  }
  const [first] = paid;
  // The exchange rounds each settlement.
  if (first === undefined || (rest < 0n ? -rest : rest) > BigInt(Math.max(0, settlements))) return [];
  first.amount += rest;
  return paid.map((posting) => ({ kind: "funding", marketId: posting.marketId, amount: usdc(posting.amount) }));
}
