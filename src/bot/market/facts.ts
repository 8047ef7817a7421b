// Folds what the exchange says of a market: status and margin schedule, oracle, book, funding. Newer facts replace older ones; a fact that
// goes back in time or cannot be true is refused, and the one we hold is stale until the next good one.

import { isDeepStrictEqual } from "node:util";
import { type Book, type Level, settledBook } from "../../domain/book.ts";
import type { JudgedRead, ReadEvent, StreamEvent, VenueEvent } from "../../domain/event.ts";
import type { Market, Oracle } from "../../domain/market.ts";
import { divideCeil } from "../../domain/rounding.ts";
import { BPS, type MarketId } from "../../domain/units.ts";
import { frozen } from "../../kernel/frozen.ts";
import { type Weight, weigh } from "../../kernel/outlier.ts";
import { backOffMs } from "../../kernel/retry.ts";
import { marketTiming } from "../timing.ts";
import { type MarketEffects, noEffects } from "./effects.ts";
import {
  type BookSilence,
  type ExchangeState,
  type Held,
  heldFrame,
  heldRead,
  type MarketState,
  marketOf,
  type OracleDoubt,
  type OracleState,
  type OracleTimes,
  type StreamState,
  unconfirmed,
} from "./state.ts";
import { isPlausible } from "./time.ts";

type ReadOf<K extends ReadEvent["kind"]> = Extract<ReadEvent, { kind: K }>;
type FrameOf<K extends StreamEvent["kind"]> = Extract<StreamEvent, { kind: K }>;

export function foldMarketRead(state: ExchangeState, event: ReadOf<"marketRead">): MarketEffects {
  const market = marketOf(state, event.market.marketId);
  if (market.market !== null && market.market.askedMs > event.askedMs) return noEffects;
  const { oracleValidUntilSec: validUntilSec, lastOracleTimestampMs: lastUpdateTimestampMs } = event.market;
  const times = { validUntilSec, lastUpdateTimestampMs, lastFundingTimestampSec: event.market.lastFundingTimestampSec };
  if (!isPlausible(state, times, event.receivedMs)) return implausible(state, "market", event.market.marketId, event);
  market.market = heldRead(frozen(event.market), event, state.stream.epoch);
  settled(state, market, event.market.lastFundingTimestampSec, event);
  const premiumBps = premiumBpsOf(event.market);
  if (premiumBps > market.premiumBps.now) market.premiumBps = { ...market.premiumBps, now: premiumBps };
  return noEffects;
}

/** Returns how far the mark price is from the oracle price, rounded up; 0 where one of them is unknown. */
function premiumBpsOf({ markPrice, oraclePrice }: Market): bigint {
  if (markPrice === null) return 0n;
  const apart = markPrice > oraclePrice ? markPrice - oraclePrice : oraclePrice - markPrice;
  return oraclePrice === 0n ? 0n : divideCeil(apart * BPS, oraclePrice);
}

/**
 * Refuses a read of an older print than the one we hold: the node lags, or a print was dated ahead. A read sent before the newest print
 * arrived has merely lost the race: its print is old, but its status is the newest known.
 */
export function foldOracleRead(state: ExchangeState, event: ReadOf<"oracleRead">): MarketEffects {
  const { oracle: answered, askedMs, receivedMs } = event;
  const { oracle, market } = marketOf(state, answered.marketId);
  const read = withExpiry(answered, oracle.held?.value, market?.value);
  if (oracle.readMs !== null && oracle.readMs > askedMs) return noEffects;
  if (!isPlausible(state, read, receivedMs)) return implausible(state, "oracle", read.marketId, event);
  const { held, printedMs } = oracle;
  const word = { timeMs: read.lastUpdateTimestampMs, validUntilSec: read.validUntilSec };
  const counts = isCounted(state, oracle, read, askedMs);
  if (weighPrint(oracle, word, counts) === "unconfirmed") {
    if (held !== null && printedMs !== null && printedMs >= askedMs) {
      oracle.held = { ...held, value: frozen({ ...held.value, status: read.status }) };
      oracle.readMs = askedMs;
      return noEffects;
    }
    return doubtPrint(oracle, read.marketId, word, counts);
  }
  takePrint(oracle, heldRead(read, event, state.stream.epoch));
  oracle.readMs = askedMs;
  return noEffects;
}

