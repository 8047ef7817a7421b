// Books what moves positions and money into the account book: fills, positions as read, and changes of collateral.

import { type Account, inventoryOf, type Position } from "../../../domain/account.ts";
import type { Fill } from "../../../domain/fill.ts";
import type { Oracle } from "../../../domain/market.ts";
import { othersMid } from "../../../domain/others-book.ts";
import { notional } from "../../../domain/rounding.ts";
import { type MarketId, type Price, price, type Size, size, usdc } from "../../../domain/units.ts";
import { fresh } from "../../../domain/view.ts";
import {
  type FundingEvent,
  foldBook,
  freeTransferKey,
  inventoryIn,
  isBooked,
  type PrintEvent,
  readsIn,
  type TransferEvent,
  unattributedIn,
} from "../../accounting/account-book.ts";
import type { Posting } from "../../accounting/explain.ts";
import {
  emptyState,
  type FillEvent,
  lacksFee,
  type PositionEvent,
  pendingFills,
} from "../../accounting/market-book.ts";
import { volumesLackedBy } from "../../accounting/older-read.ts";
import { collateralOf } from "../../accounting/totals.ts";
import type { FeedEffect, FillSource, FoldEffects, MovedAway } from "../effects.ts";
import { noEffects } from "../effects.ts";
import { bookFact, streamFact } from "../freshness.ts";
import { chainTimeMs } from "../market/chain-clock.ts";
import type { Evidence } from "../orders/order-event.ts";
import { type FeedState, marketOf } from "../state.ts";
import { foldOrderEvent } from "./account-orders.ts";
import type { AccountState, PositionRead } from "./account-state.ts";
import { addVolume, explainVolume, rebaseVolume } from "./newness.ts";
import { judgeFee } from "./paid-fees.ts";
import { moveSeenPositions, seePosition } from "./position-range.ts";
import { SETTLED_MS } from "./shown-trades.ts";
import { isUnreadable } from "./unreadable.ts";

/** Monotonic, ms. */
type ReadTimes = { readonly askedMs: number; readonly receivedMs: number };

export const magnitude = (signed: Size): Size => (signed < 0n ? size(-signed) : signed);

/**
 * Books a fill once, whatever its sources; a later copy may bring the fee that the first one lacked. `isShown`: the read that the
 * position was taken from had it already (`shownTrades`).
 */
export function bookFill(
  state: FeedState,
  account: AccountState,
  fill: Fill,
  { source, isShown }: { readonly source: FillSource; readonly isShown: boolean },
  evidence: Evidence,
): FoldEffects {
  if (isBooked(account.book, fill.key)) return amendFill(state, account, fill, evidence);
  // Trades are old when they are booked: every read on its way has them already, so they race with none.
  const racingMs = source === "trades" ? null : evidence.receivedMs;
  account.filledMs = racingMs ?? laterOf(account.filledMs, happenedMs(state, fill, evidence));
  // The first read includes everything before it.
  const effects = account.read === null ? noEffects : bookFlat(state, account, fill.marketId);
  const read = account.positionReads.get(fill.marketId);
  const isInRead = read === undefined || isShown;
  const ordered = foldOrderEvent(account, { ...evidence, kind: "filled", fill, isInList: isInRead });
  const reads = readsIn(account.book, fill.marketId);
  const event: FillEvent = {
    kind: "fill",
    fill,
    referencePrice: referencePrice(state, account, fill.marketId, evidence.receivedMs),
    readsBefore: isInRead && read !== undefined ? reads - 1 : reads,
    money: isInRead ? "read" : "own",
  };
  foldBook(account.book, event);
  moveSeenPositions(account, fill);
  const traded = notional(fill.price, fill.size);
  const unshown = isInRead || mayBeShown(state, account, fill) ? explainVolume(account.volume, traded) : traded;
  account.filledOrderMs = Math.max(account.filledOrderMs, account.orders.placedMs(fill.orderId));
  if (!isInRead) {
    addVolume(account.volume, unshown, source, evidence.receivedMs);
    const moved = magnitude(inventoryIn(account.book, fill.marketId));
    read.fillCount += 1;
    read.filledMs = racingMs ?? read.filledMs;
    read.changedMs = evidence.receivedMs;
    if (moved > read.peak) read.peak = moved;
    account.collateral.fillCount += 1;
  }
  return [...effects, ...ordered, { ...event, source }, ...judgeFee(state, account, fill, evidence.receivedMs)];
}

