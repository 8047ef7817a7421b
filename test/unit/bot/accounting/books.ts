// Account books as tests need them: fills from the few figures that matter, and books that begin with a position.

import {
  type AccountBook,
  type BookEvent,
  createAccountBook,
  foldBook,
  type TransferEvent,
  type TransferReason,
} from "../../../../src/bot/accounting/account-book.ts";
import type { FillEvent, MarketBook, Pnl, PositionEvent } from "../../../../src/bot/accounting/market-book.ts";
import { pnlOf } from "../../../../src/bot/accounting/market-book.ts";
import type { Fill } from "../../../../src/domain/fill.ts";
import { accountId, orderId, price, type Side, size, usdc } from "../../../../src/domain/units.ts";

export type FillFigures = {
  readonly key: string;
  readonly marketId?: number;
  readonly side: Side;
  /** Price scale. */
  readonly price: bigint;
  /** Size scale. */
  readonly size: bigint;
  readonly fee?: bigint | null;
  readonly realizedPnl?: bigint | null;
  readonly timestampMs?: number | null;
};

/** The fee is 0 unless told. */
export const fillOf = ({ key, marketId = 1, side, price: at, size: contracts, ...of }: FillFigures): Fill => ({
  accountId: accountId(12n),
  marketId,
  orderId: orderId(7n),
  side,
  liquidity: "maker",
  price: price(at),
  size: size(contracts),
  fee: of.fee === null ? null : usdc(of.fee ?? 0n),
  realizedPnl: of.realizedPnl == null ? null : usdc(of.realizedPnl),
  txHash: `hash-${key}`,
  timestampMs: of.timestampMs ?? null,
  key,
});

export type FillContext = Partial<Pick<FillEvent, "readsBefore" | "money">> & {
  readonly referencePrice?: bigint | null;
};

/** Booked after the first read of the position, for its own money, unless told otherwise. */
export const filled = (figures: FillFigures, context: FillContext = {}): FillEvent => ({
  kind: "fill",
  fill: fillOf(figures),
  referencePrice: context.referencePrice == null ? null : price(context.referencePrice),
  readsBefore: context.readsBefore ?? 1,
  money: context.money ?? "own",
});

export type PositionFigures = {
  readonly marketId?: number;
  readonly number?: number;
  readonly inventory: bigint;
  readonly entryPrice?: bigint;
  readonly oraclePrice?: bigint;
  readonly isAdopted?: boolean;
};

/** The first read unless told otherwise; the oracle price is the entry price. */
export const positionRead = ({ inventory, entryPrice = 0n, ...of }: PositionFigures): PositionEvent => ({
  kind: "position",
  marketId: of.marketId ?? 1,
  number: of.number ?? 1,
  inventory: size(inventory),
  entryPrice: price(entryPrice),
  oraclePrice: price(of.oraclePrice ?? entryPrice),
  isAdopted: of.isAdopted ?? false,
});

/** Of no market, and standing for no fills. */
export const transferOf = (key: string, amount: bigint, reason: TransferReason = "opening"): TransferEvent => ({
  kind: "transfer",
  key,
  reason,
  marketId: null,
  amount: usdc(amount),
  fillKeys: [],
});

export const bookOf = (...events: readonly BookEvent[]): AccountBook => {
  const book = createAccountBook();
  for (const event of events) foldBook(book, event);
  return book;
};

/** The one market, 1, of a book that has it. */
export function marketIn(book: AccountBook, marketId = 1): MarketBook {
  const market = book.markets.get(marketId);
  if (market === undefined) throw new RangeError(`the book has no market ${marketId}`);
  return market;
}

export const pnlAt = (book: AccountBook, markPrice: bigint, marketId = 1): Pnl =>
  pnlOf(marketIn(book, marketId), price(markPrice));

/** What a book says, whatever it remembers of the way it came to it. */
export function said({ markets, known: _known, ...account }: AccountBook) {
  const each = [...markets].map(([marketId, { posted: _posted, version: _version, ...market }]) => ({
    marketId,
    ...market,
  }));
  return { account, markets: each.sort((one, other) => one.marketId - other.marketId) };
}