/** For an answer without an expiry (0): uses that of a frame of the same print, or of the market's own read (S2.2). */
function withExpiry(read: Oracle, held: Oracle | undefined, market: Market | undefined): Oracle {
  if (read.validUntilSec !== 0) return read;
  const validUntilSec = held?.price === read.price ? held.validUntilSec : (market?.oracleValidUntilSec ?? 0);
  return { ...read, validUntilSec };
}

/** A print has price and validity but no status: that of the last read stays until the next one. */
export function foldOracleUpdate(state: ExchangeState, event: FrameOf<"oracleUpdate">): MarketEffects {
  const { marketId, price, validUntilSec, receivedMs } = event;
  const { oracle } = marketOf(state, marketId);
  if (oracle.held === null) {
    oracle.printedMs = receivedMs;
    return noEffects;
  }
  if (!isPlausible(state, event, receivedMs)) {
    oracle.doubt = { what: "implausible" };
    return [{ kind: "implausible", what: "oracle", marketId }];
  }
  const word = { timeMs: null, validUntilSec };
  if (weighPrint(oracle, word, true) === "unconfirmed") return doubtPrint(oracle, marketId, word, true);
  oracle.printedMs = receivedMs;
  takePrint(oracle, heldFrame({ ...oracle.held.value, price, validUntilSec }, receivedMs, state.stream.epoch));
  return noEffects;
}

/**
 * A read asked earlier may show the print before the held one. One with another date counts against the held date, which a frame's print
 * inherits from its predecessor: otherwise prints faster than the lag of reads would keep a wrong date forever.
 */
function isCounted(
  { readLagMaxMs }: ExchangeState,
  { held, datedMs, printedMs }: OracleState,
  { lastUpdateTimestampMs }: Oracle,
  askedMs: number,
): boolean {
  const isOfHeldDate = lastUpdateTimestampMs === held?.value.lastUpdateTimestampMs;
  return askedMs >= (isOfHeldDate ? (printedMs ?? datedMs) : datedMs) + readLagMaxMs;
}

/** Judges the held print by a later word. `counts`: the word cannot merely be late. */
function weighPrint({ held, printedMs, doubt }: OracleState, word: OracleTimes, counts: boolean): Weight {
  if (held === null) return "taken";
  const { lastUpdateTimestampMs: timeMs, validUntilSec } = held.value;
  const isByFrame = printedMs === held.receivedMs;
  // A frame carries no time, so the last read's time stays; validity then orders the prints.
  const isOlder = (one: OracleTimes, other: OracleTimes): boolean => {
    if (one.timeMs === null || other.timeMs === null) return one.validUntilSec < other.validUntilSec;
    if (one.timeMs !== other.timeMs) return one.timeMs < other.timeMs;
    return isByFrame && one.validUntilSec < other.validUntilSec;
  };
  return weigh(word, { timeMs, validUntilSec }, counts ? countedIn(doubt) : null, isOlder);
}

const countedIn = (doubt: OracleDoubt | null): OracleTimes | null => (doubt?.what === "older" ? doubt.counted : null);

/** The word is older than the held print. */
function doubtPrint(oracle: OracleState, marketId: MarketId, word: OracleTimes, counts: boolean): MarketEffects {
  oracle.doubt = { what: "older", word, counted: counts ? word : countedIn(oracle.doubt) };
  return [{ kind: "wentBack", what: "oracle", marketId }];
}

function takePrint(oracle: OracleState, print: Held<Oracle>): void {
  if (oracle.held?.value.lastUpdateTimestampMs !== print.value.lastUpdateTimestampMs) oracle.datedMs = print.receivedMs;
  oracle.held = print;
  oracle.doubt = null;
}