/**
 * When it was filled, monotonic ms; null where its time or the chain's is not known. Not after it was heard of: the machine may have slept
 * since the chain's time was last learned.
 */
function happenedMs(
  { chain: { offsetMs } }: FeedState,
  { timestampMs }: Fill,
  { receivedMs }: Evidence,
): number | null {
  return timestampMs === null || offsetMs === null ? null : Math.min(timestampMs - offsetMs, receivedMs);
}

const laterOf = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.max(one, other);

/** Takes a position from the exchange. `isAdopted`: it moved while we watched, without a fill. */
export function bookPosition(
  state: FeedState,
  account: AccountState,
  marketId: MarketId,
  read: ReadTimes & { readonly position: Position | undefined; readonly isAdopted: boolean },
): FoldEffects {
  const { position, askedMs, receivedMs, isAdopted } = read;
  const flat = isAdopted ? bookFlat(state, account, marketId) : noEffects;
  const how = { isAdopted, atMs: chainTimeMs(state, askedMs), readTookMs: receivedMs - askedMs, receivedMs };
  return [...flat, takePosition(state, account, marketId, position, how)];
}

/** The first read of a life begins the book, or goes on with it: what changed while the bot was away is booked under that name. */
export function openBook(state: FeedState, account: AccountState, read: Account, times: ReadTimes): FoldEffects {
  const { accountId, book } = account;
  account.basedAtChainMs = chainTimeMs(state, times.askedMs);
  account.readTookMs = times.receivedMs - times.askedMs;
  rebaseVolume(account, read.lifetimeVolume, times.receivedMs);
  if (account.basedAtChainMs !== null)
    account.volume.lacked = volumesLackedBy(read, book, account.basedAtChainMs - state.ages.landingBoundMs);
  const effects: FeedEffect[] = [];
  const moved: MovedAway[] = [];
  let worth = 0n;
  for (const marketId of new Set([...read.positions.map((position) => position.marketId), ...book.markets.keys()])) {
    // Their fees are unknown, and the collateral as read includes them.
    for (const fill of pendingIn(account, marketId)) effects.push(amended(account, fill, "read"));
    // What the ledger has of it stands until it can be read.
    if (isUnreadable(read, marketId)) continue;
    const position = read.positions.find((held) => held.marketId === marketId);
    const held = book.markets.get(marketId)?.now ?? emptyState;
    const before = held.inventory;
    const byFills = size(before - unattributedIn(book, marketId));
    effects.push(...bookPosition(state, account, marketId, { ...times, position, isAdopted: false }));
    const now = book.markets.get(marketId)?.now ?? emptyState;
    if (before !== now.inventory) moved.push({ marketId, from: before, to: now.inventory });
    // What its PnL gained at the price of the move, the position did not.
    worth += held.estimated - now.estimated;
    // This read may be older than the ledger's fills, and so may the one with which the last life began.
    for (const inventory of book.isOpened ? [before, byFills] : [])
      if (inventory !== inventoryIn(book, marketId))
        seePosition(account, marketId, { inventory, receivedMs: times.receivedMs, lifetimeVolume: null });
  }
  const amount = usdc(read.collateral - collateralOf(book));
  const reason = book.isOpened ? "whileAway" : "opening";
  const isNeeded = reason === "opening" || amount !== 0n;
  const away =
    book.isOpened && (amount !== 0n || moved.length > 0) ? { amount, worth: usdc(amount + worth), moved } : null;
  const opening = isNeeded ? bookTransfer(account, { reason, marketId: null, amount, fillKeys: [] }) : null;
  return [...effects, { kind: "bookOpened", accountId, opening, away }];
}

/** Books a change of collateral as what it was found to be. */
export function bookPosting(account: AccountState, posting: Posting, atSec: number): FundingEvent | TransferEvent {
  if (posting.kind === "transfer") return bookTransfer(account, posting);
  const event: FundingEvent = { ...posting, atSec };
  foldBook(account.book, event);
  return event;
}

/** Books what a print moved under the position. An account that was not read yet books nothing: what it holds is not known. */
export function bookPrint(
  account: AccountState,
  before: Oracle,
  { marketId, price: at, validUntilSec }: Oracle,
): FoldEffects {
  const { accountId, book } = account;
  const amount = notional(price(at - before.price), inventoryIn(book, marketId));
  if (account.read === null || amount === 0n) return noEffects;
  const print: PrintEvent = { kind: "print", marketId, validUntilSec, amount };
  foldBook(book, print);
  return [{ kind: "printBooked", accountId, print }];
}

