// What the position of a market may be at worst: as our fills have it, as reads showed it that nothing has refuted, and as it would be
// if what is left of orders that may be over had been filled, and all that earlier holders of the account may have sent.

import { type Account, inventoryOf } from "../../../domain/account.ts";
import type { Fill } from "../../../domain/fill.ts";
import { type MarketId, signOf, size } from "../../../domain/units.ts";
import type { PositionRange } from "../../../domain/view.ts";
import { inventoryIn } from "../../accounting/account-book.ts";
import type { AccountState, SeenPosition } from "./account-state.ts";
import type { Newness } from "./newness.ts";
import { isUnreadable } from "./unreadable.ts";

export function positionRange({ book, orders, seenPositions }: AccountState, marketId: MarketId): PositionRange {
  const inventory = inventoryIn(book, marketId);
  let [low, high]: [bigint, bigint] = [inventory, inventory];
  for (const seen of seenPositions.get(marketId) ?? []) {
    if (seen.inventory - seen.sold < low) low = seen.inventory - seen.sold;
    if (seen.inventory + seen.bought > high) high = seen.inventory + seen.bought;
  }
  const late: bigint = orders.mayLand(marketId);
  let [bought, sold] = [late, late];
  for (const { side, remainingSize } of orders.fillsPending(marketId)) {
    if (side === "buy") bought += remainingSize;
    else sold += remainingSize;
  }
  return { low: size(low - sold), high: size(high + bought) };
}

/** A position that may be the account's counts from now on. */
export function seePosition(
  account: AccountState,
  marketId: MarketId,
  seen: Omit<SeenPosition, "bought" | "sold">,
): void {
  const all = account.seenPositions.get(marketId) ?? [];
  // Read again, it may be as old as the first time.
  const { bought, sold } = all.find(({ inventory }) => inventory === seen.inventory) ?? NOTHING;
  const others = all.filter(({ inventory }) => inventory !== seen.inventory);
  account.seenPositions.set(marketId, [...others, { ...seen, bought, sold }]);
  account.sums.reprice(marketId);
}

const NOTHING = { bought: size(0n), sold: size(0n) } as const;

/** A fill moves what the ledger had at the start, which lacks it. A position as read may include it already, or not. */
export function moveSeenPositions(account: AccountState, { marketId, side, size: filled }: Fill): void {
  const seen = account.seenPositions.get(marketId);
  if (seen === undefined) return;
  const move = ({ inventory, bought, sold, ...one }: SeenPosition): SeenPosition => {
    if (one.lifetimeVolume === null)
      return { ...one, inventory: size(inventory + signOf(side) * filled), bought, sold };
    if (side === "buy") return { ...one, inventory, bought: size(bought + filled), sold };
    return { ...one, inventory, bought, sold: size(sold + filled) };
  };
  account.seenPositions.set(marketId, seen.map(move));
  account.sums.reprice(marketId);
}

/**
 * What a read is newer than no longer counts: it has a later order or fill of ours, or more volume. What the ledger had at the start moves with
 * our fills: only a read that agrees with the other sum of them refutes it.
 */
export function refutePositions(account: AccountState, read: Account, { trustedMs, lifetimeVolume }: Newness): void {
  for (const [marketId, all] of account.seenPositions) {
    if (isUnreadable(read, marketId)) continue;
    const found = inventoryOf(read.positions.find((position) => position.marketId === marketId));
    const agrees = found === inventoryIn(account.book, marketId);
    const left = all.filter((seen) => {
      const isOlder = trustedMs >= seen.receivedMs;
      return seen.lifetimeVolume === null ? !(isOlder && agrees) : !isOlder && lifetimeVolume <= seen.lifetimeVolume;
    });
    if (left.length === 0) account.seenPositions.delete(marketId);
    else account.seenPositions.set(marketId, left);
    account.sums.reprice(marketId);
  }
}