/** Folds an implausible answer: the last good fact stays, as stale. */
export function foldImplausibleRead(state: ExchangeState, event: ReadOf<"implausibleRead">): MarketEffects {
  const { what, marketId, askedMs } = event;
  const market = marketOf(state, marketId);
  if (what === "market") market.market = unconfirmed(market.market, askedMs);
  else if (what === "funding") market.funding = unconfirmed(market.funding, askedMs);
  else if (market.oracle.readMs === null || market.oracle.readMs <= askedMs)
    market.oracle.doubt = { what: "implausible" };
  return noEffects;
}

/** The same for an answer with impossible times. */
function implausible(
  state: ExchangeState,
  what: JudgedRead,
  marketId: MarketId,
  { askedMs, receivedMs }: { readonly askedMs: number; readonly receivedMs: number },
): MarketEffects {
  foldImplausibleRead(state, { kind: "implausibleRead", what, marketId, askedMs, receivedMs });
  return [{ kind: "implausible", what, marketId }];
}

export function foldBook(state: ExchangeState, event: FrameOf<"book">): MarketEffects {
  const { book } = marketOf(state, event.book.marketId);
  const { epoch } = state.stream;
  const begunMs = book.renewal?.atMs ?? Number.NEGATIVE_INFINITY;
  book.isFollowed = book.held?.epoch === epoch && book.held.receivedMs > begunMs;
  if (book.isFollowed && event.receivedMs - begunMs >= marketTiming.bookAgain.maxMs) book.renewal = null;
  book.held = heldFrame(settledBook(event.book), event.receivedMs, epoch);
  book.agreedMs = null;
  book.unconfirmedMs = null;
  return noEffects;
}

/**
 * Snapshots cannot diverge but can stop (S6.2). A read asked after the last frame either agrees, which confirms the frame, or differs: then
 * a frame is on its way or was lost, and time shows which. Subscribing brings a snapshot, and nothing else proves a subscription: a
 * connection without one is as bad as one that disagrees.
 */
export function foldBookRead(state: ExchangeState, event: ReadOf<"bookRead">): MarketEffects {
  const { stream } = state;
  const { book } = marketOf(state, event.book.marketId);
  const held = book.held;
  if (held === null || held.epoch !== stream.epoch) {
    if (event.askedMs - stream.openedMs < marketTiming.snapshotMs) return noEffects;
    return renew(state, event, "noSnapshot");
  }
  if (held.receivedMs >= event.askedMs) return noEffects;
  if (sameBook(held.value, event.book)) {
    book.agreedMs = event.askedMs;
    book.unconfirmedMs = null;
    return noEffects;
  }
  book.unconfirmedMs ??= event.receivedMs;
  if (event.askedMs - book.unconfirmedMs < marketTiming.bookLagMs) return noEffects;
  const renewed = renew(state, event, "bookDisagrees");
  if (renewed.length === 0) return noEffects;
  const [expected, found] = [depthOf(held.value), depthOf(event.book)];
  return [
    { kind: "mismatch", accountId: null, marketId: event.book.marketId, what: "book", expected, found },
    ...renewed,
  ];
}

/**
 * Asks first for a new connection, since the old one may have lost more than this book. If the book stays silent, asks for a subscription
 * to this book alone, ever more rarely: other channels lose nothing by it, so the account needs no resync.
 */
function renew(
  state: ExchangeState,
  { book: { marketId }, askedMs, receivedMs: atMs }: ReadOf<"bookRead">,
  why: BookSilence,
): MarketEffects {
  const { stream, streamed } = state;
  const { book } = marketOf(state, marketId);
  const { renewal } = book;
  if (!stream.connected) return noEffects;
  if (renewal !== null && askedMs - renewal.atMs < backOffMs(marketTiming.bookAgain, renewal.count)) return noEffects;
  book.renewal = { count: (renewal?.count ?? 0) + 1, atMs, why };
  const isDeaf = renewal !== null && why === "bookDisagrees" && toldNothingSince(stream, renewal.atMs);
  if (renewal !== null && !isDeaf && askedMs - stream.openedMs < marketTiming.bookReconnectMs)
    return [{ kind: "resubscribeWanted", marketId, why }];
  // The new connection subscribes to every book: a second silent book needs no third connection.
  for (const other of streamed) marketOf(state, other).book.renewal ??= { count: 1, atMs, why };
  return [{ kind: "reconnectWanted", marketId, why }];
}

