// Moves old rows of money in memory to an archive and replaces them by an opening balance: the same rule as in SQL, all at once.

import type { AccountId, MarketId } from "../../../domain/units.ts";
import { TAIL_MAX } from "../../accounting/market-book.ts";
import type { Opening } from "../../accounting/opening.ts";
import { foldOldSums, foldOldTrading } from "../fold-old.ts";
import type { Money, Rows } from "./memory-rows.ts";

/** Moves rows older than `beforeMs` (wall); false if there are none. */
export function foldOldRows(rows: Rows, beforeMs: number): boolean {
  const traded = [...foldTrading(rows, beforeMs)];
  const summed = foldSums(rows, beforeMs);
  return traded.length > 0 || summed;
}

/** Whether `foldOldRows` would move anything. Rows are in order of arrival, so the search ends at the first young one. */
export function hasOldRows(rows: Money, beforeMs: number): boolean {
  const counts = new Map<string, number>();
  for (const { event, receivedMs } of rows.fills.values()) {
    if (receivedMs >= beforeMs) break;
    const key = openingKey(event.fill.accountId, event.fill.marketId);
    const count = (counts.get(key) ?? 0) + 1;
    if (count > TAIL_MAX) return true;
    counts.set(key, count);
  }
  return (
    rows.funding
      .values()
      .take(1)
      .some(({ event }) => event.atSec * 1000 < beforeMs) ||
    rows.prints
      .values()
      .take(1)
      .some(({ event }) => event.validUntilSec * 1000 < beforeMs) ||
    rows.transfers
      .values()
      .take(1)
      .some(({ atMs }) => atMs < beforeMs)
  );
}

export const openingKey = (account: AccountId, marketId: MarketId | null): string => `${account} ${marketId}`;

function* foldTrading(rows: Rows, beforeMs: number): Iterable<Opening> {
  const old = [...rows.fills].filter(([, { receivedMs }]) => receivedMs < beforeMs);
  const byMarket = Map.groupBy(old, ([, { event }]) => openingKey(event.fill.accountId, event.fill.marketId));
  for (const [key, fills] of byMarket) {
    const [first] = fills;
    if (first === undefined || fills.length <= TAIL_MAX) continue;
    const { accountId, marketId } = first[1].event.fill;
    const readsMax = Math.max(...fills.map(([, { event }]) => event.readsBefore));
    const positions = [...rows.positions].filter(
      ([, { accountId: of, event }]) => of === accountId && event.marketId === marketId && event.number <= readsMax,
    );
    const folded = foldOldTrading(
      marketId,
      rows.openings.get(key)?.opening,
      fills.map(([, { event }]) => event),
      positions.map(([, { event, isAccepted }]) => ({ position: event, isAccepted })),
    );
    move(
      rows,
      "fills",
      fills.filter(([, { event }]) => folded.fills.has(event.fill.key)),
    );
    move(
      rows,
      "positions",
      positions.filter(([, { event }]) => folded.positions.has(event.number)),
    );
    keep(rows, accountId, folded.opening);
    yield folded.opening;
  }
}

function foldSums(rows: Rows, beforeMs: number): boolean {
  const funding = [...rows.funding].filter(([, { event }]) => event.atSec * 1000 < beforeMs);
  const prints = [...rows.prints].filter(([, { event }]) => event.validUntilSec * 1000 < beforeMs);
  const transfers = [...rows.transfers].filter(([, { atMs }]) => atMs < beforeMs);
  const all = [...funding, ...prints, ...transfers].map(([, row]) => row);
  for (const [accountId, list] of Map.groupBy(all, (row) => row.accountId)) {
    const places = new Set<MarketId | null>([null, ...list.map(({ event }) => event.marketId)]);
    const before = [...places].flatMap((marketId) => rows.openings.get(openingKey(accountId, marketId))?.opening ?? []);
    const openings = foldOldSums(
      before,
      list.map(({ event }) => event),
    );
    for (const opening of openings) keep(rows, accountId, opening);
  }
  move(rows, "funding", funding);
  move(rows, "prints", prints);
  move(rows, "transfers", transfers);
  return all.length > 0;
}

function move<K extends keyof Money>(rows: Rows, table: K, found: Iterable<readonly [string, unknown]>): void {
  for (const [key, row] of found) {
    (rows.archive[table] as Map<string, unknown>).set(key, row);
    rows[table].delete(key);
  }
}

function keep(rows: Rows, accountId: AccountId, opening: Opening): void {
  const key = openingKey(accountId, opening.marketId);
  const accepted = rows.openings.get(key)?.opening.accepted ?? 0;
  rows.openings.set(key, { accountId, opening: { ...opening, accepted } });
}