/** What moved the position of a market so far is no longer looked for. */
export function acceptPosition({ accountId, book }: AccountState, marketId: MarketId): FeedEffect {
  const accepted = { kind: "accepted", marketId, number: readsIn(book, marketId) } as const;
  foldBook(book, accepted);
  return { kind: "movementAccepted", accountId, accepted };
}

function bookTransfer({ book }: AccountState, transfer: Omit<TransferEvent, "kind" | "key">): TransferEvent {
  const event: TransferEvent = { ...transfer, kind: "transfer", key: freeTransferKey(book, transfer.reason) };
  foldBook(book, event);
  return event;
}

/** The first read of the account says of every market that it does not list that the account is flat there. */
function bookFlat(state: FeedState, account: AccountState, marketId: MarketId): FoldEffects {
  if (account.positionReads.has(marketId)) return noEffects;
  const { basedAtChainMs: atMs, readTookMs } = account;
  const how = { isAdopted: false, atMs, readTookMs, receivedMs: Number.NEGATIVE_INFINITY };
  return [takePosition(state, account, marketId, undefined, how)];
}

function takePosition(
  state: FeedState,
  account: AccountState,
  marketId: MarketId,
  position: Position | undefined,
  how: Pick<PositionRead, "readTookMs"> & {
    readonly isAdopted: boolean;
    readonly atMs: number | null;
    readonly receivedMs: number;
  },
): FeedEffect {
  const { isAdopted, atMs, readTookMs, receivedMs } = how;
  const { accountId, book, positionReads } = account;
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
  const { filledMs = null, fillCount = 0 } = positionReads.get(marketId) ?? {};
  const peak = magnitude(event.inventory);
  const changedMs = receivedMs;
  positionReads.set(marketId, { basedAtChainMs: atMs, readTookMs, filledMs, fillCount, changedMs, peak });
  return { kind: "positionBooked", accountId, position: event };
}

/** True for a fill from before the last read that showed volume of fills that we did not know. */
function mayBeShown(state: FeedState, { volume }: AccountState, { timestampMs }: Fill): boolean {
  const shownMs = volume.unseenMs === null ? null : chainTimeMs(state, volume.unseenMs);
  return timestampMs !== null && shownMs !== null && timestampMs - shownMs <= SETTLED_MS;
}

/** The fee of a fill that was back-filled without one. */
function amendFill(state: FeedState, account: AccountState, fill: Fill, { receivedMs }: Evidence): FoldEffects {
  const market = account.book.markets.get(fill.marketId);
  if (fill.fee === null || market === undefined || !lacksFee(market, fill.key)) return noEffects;
  return [amended(account, fill, "own"), ...judgeFee(state, account, fill, receivedMs)];
}

function amended({ book }: AccountState, fill: Fill, money: FillEvent["money"]): FeedEffect {
  const readsBefore = readsIn(book, fill.marketId);
  const event: FillEvent = { kind: "fill", fill, referencePrice: null, readsBefore, money };
  foldBook(book, event);
  return { kind: "fillAmended", event };
}

/** Fills whose fee is awaited. */
export function pendingIn({ book }: AccountState, marketId: MarketId): readonly Fill[] {
  const market = book.markets.get(marketId);
  return market === undefined || market.now.pendingCount === 0 ? [] : [...pendingFills(market)];
}

/** What a fill's edge is measured against: the mid of the others' book, or the oracle price where none is fresh. */
function referencePrice(
  state: FeedState,
  account: AccountState,
  marketId: MarketId,
  monotonicMs: number,
): Price | null {
  const now = { monotonicMs };
  const book = fresh(bookFact(state, marketOf(state, marketId), streamFact(state, now), now));
  const { orders } = account;
  const own = { orders: orders.inMarket(marketId), vacated: orders.vacatedIn(marketId, monotonicMs) };
  const mid = book === undefined ? undefined : othersMid(book, own);
  return mid ?? oraclePriceIn(state, marketId);
}

/** As last printed or read; null before. */
export function oraclePriceIn({ markets }: FeedState, marketId: MarketId): Price | null {
  const known = markets.get(marketId);
  return known?.oracle.held?.value.price ?? known?.market?.value.oraclePrice ?? null;
}