/** Only pongs since then: a connection that once showed this book, and nothing since it was requested again, is half open. */
const toldNothingSince = ({ toldMs }: StreamState, sinceMs: number): boolean => toldMs !== null && toldMs < sinceMs;

export function foldFundingRead(state: ExchangeState, event: ReadOf<"fundingRead">): MarketEffects {
  const market = marketOf(state, event.funding.marketId);
  if (market.funding !== null && market.funding.askedMs > event.askedMs) return noEffects;
  if (!isPlausible(state, event.funding, event.receivedMs))
    return implausible(state, "funding", event.funding.marketId, event);
  const { cumulativeFunding, lastFundingTimestampSec } = event.funding;
  if (cumulativeFunding !== null) market.fundingIndex = { value: cumulativeFunding, lastSec: lastFundingTimestampSec };
  market.funding = heldRead(event.funding, event, state.stream.epoch);
  settled(state, market, lastFundingTimestampSec, event);
  return noEffects;
}

/** The stream's settlement has rate and time; the index stays as last read. */
export function foldFundingUpdate(state: ExchangeState, event: FrameOf<"fundingUpdate">): MarketEffects {
  const market = marketOf(state, event.marketId);
  if (!isPlausible(state, event, event.receivedMs))
    return [{ kind: "implausible", what: "funding", marketId: event.marketId }];
  settled(state, market, event.lastFundingTimestampSec, { askedMs: Number.POSITIVE_INFINITY, ...event });
  if (market.funding === null) return noEffects;
  const { fundingRate, lastFundingTimestampSec } = event;
  market.funding = heldFrame(
    { ...market.funding.value, fundingRate, lastFundingTimestampSec },
    event.receivedMs,
    state.stream.epoch,
  );
  return noEffects;
}

/** Takes the newest settlement from a word asked at `askedMs`; a frame may come at any time. */
function settled(
  { readLagMaxMs }: ExchangeState,
  market: MarketState,
  settledSec: number,
  { askedMs, receivedMs }: { readonly askedMs: number; readonly receivedMs: number },
): void {
  const { atMs, olderSec } = market.settledReported;
  const counts = askedMs >= atMs + readLagMaxMs;
  const weight = weigh(settledSec, market.settledSec, counts ? olderSec : null);
  if (weight === "unconfirmed") {
    if (counts) market.settledReported = { atMs, olderSec: settledSec };
    return;
  }
  const { now, last, lastButOne } = market.premiumBps;
  if (weight === "dropped") market.premiumBps = { now: now > last ? now : last, last: lastButOne, lastButOne: 0n };
  else if (settledSec > market.settledSec) market.premiumBps = { now: 0n, last: now, lastButOne: last };
  market.settledReported = { atMs: settledSec === market.settledSec ? atMs : receivedMs, olderSec: null };
  market.settledSec = settledSec;
}

const sameBook = (one: Book, other: Book): boolean =>
  sameLevels(one.bids, other.bids) && sameLevels(one.asks, other.asks);

/** A read may show fewer levels than a snapshot; the levels of both must be equal. */
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

/**
 * True for a read that repeats what is held: it only renews the fact's age. Call it before the event is folded. Live, an answer with the
 * same text is the same object (bot/venue/remote/reads.ts), so nothing is compared; in a replay it is another object.
 */
export function isRepeat(state: ExchangeState, event: VenueEvent): boolean {
  if (event.kind === "marketRead") {
    const held = state.markets.get(event.market.marketId)?.market;
    return isDeepStrictEqual(held?.value, event.market) && !held?.isUnconfirmed;
  }
  if (event.kind === "oracleRead") {
    const oracle = state.markets.get(event.oracle.marketId)?.oracle;
    return isDeepStrictEqual(oracle?.held?.value, event.oracle) && oracle?.doubt === null;
  }
  return false;
}
