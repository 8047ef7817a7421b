// Books what moves positions and money into the account book: fills, positions as read, and changes of collateral.

import { type Account, inventoryOf, type Position } from "../../domain/account.ts";
import { type Fill, fillKey } from "../../domain/fill.ts";
import type { Oracle } from "../../domain/market.ts";
import { othersMid } from "../../domain/others-book.ts";
import { notional } from "../../domain/rounding.ts";
import { type MarketId, type Price, price, type Size, size, type Usdc, usdc } from "../../domain/units.ts";
import { fresh } from "../../domain/view.ts";
import { assert } from "../../kernel/assert.ts";
import {
  type FundingEvent,
  foldBook,
  freeTransferKey,
  inventoryIn,
  isBooked,
  type PrintEvent,
  readsIn,
  type TransferEvent,
  type TransferReason,
} from "../accounting/account-book.ts";
import { explainByFills, type Posting } from "../accounting/explain.ts";
import { emptyState, type FillEvent, lacksFee, type PositionEvent } from "../accounting/market-book.ts";
import { collateralOf } from "../accounting/totals.ts";
import { noEffects } from "../market/effects.ts";
import { bookFact, streamFact } from "../market/freshness.ts";
import { marketOf } from "../market/state.ts";
import { chainTimeMs } from "../market/time.ts";
import { foldOrderEvent } from "./account-orders.ts";
import type { BotState } from "./account-state.ts";
import { type AccountState, type Adoption, newPosition } from "./account-state.ts";
import { expectedIn } from "./collateral-states.ts";
import type { AccountEffect, AccountEffects, FillSource, MovedAway } from "./effects.ts";
import { fundingAway } from "./funding-away.ts";
import { judgeFee } from "./paid-fees.ts";
import { pendingMoney } from "./pending-money.ts";
import { isUnreadable } from "./unreadable.ts";

export const magnitude = (signed: Size): Size => (signed < 0n ? size(-signed) : signed);

/**
 * Books a fill once, whatever its sources; a later copy may add a missing fee. If its order was over when its position was adopted, that
 * position includes it already.
 */
export function bookFill(
  state: BotState,
  account: AccountState,
  fill: Fill,
  source: FillSource,
  receivedMs: number,
): AccountEffects {
  const { book, collateral, doubts } = account;
  const { marketId, key, side, size: filled } = fill;
  if (isBooked(book, key)) return amendFill(state, account, fill, receivedMs);
  // The first adoption means that every unlisted market was flat.
  const effects = account.adoptedMs === null ? noEffects : bookFlat(state, account, marketId);
  const position = account.positions.get(marketId);
  const isInPosition = position === undefined || isAdopted(account, fill, position.adoption);
  const reads = readsIn(book, marketId);
  const event: FillEvent = {
    kind: "fill",
    fill,
    referencePrice: referencePrice(state, account, marketId, receivedMs),
    readsBefore: isInPosition && position !== undefined ? reads - 1 : reads,
    // A book of earlier runs lacks the money of a fill that arrives before the first adoption.
    money: isInPosition && (position !== undefined || !book.isOpened) ? "read" : "own",
  };
  const before = inventoryIn(book, marketId);
  const expected = expectedIn(book);
  foldBook(book, event);
  const ofOrder = account.orders.tracked(fill.orderId)?.filled;
  const ofFill = ofOrder === undefined ? null : { before: ofOrder, after: size(ofOrder + filled) };
  collateral.states.filled(expected, { key, orderId: fill.orderId, filled: ofFill }, receivedMs);
  if (!isInPosition) {
    const after = inventoryIn(book, marketId);
    position.held.left(before, receivedMs, state.readLagMaxMs);
    if (magnitude(after) > position.peak) position.peak = magnitude(after);
    doubts.filled(marketId, side, filled, after);
    collateral.fillCount += 1;
    collateral.filledMs = receivedMs;
  }
  // The list with which a position was adopted says how much of each order was filled.
  const ordered = isInPosition ? noEffects : foldOrderEvent(account, { kind: "filled", fill, receivedMs });
  return [...effects, ...ordered, { ...event, source }, ...judgeFee(state, account, fill, receivedMs)];
}

