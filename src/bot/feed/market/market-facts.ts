// Folding what the exchange says of a market: status and margin schedule, oracle, book, funding. Newer facts replace older ones;
// what goes back in time, or cannot be true, is refused, and what we held is stale until the next good word.

import type { Book, Level } from "../../../domain/book.ts";
import type { JudgedRead, ReadEvent, StreamEvent } from "../../../domain/event.ts";
import type { Funding, Market, Oracle } from "../../../domain/market.ts";
import { divideCeil } from "../../../domain/rounding.ts";
import { BPS, type MarketId } from "../../../domain/units.ts";
import { type FoldEffects, noEffects } from "../effects.ts";
import { doubted, heldFrame, heldRead } from "../held.ts";
import { type FeedState, type MarketState, marketOf, type OracleState } from "../state.ts";
import { isPlausible } from "./plausible.ts";

type ReadOf<K extends ReadEvent["kind"]> = Extract<ReadEvent, { kind: K }>;
type FrameOf<K extends StreamEvent["kind"]> = Extract<StreamEvent, { kind: K }>;

export function foldMarketRead(state: FeedState, event: ReadOf<"marketRead">): FoldEffects {
  const market = marketOf(state, event.market.marketId);
  if (market.market !== null && market.market.askedMs > event.askedMs) return noEffects;
  const { oracleValidUntilSec: validUntilSec, lastOracleTimestampMs: lastUpdateTimestampMs } = event.market;
  const times = { validUntilSec, lastUpdateTimestampMs, lastFundingTimestampSec: event.market.lastFundingTimestampSec };
  if (!isPlausible(state, times, event.receivedMs)) return senseless(state, "market", event.market.marketId, event);
  const tickBefore = market.market?.value.tickSize ?? event.market.tickSize;
  if (event.market.tickSize !== tickBefore) market.clearedMs = event.receivedMs;
  market.market = heldRead(event.market, event, state.stream.epoch);
  settled(market, event.market.lastFundingTimestampSec);
  const premiumBps = premiumBpsOf(event.market);
  if (premiumBps > market.premiumBps.now) market.premiumBps = { ...market.premiumBps, now: premiumBps };
  return noEffects;
}

/** How far the mark price is from the oracle price, rounded up; 0 without one. */
function premiumBpsOf({ markPrice, oraclePrice }: Market): bigint {
  const apart = markPrice > oraclePrice ? markPrice - oraclePrice : oraclePrice - markPrice;
  return oraclePrice === 0n ? 0n : divideCeil(apart * BPS, oraclePrice);
}

/**
 * A read of an older print than the one we hold is not taken: a node that lags, or a history that was rewritten. One that left
 * before the newest print arrived has merely lost the race: its print is old, and its status is still the newest known.
 */
export function foldOracleRead(state: FeedState, event: ReadOf<"oracleRead">): FoldEffects {
  const { oracle: read } = event;
  const market = marketOf(state, read.marketId);
  const { oracle } = market;
  if (oracle.readMs !== null && oracle.readMs > event.askedMs) return noEffects;
  if (!isPlausible(state, read, event.receivedMs)) return senseless(state, "oracle", read.marketId, event);
  if (isOlder(read, oracle) && isHeldPlausible(state, oracle, event)) {
    if (oracle.held !== null && oracle.printedMs !== null && oracle.printedMs >= event.askedMs) {
      oracle.held = { ...oracle.held, value: { ...oracle.held.value, status: read.status } };
      oracle.readMs = event.askedMs;
      return noEffects;
    }
    oracle.doubtful = true;
    return [{ kind: "wentBack", what: "oracle", marketId: read.marketId }];
  }
  oracle.held = heldRead(read, event, state.stream.epoch);
  oracle.readMs = event.askedMs;
  oracle.doubtful = false;
  return noEffects;
}

/** A print of the stream carries no time, so what was read before keeps its own; validity orders the prints then. */
function isOlder(read: Oracle, oracle: OracleState): boolean {
  if (oracle.held === null) return false;
  const { value: known, receivedMs } = oracle.held;
  if (read.lastUpdateTimestampMs !== known.lastUpdateTimestampMs) {
    return read.lastUpdateTimestampMs < known.lastUpdateTimestampMs;
  }
  return oracle.printedMs === receivedMs && read.validUntilSec < known.validUntilSec;
}

/** A print tells price and validity, not status: the status stays what a read last said until the next one. */
export function foldOracleUpdate(state: FeedState, event: FrameOf<"oracleUpdate">): FoldEffects {
  const market = marketOf(state, event.marketId);
  const { oracle } = market;
  if (oracle.held === null) {
    oracle.printedMs = event.receivedMs;
    return noEffects;
  }
  if (!isPlausible(state, event, event.receivedMs)) {
    oracle.doubtful = true;
    return [{ kind: "senseless", what: "oracle", marketId: event.marketId }];
  }
  if (event.validUntilSec < oracle.held.value.validUntilSec && isHeldPlausible(state, oracle, event)) {
    oracle.doubtful = true;
    return [{ kind: "wentBack", what: "oracle", marketId: event.marketId }];
  }
  const { price, validUntilSec } = event;
  oracle.printedMs = event.receivedMs;
  oracle.held = heldFrame({ ...oracle.held.value, price, validUntilSec }, event.receivedMs, state.stream.epoch);
  return noEffects;
}

/** What came before the chain's time was known could not be judged then: it makes nothing that follows it old. */
const isHeldPlausible = (state: FeedState, { held }: OracleState, { receivedMs }: { receivedMs: number }): boolean =>
  held !== null && isPlausible(state, held.value, receivedMs);

