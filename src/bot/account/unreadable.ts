// Orders and positions of the account that could not be read. Such an order may have any size, so its side of its market takes no new
// exposure; such a position may have any size, so its market takes none. One whose market is unknown counts in all markets.

import { type Account, type Unreadable, unreadableText } from "../../domain/account.ts";
import type { MarketId } from "../../domain/units.ts";
import type { AccountState } from "./account-state.ts";
import type { AccountEffect } from "./effects.ts";

const NONE: readonly Unreadable[] = Object.freeze([]);

/** Returns those of the last read that count in the market. The terms of our own orders are known without the list. */
export function unreadableIn({ read, orders }: AccountState, marketId: MarketId): readonly Unreadable[] {
  const all = read?.value.unreadable ?? NONE;
  if (all.length === 0) return NONE;
  return all.filter(
    ({ orderId, marketId: of }) =>
      (of === null || of === marketId) && (orderId === null || orders.tracked(orderId)?.origin !== "ours"),
  );
}

/** True where the read does not say which position the market has. */
export const isUnreadable = ({ unreadable }: Account, marketId: MarketId): boolean =>
  unreadable.some((item) => item.what === "position" && (item.marketId === null || item.marketId === marketId));

/** Returns what this read could not read and the one before did not show, once each. Call it before the read is held. */
export function newlyUnreadable({ accountId, read }: AccountState, { unreadable }: Account): readonly AccountEffect[] {
  if (unreadable.length === 0) return [];
  const before = new Set((read?.value.unreadable ?? NONE).map(unreadableText));
  return unreadable
    .filter((item) => !before.has(unreadableText(item)))
    .map((item) => ({ kind: "unreadable", accountId, item }));
}