/** Whether the adopted position includes the fill: its order was over by then, or the trades had it already. */
function isAdopted({ orders }: AccountState, { orderId, key }: Fill, { askedMs, fillKeys }: Adoption): boolean {
  const endedMs = orders.endedMs(orderId);
  return endedMs === undefined ? fillKeys.has(key) : endedMs <= askedMs;
}

/** Takes a position from the exchange: a move without a fill is no longer searched for. */
export function adoptPosition(
  state: BotState,
  account: AccountState,
  marketId: MarketId,
  position: Position | undefined,
  askedMs: number,
): AccountEffects {
  const flat = bookFlat(state, account, marketId);
  const isMoved = inventoryOf(position) !== inventoryIn(account.book, marketId);
  account.positions.set(
    marketId,
    newPosition({ askedMs, fillKeys: fillKeysOf(state, marketId) }, magnitude(inventoryOf(position))),
  );
  if (!isMoved) return flat;
  const taken = takePosition(state, account, marketId, position, true);
  const accepted = { kind: "accepted", marketId, number: readsIn(account.book, marketId) } as const;
  foldBook(account.book, accepted);
  return [...flat, taken, { kind: "movementAccepted", accountId: account.accountId, accepted }];
}

/**
 * The first adoption of a run begins the book, or continues it: fills, funding and `whileAway` explain what changed while the bot was away.
 * `receivedMs`: of the read, monotonic.
 */
export function openBook(state: BotState, account: AccountState, read: Account, receivedMs: number): AccountEffects {
  const { accountId, book } = account;
  const effects: AccountEffect[] = [];
  const moved: MovedAway[] = [];
  const heldBefore = new Map(Array.from(book.markets, ([marketId, { now }]) => [marketId, now.inventory]));
  let worth = 0n;
  for (const marketId of new Set([...read.positions.map((position) => position.marketId), ...book.markets.keys()])) {
    // The ledger's value holds until it can be read.
    if (isUnreadable(read, marketId)) continue;
    const position = read.positions.find((held) => held.marketId === marketId);
    const held = book.markets.get(marketId)?.now ?? emptyState;
    const before = held.inventory;
    effects.push(takeFirst(state, account, marketId, position, fillKeysOf(state, marketId)));
    const now = book.markets.get(marketId)?.now ?? emptyState;
    if (before !== now.inventory) moved.push({ marketId, from: before, to: now.inventory });
    // The position did not gain what its PnL gained at the price of the move.
    worth += held.estimated - now.estimated;
  }
  const amount = usdc(read.collateral - collateralOf(book));
  const ofAccount = (reason: TransferReason, left: Usdc) =>
    bookTransfer(account, { reason, marketId: null, amount: left, fillKeys: [] });
  if (!book.isOpened)
    return [...effects, { kind: "bookOpened", accountId, postings: [ofAccount("opening", amount)], away: null }];
  const { fills, rest } = explainByFills(amount, pendingMoney(state, account));
  const funding = fundingAway(state, account, rest, heldBefore);
  const atSec = chainSecOf(state, receivedMs);
  const postings = [...fills, ...funding].map((posting) => bookPosting(account, posting, atSec));
  const isLeft = rest !== 0n && funding.length === 0;
  if (isLeft) postings.push(ofAccount("whileAway", rest));
  const pnl = isLeft ? usdc(amount - rest) : amount;
  const away = { amount, pnl, worth: usdc(amount + worth), moved };
  const isChanged = amount !== 0n || moved.length > 0;
  return [...effects, { kind: "bookOpened", accountId, postings, away: isChanged ? away : null }];
}

/** Returns chain time at a monotonic instant, Unix seconds; while the chain's clock is unknown, the newest settlement's. */
export function chainSecOf(state: BotState, atMs: number): number {
  const newestSec = Math.max(0, ...[...state.markets.values()].map(({ settledSec }) => settledSec));
  return Math.floor((chainTimeMs(state, atMs) ?? newestSec * 1000) / 1000);
}

/** Books a change of collateral under its cause. */
export function bookPosting(account: AccountState, posting: Posting, atSec: number): FundingEvent | TransferEvent {
  if (posting.kind === "transfer") return bookTransfer(account, posting);
  const event: FundingEvent = { ...posting, atSec };
  foldBook(account.book, event);
  return event;
}

