// The account book: everything that moved an account's money and positions, folded once. Nothing else computes money. The same events give
// the same book, whatever their order and however often they arrive.

import { meanPrice } from "../../domain/rounding.ts";
import { type MarketId, type Price, price, type Size, size, type Usdc, usdc } from "../../domain/units.ts";
import { type BoundedMap, createOldestOutMap } from "../../kernel/bounded.ts";
import {
  type AcceptedEvent,
  collateralGained,
  createMarketBook,
  type FillEvent,
  foldAccepted,
  foldFill,
  foldPosition,
  foldPosted,
  type MarketBook,
  type PositionEvent,
} from "./market-book.ts";

export type FundingEvent = {
  readonly kind: "funding";
  readonly marketId: MarketId;
  /** Unix seconds; unique within the market. */
  readonly atSec: number;
  /** Gain of the collateral; negative when we paid. */
  readonly amount: Usdc;
};

/** A print that changed the value of a held position. The amount is fixed when the print is first seen. */
export type PrintEvent = {
  readonly kind: "print";
  readonly marketId: MarketId;
  /** Identifies the print in its market: the stream has no time of publication, and each print has its own end. Unix seconds. */
  readonly validUntilSec: number;
  /** Signed inventory at that time, times the change of the oracle price; truncated toward zero. */
  readonly amount: Usdc;
};

/**
 * `opening`: what the account held when the book began. `whileAway`: what changed while the bot was down without a fill. `transfer`:
 * deposits, withdrawals, and anything else that neither a fill nor funding explains. `rounding` of fills, and `fills` with unknown fees,
 * are the two that count as PnL.
 */
export const transferReasons = ["opening", "whileAway", "transfer", "rounding", "fills"] as const;
export type TransferReason = (typeof transferReasons)[number];

/** A change of collateral other than by fills with their fees, and funding. */
export type TransferEvent = {
  readonly kind: "transfer";
  /** Unique per account: the same movement is booked once. */
  readonly key: string;
  readonly reason: TransferReason;
  /** For `fills`; null: of the account. */
  readonly marketId: MarketId | null;
  readonly amount: Usdc;
  /** Keys of fills whose fees and profits the amount replaces: fees that arrive later are not booked again. */
  readonly fillKeys: readonly string[];
};

export type BookEvent = FillEvent | PositionEvent | AcceptedEvent | FundingEvent | PrintEvent | TransferEvent;

export type AccountBook = {
  readonly markets: Map<MarketId, MarketBook>;
  /** Markets that changed since the account's sums were last updated, which clears this. */
  readonly touched: Set<MarketId>;
  /** Names of the newest fills, payments, prints and transfers, to detect duplicates. */
  readonly known: BoundedMap<string, true>;
  /** The collateral if the book knows everything that moved it. */
  collateral: Usdc;
  transfers: Usdc;
  /** The part of the transfers that counts as PnL of the account: rounding. */
  unassigned: Usdc;
  /** The opening balance is booked. */
  isOpened: boolean;
  transferCount: number;
};

/** More than any list of recent trades reaches back; some megabytes at most. */
const KNOWN_MAX = 20_000;

export const createAccountBook = (): AccountBook => ({
  markets: new Map(),
  touched: new Set(),
  known: createOldestOutMap(KNOWN_MAX),
  collateral: usdc(0n),
  transfers: usdc(0n),
  unassigned: usdc(0n),
  isOpened: false,
  transferCount: 0,
});

/** Changes the book by one event. A duplicate changes nothing, except that a copy of a fill may add its fee. */
export function foldBook(book: AccountBook, event: BookEvent): void {
  switch (event.kind) {
    case "fill": {
      const { key, marketId } = event.fill;
      const isKnown = !isNew(book, key);
      changeMarket(book, marketId, (market) => foldFill(market, event, isKnown));
      break;
    }
    case "position":
      changeMarket(book, event.marketId, (market) => foldPosition(market, event));
      break;
    case "accepted":
      changeMarket(book, event.marketId, (market) => foldAccepted(market, event));
      break;
    case "funding":
      if (isNew(book, `funding ${event.marketId} ${event.atSec}`)) foldFunding(book, event);
      break;
    case "print":
      if (isNew(book, `print ${event.marketId} ${event.validUntilSec}`)) foldPrint(book, event);
      break;
    case "transfer":
      if (isNew(book, transferName(event.key))) foldTransfer(book, event);
      break;
  }
}

/** True for a folded fill, among the newest twenty thousand. */
export const isBooked = (book: AccountBook, fillKey: string): boolean => book.known.has(fillKey);

/** Signed; long above zero. */
export const inventoryIn = (book: AccountBook, marketId: MarketId): Size =>
  book.markets.get(marketId)?.now.inventory ?? size(0n);

/** Mean price of the open position; 0 when flat. */
export function entryPriceIn(book: AccountBook, marketId: MarketId): Price {
  const now = book.markets.get(marketId)?.now;
  return now === undefined ? price(0n) : meanPrice(now.cost, now.inventory);
}

/** How often the position was taken from the exchange. */
export const readsIn = (book: AccountBook, marketId: MarketId): number => book.markets.get(marketId)?.now.reads ?? 0;

/** Signed contracts by which the position moved without a known fill. */
export function unattributedIn(book: AccountBook, marketId: MarketId): Size {
  const now = book.markets.get(marketId)?.now;
  return size(now === undefined ? 0n : now.inventory - now.attributed);
}

/** A key for the next transfer of this reason. */
export function freeTransferKey(book: AccountBook, reason: TransferReason): string {
  if (reason === "opening") return reason;
  for (let count = book.transferCount + 1; ; count += 1) {
    const key = `${reason}:${count}`;
    if (!book.known.has(transferName(key))) return key;
  }
}

function foldFunding(book: AccountBook, { marketId, amount }: FundingEvent): void {
  changeMarket(book, marketId, (market) => {
    market.funding = usdc(market.funding + amount);
  });
}

function foldPrint(book: AccountBook, { marketId, amount }: PrintEvent): void {
  changeMarket(book, marketId, (market) => {
    market.jump = usdc(market.jump + amount);
  });
}

function foldTransfer(book: AccountBook, { reason, marketId, amount, fillKeys }: TransferEvent): void {
  book.transferCount += 1;
  if (reason === "opening") book.isOpened = true;
  if (reason === "fills" && marketId !== null) {
    changeMarket(book, marketId, (market) => foldPosted(market, fillKeys, amount));
    return;
  }
  book.transfers = usdc(book.transfers + amount);
  book.collateral = usdc(book.collateral + amount);
  if (reason === "rounding") book.unassigned = usdc(book.unassigned + amount);
}

function changeMarket(book: AccountBook, marketId: MarketId, change: (market: MarketBook) => void): void {
  const market = book.markets.get(marketId) ?? createMarketBook();
  book.markets.set(marketId, market);
  const before = collateralGained(market);
  change(market);
  market.version += 1;
  book.touched.add(marketId);
  book.collateral = usdc(book.collateral + collateralGained(market) - before);
}

function isNew(book: AccountBook, name: string): boolean {
  if (book.known.has(name)) return false;
  book.known.set(name, true);
  return true;
}

const transferName = (key: string): string => `transfer ${key}`;
