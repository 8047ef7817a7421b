// What a read of the account lacks that is older than the newest fills of the book: where the book once had the positions that the read
// shows, it may be of that time.

import { type Account, inventoryOf } from "../../domain/account.ts";
import type { Fill } from "../../domain/fill.ts";
import { notional } from "../../domain/rounding.ts";
import { type MarketId, signOf, type Usdc } from "../../domain/units.ts";
import type { AccountBook } from "./account-book.ts";
import type { MarketBook } from "./market-book.ts";

/**
 * Notional of the fills that the read may lack, the oldest first: one list for each time since `sinceMs`, chain time, at which the book
 * had its positions. Positions return, so that not more than one of these is right, and none may be.
 */
export function volumesLackedBy(
  { positions }: Pick<Account, "positions">,
  book: AccountBook,
  sinceMs: number,
): readonly (readonly Usdc[])[] {
  const apart = new Map<MarketId, bigint>([...book.markets].map(([marketId, { now }]) => [marketId, now.inventory]));
  const move = (marketId: MarketId, by: bigint): void => void apart.set(marketId, (apart.get(marketId) ?? 0n) + by);
  for (const position of positions) move(position.marketId, -inventoryOf(position));
  const lists: (readonly Usdc[])[] = [];
  let lacked: readonly Usdc[] = [];
  for (const { marketId, side, size, price, timestampMs } of newestFills(book)) {
    if (timestampMs === null || timestampMs < sinceMs) break;
    lacked = [notional(price, size), ...lacked];
    move(marketId, -signOf(side) * size);
    if ([...apart.values()].every((contracts) => contracts === 0n)) lists.push(lacked);
  }
  return lists;
}

/** The fills of all markets since a read last corrected a position, the last one first. */
const newestFills = ({ markets }: AccountBook): readonly Fill[] =>
  [...markets.values()].flatMap(newestIn).sort((one, other) => (other.timestampMs ?? 0) - (one.timestampMs ?? 0));

function newestIn({ tail, states, settled }: MarketBook): readonly Fill[] {
  const newest: Fill[] = [];
  for (let at = tail.length - 1; at >= 0; at -= 1) {
    const entry = tail[at];
    if (entry?.kind === "fill") newest.push(entry.fill);
    else if (entry?.inventory !== (states[at - 1] ?? settled).inventory) break;
  }
  return newest;
}