/** Books a print's effect on the position. An account that was not adopted yet books nothing, since its position is unknown. */
export function bookPrint(
  account: AccountState,
  before: Oracle,
  { marketId, price: at, validUntilSec }: Oracle,
): AccountEffects {
  const { accountId, book } = account;
  const amount = notional(price(at - before.price), inventoryIn(book, marketId));
  if (account.adoptedMs === null || amount === 0n) return noEffects;
  const print: PrintEvent = { kind: "print", marketId, validUntilSec, amount };
  foldBook(book, print);
  return [{ kind: "printBooked", accountId, print }];
}

function bookTransfer({ book }: AccountState, transfer: Omit<TransferEvent, "kind" | "key">): TransferEvent {
  const event: TransferEvent = { ...transfer, kind: "transfer", key: freeTransferKey(book, transfer.reason) };
  foldBook(book, event);
  return event;
}

/** The first adoption of the account means that it is flat in every unlisted market. */
function bookFlat(state: BotState, account: AccountState, marketId: MarketId): AccountEffects {
  return account.positions.has(marketId) ? noEffects : [takeFirst(state, account, marketId, undefined, NONE)];
}

function takeFirst(
  state: BotState,
  account: AccountState,
  marketId: MarketId,
  position: Position | undefined,
  fillKeys: Adoption["fillKeys"],
): AccountEffect {
  assert(account.adoptedMs !== null, "a position is known once its account was adopted");
  const adoption = { askedMs: account.adoptedMs, fillKeys };
  account.positions.set(marketId, newPosition(adoption, magnitude(inventoryOf(position))));
  return takePosition(state, account, marketId, position, false);
}

const NONE: Adoption["fillKeys"] = new Set();

const fillKeysOf = (state: BotState, marketId: MarketId): Adoption["fillKeys"] =>
  new Set(
    marketOf(state, marketId).search.trades.flatMap((trade) => [fillKey(trade, "taker"), fillKey(trade, "maker")]),
  );

function takePosition(
  state: BotState,
  { accountId, book }: AccountState,
  marketId: MarketId,
  position: Position | undefined,
  isAdopted: boolean,
): AccountEffect {
  const event: PositionEvent = {
    kind: "position",
    marketId,
    number: readsIn(book, marketId) + 1,
    inventory: inventoryOf(position),
    entryPrice: position?.entryPrice ?? price(0n),
    oraclePrice: oraclePriceIn(state, marketId) ?? position?.lastOraclePrice ?? price(0n),
    isAdopted,
  };
  foldBook(book, event);
  return { kind: "positionBooked", accountId, position: event };
}

/** Adds the fee to a fill that was back-filled without one. */
function amendFill(state: BotState, account: AccountState, fill: Fill, receivedMs: number): AccountEffects {
  const market = account.book.markets.get(fill.marketId);
  if (fill.fee === null || market === undefined || !lacksFee(market, fill.key)) return noEffects;
  const event: FillEvent = {
    kind: "fill",
    fill,
    referencePrice: null,
    readsBefore: readsIn(account.book, fill.marketId),
    money: "own",
  };
  const before = collateralOf(account.book);
  foldBook(account.book, event);
  account.collateral.states.amended(fill.key, usdc(collateralOf(account.book) - before));
  return [{ kind: "fillAmended", event }, ...judgeFee(state, account, fill, receivedMs)];
}

/** Returns the reference for a fill's edge: the mid of the others' book, or the oracle price where none is fresh. */
function referencePrice(state: BotState, account: AccountState, marketId: MarketId, monotonicMs: number): Price | null {
  const now = { monotonicMs };
  const book = fresh(bookFact(marketOf(state, marketId), streamFact(state, now), now));
  const { orders, isPaper } = account;
  const own = { orders: orders.inMarket(marketId), vacated: orders.vacatedIn(marketId, monotonicMs), isPaper };
  const mid = book === undefined ? undefined : othersMid(book, own);
  return mid ?? oraclePriceIn(state, marketId);
}

/** As last printed or read; null before. */
export function oraclePriceIn({ markets }: BotState, marketId: MarketId): Price | null {
  const known = markets.get(marketId);
  return known?.oracle.held?.value.price ?? known?.market?.value.oraclePrice ?? null;
}
