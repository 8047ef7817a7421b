// Which trades a position already included when it was read, although we learned of them later.

import type { Fill } from "../../../domain/fill.ts";
import { type MarketId, signOf } from "../../../domain/units.ts";
import { readsIn, unattributedIn } from "../../accounting/account-book.ts";
import type { FeedState } from "../state.ts";
import type { AccountState } from "./account-state.ts";

/** A read that leaves so long after a trade, by chain time, includes it, unless the node that answers is behind. */
export const SETTLED_MS = 2000;

/**
 * Keys of the trades that the position already included when it was read. The trades are of one market and not booked; `receivedMs` is
 * monotonic. Trades from well before the read are included. Of the trades from around the read, and from the time that it took, the oldest are
 * included whose sizes add up to the move of the position; if no such sum exists, each trade that fits into what is left of the move. If all
 * that misses the move, and the oldest trades from well before the read make it up, the node that answered was behind: only these are included.
 */
export function shownTrades(
  { ages: { landingBoundMs } }: Pick<FeedState, "ages">,
  account: AccountState,
  { marketId, receivedMs }: { readonly marketId: MarketId; readonly receivedMs: number },
  trades: readonly Fill[],
): ReadonlySet<string> {
  const { basedAtChainMs, readTookMs } = account.positionReads.get(marketId) ?? account;
  const laterMs = ({ timestampMs }: Fill): number =>
    timestampMs === null || basedAtChainMs === null ? 0 : timestampMs - basedAtChainMs;
  const between = (fromMs: number, toMs: number): readonly Fill[] =>
    trades.filter((fill) => laterMs(fill) >= fromMs && laterMs(fill) < toMs).sort(byTime);
  // No read is that old.
  const certain = between(Number.NEGATIVE_INFINITY, -landingBoundMs);
  const before = between(-landingBoundMs, -SETTLED_MS);
  const about = between(-SETTLED_MS, readTookMs + SETTLED_MS);
  const moved = unattributedIn(account.book, marketId) - moveOf(certain);
  const left = moved - moveOf(before);
  const fitting = firstThat(about, left) ?? eachThat(about, left);
  // Nobody knows from where the very first position moved, and an unidentified order may have moved a later one back.
  const isMoveKnown = readsIn(account.book, marketId) > 1 && !account.orders.isAnyUnidentified(marketId, receivedMs);
  const behind = isMoveKnown && moveOf(fitting) !== left ? lastThat(before, moved) : undefined;
  return new Set([...certain, ...(behind ?? [...before, ...fitting])].map(({ key }) => key));
}

const moveOf = (fills: readonly Fill[]): bigint => fills.reduce((sum, fill) => sum + signed(fill), 0n);

const signed = ({ side, size }: Fill): bigint => signOf(side) * size;

const byTime = (one: Fill, other: Fill): number => (one.timestampMs ?? 0) - (other.timestampMs ?? 0);

/** The shortest beginning of the list that moved the position by exactly `moved`; undefined: none did. */
function firstThat(fills: readonly Fill[], moved: bigint): readonly Fill[] | undefined {
  let left = moved;
  for (const [count, fill] of fills.entries()) {
    if (left === 0n) return fills.slice(0, count);
    left -= signed(fill);
  }
  return left === 0n ? fills : undefined;
}

/** The longest beginning of the list, short of all of it, that moved the position by exactly `moved`; undefined: none did. */
function lastThat(fills: readonly Fill[], moved: bigint): readonly Fill[] | undefined {
  let left = moved - moveOf(fills);
  for (const [later, fill] of fills.toReversed().entries()) {
    left += signed(fill);
    if (left === 0n) return fills.slice(0, fills.length - 1 - later);
  }
  return undefined;
}

/** Those of the list that fit, one after the other, into what the position moved by. */
function eachThat(fills: readonly Fill[], moved: bigint): readonly Fill[] {
  let left = moved;
  return fills.filter((fill) => {
    if (signOf(fill.side) * left < fill.size) return false;
    left -= signed(fill);
    return true;
  });
}
