// Folds old rows into the opening balance that replaces them. Only those fills and reads of a market are folded that the account book can
// no longer reorder; rows without an order are only summed.

import type { MarketId } from "../../domain/units.ts";
import {
  type AccountBook,
  createAccountBook,
  type FundingEvent,
  foldBook,
  type PrintEvent,
  type TransferEvent,
} from "../accounting/account-book.ts";
import type { FillEvent } from "../accounting/market-book.ts";
import { type Opening, openingOf, openWith } from "../accounting/opening.ts";
import { foldTrading } from "./rebuild.ts";
import type { StoredPosition } from "./store.ts";

export type FoldedTrading = {
  readonly opening: Opening;
  /** Keys of the fills, and numbers of the reads, that the opening replaces. */
  readonly fills: ReadonlySet<string>;
  readonly positions: ReadonlySet<number>;
};

/** Folds the oldest fills of one market, in writing order, with the reads of its position up to the last of them. */
export function foldOldTrading(
  marketId: MarketId,
  before: Opening | undefined,
  fills: readonly FillEvent[],
  positions: readonly StoredPosition[],
): FoldedTrading {
  const book = openedWith([before]);
  foldTrading(book, fills, positions);
  const tail = book.markets.get(marketId)?.tail ?? [];
  const left = new Set(tail.map((entry) => (entry.kind === "fill" ? entry.fill.key : entry.number)));
  return {
    opening: openingOf(book, marketId),
    fills: new Set(fills.map(({ fill }) => fill.key).filter((key) => !left.has(key))),
    positions: new Set(positions.map(({ position }) => position.number).filter((number) => !left.has(number))),
  };
}

/** Folds payments, prints and transfers of one account. `before`: its openings for the account itself and the markets concerned. */
export function foldOldSums(
  before: readonly Opening[],
  events: readonly (FundingEvent | PrintEvent | TransferEvent)[],
): readonly Opening[] {
  const book = openedWith(before);
  for (const event of events) foldBook(book, event);
  const concerned = new Set(events.map(({ marketId }) => marketId));
  if (events.some(({ kind }) => kind === "transfer")) concerned.add(null);
  return [...concerned].map((marketId) => openingOf(book, marketId));
}

function openedWith(openings: readonly (Opening | undefined)[]): AccountBook {
  const book = createAccountBook();
  for (const opening of openings) if (opening !== undefined) openWith(book, opening);
  return book;
}