/** A senseless answer: the last good fact stays, as stale. */
export function foldSenselessRead(state: FeedState, event: ReadOf<"senselessRead">): FoldEffects {
  const { what, marketId, askedMs } = event;
  const market = marketOf(state, marketId);
  if (what === "market") market.market = doubted(market.market, askedMs);
  else if (what === "funding") market.funding = doubted(market.funding, askedMs);
  else if (market.oracle.readMs === null || market.oracle.readMs <= askedMs) market.oracle.doubtful = true;
  return noEffects;
}

/** The same for an answer whose times cannot be true. */
function senseless(
  state: FeedState,
  what: JudgedRead,
  marketId: MarketId,
  { askedMs, receivedMs }: { readonly askedMs: number; readonly receivedMs: number },
): FoldEffects {
  foldSenselessRead(state, { kind: "senselessRead", what, marketId, askedMs, receivedMs });
  return [{ kind: "senseless", what, marketId }];
}

export function foldBook(state: FeedState, event: FrameOf<"book">): FoldEffects {
  const { book } = marketOf(state, event.book.marketId);
  book.held = heldFrame(event.book, event.receivedMs, state.stream.epoch);
  book.agreedMs = null;
  book.doubtedMs = null;
  return noEffects;
}

/**
 * Snapshots cannot diverge but can fall silent (S6.2). A read that was asked after the last frame either agrees, which proves
 * the frame, or differs: then a frame is on its way or was swallowed, and time tells which. Subscribing brings a snapshot, and
 * nothing else proves a subscription: a connection without one is no better than one that disagrees.
 */
export function foldBookRead(state: FeedState, event: ReadOf<"bookRead">): FoldEffects {
  const { stream, ages } = state;
  const { book } = marketOf(state, event.book.marketId);
  const held = book.held;
  if (held === null || held.epoch !== stream.epoch) {
    if (!stream.connected || event.askedMs - stream.openedMs < ages.snapshotMs) return noEffects;
    if (book.condemnedEpoch === stream.epoch) return noEffects;
    book.condemnedEpoch = stream.epoch;
    return [{ kind: "reconnectWanted", why: "noSnapshot" }];
  }
  if (held.receivedMs >= event.askedMs) return noEffects;
  if (sameBook(held.value, event.book)) {
    book.agreedMs = event.askedMs;
    book.doubtedMs = null;
    return noEffects;
  }
  book.doubtedMs ??= event.receivedMs;
  if (book.condemnedEpoch === held.epoch || event.askedMs - book.doubtedMs < ages.doubtMs) return noEffects;
  book.condemnedEpoch = held.epoch;
  const [expected, found] = [depthOf(held.value), depthOf(event.book)];
  return [
    { kind: "mismatch", accountId: null, marketId: event.book.marketId, what: "book", expected, found },
    { kind: "reconnectWanted", why: "bookDisagrees" },
  ];
}

export function foldFundingRead(state: FeedState, event: ReadOf<"fundingRead">): FoldEffects {
  const market = marketOf(state, event.funding.marketId);
  if (market.funding !== null && market.funding.askedMs > event.askedMs) return noEffects;
  if (!isPlausible(state, event.funding, event.receivedMs))
    return senseless(state, "funding", event.funding.marketId, event);
  noteIndex(market, event.funding);
  market.funding = heldRead(event.funding, event, state.stream.epoch);
  settled(market, event.funding.lastFundingTimestampSec);
  return noEffects;
}

/** A new index is of the newest settlement where that is the next one after the last that had another; else it may be of any. */
function noteIndex(
  market: MarketState,
  { cumulativeFunding, lastFundingTimestampSec, fundingIntervalSecs }: Funding,
): void {
  if (market.fundingIndex?.value === cumulativeFunding) {
    market.fundingIndex = { ...market.fundingIndex, lastSec: lastFundingTimestampSec };
    return;
  }
  const isNext = market.fundingIndex?.lastSec === lastFundingTimestampSec - fundingIntervalSecs;
  const sinceSec = isNext ? lastFundingTimestampSec : null;
  market.fundingIndex = { value: cumulativeFunding, sinceSec, lastSec: lastFundingTimestampSec };
}

/** The stream's settlement names rate and time; the index stays as last read. */
export function foldFundingUpdate(state: FeedState, event: FrameOf<"fundingUpdate">): FoldEffects {
  const market = marketOf(state, event.marketId);
  if (!isPlausible(state, event, event.receivedMs))
    return [{ kind: "senseless", what: "funding", marketId: event.marketId }];
  settled(market, event.lastFundingTimestampSec);
  if (market.funding === null) return noEffects;
  const { fundingRate, lastFundingTimestampSec } = event;
  market.funding = heldFrame(
    { ...market.funding.value, fundingRate, lastFundingTimestampSec },
    event.receivedMs,
    state.stream.epoch,
  );
  return noEffects;
}

function settled(market: MarketState, settledSec: number): void {
  if (settledSec <= market.settledSec) return;
  market.settledSec = settledSec;
  market.premiumBps = { now: 0n, last: market.premiumBps.now };
}

const sameBook = (one: Book, other: Book): boolean =>
  sameLevels(one.bids, other.bids) && sameLevels(one.asks, other.asks);

/** A read may show fewer levels than a snapshot; what both show must be the same. */
function sameLevels(one: readonly Level[], other: readonly Level[]): boolean {
  const depth = Math.min(one.length, other.length);
  if (depth === 0) return one.length === other.length;
  for (let at = 0; at < depth; at += 1) {
    if (one[at]?.price !== other[at]?.price || one[at]?.size !== other[at]?.size) return false;
  }
  return true;
}

/** Best levels as text, for a report. */
function depthOf(book: Book): string {
  const best = (levels: readonly Level[]) =>
    levels[0] === undefined ? "none" : `${levels[0].size}@${levels[0].price}`;
  return `${best(book.bids)} / ${best(book.asks)}`;
}
