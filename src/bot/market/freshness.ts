// Which facts are fresh now. Age alone is not enough: a stream's fact needs its connection, a judgment of time needs the chain's clock, and
// a lasting difference makes a fact stale at any age.

import type { Book } from "../../domain/book.ts";
import type { Oracle } from "../../domain/market.ts";
import { absent, type ChainClock, type Fact } from "../../domain/view.ts";
import { frozen } from "../../kernel/frozen.ts";
import { timeText } from "../../kernel/text.ts";
import { ageTiming, marketTiming } from "../timing.ts";
import type { BookState, ExchangeState, Held, MarketState, OracleTimes } from "./state.ts";
import { chainAgeMs, chainTimeMs, isPlausible } from "./time.ts";

/** Local time of a turn: monotonic for ages, wall to compare with the chain's clock. */
export type Now = { readonly monotonicMs: number; readonly wallMs: number };

type Instant = Pick<Now, "monotonicMs">;

export const factOf = <T>(value: T, ageMs: number, isFresh: boolean): Fact<T> =>
  Object.freeze({ state: isFresh ? "fresh" : "stale", value, ageMs });

/** Returns the same fact, as stale where `doubt` gives a reason; null: none. */
const inDoubt = <T>(fact: Fact<T>, doubt: string | null): Fact<T> =>
  doubt === null || fact.state === "absent"
    ? fact
    : Object.freeze({ state: "stale", value: fact.value, ageMs: fact.ageMs, doubt });

const IMPLAUSIBLE = "the last answer was implausible; the next plausible one ends that";

/** A fact of a read: fresh while the read is young enough, was asked after the machine last woke, and no implausible read followed. */
export function readFact<T>({ wokeMs }: ExchangeState, held: Held<T> | null, ageMsMax: number, now: Now): Fact<T> {
  if (held === null) return absent;
  const ageMs = now.monotonicMs - held.askedMs;
  const fact = factOf(held.value, ageMs, held.askedMs >= wokeMs && ageMs <= ageMsMax);
  return inDoubt(fact, held.isUnconfirmed ? IMPLAUSIBLE : null);
}

/** Fresh with a frame or pong within the last 15 s on a live connection. */
export function streamFact({ stream }: ExchangeState, now: Instant): Fact<number> {
  if (stream.epoch === 0) return absent;
  const ageMs = now.monotonicMs - stream.lastFrameMs;
  return factOf(stream.epoch, ageMs, stream.connected && ageMs <= ageTiming.streamMs);
}

/** Fresh while the stream is alive, pongs come and the height advances. */
export function chainFact(state: ExchangeState, stream: Fact<number>, now: Now): Fact<ChainClock> {
  const timeMs = chainTimeMs(state, now.monotonicMs);
  const ageMs = chainAgeMs(state, now.monotonicMs);
  if (timeMs === null || ageMs === null) return absent;
  const { height, blockMs, lower } = state.chain;
  const clock = Object.freeze({ height, timeMs, offsetMs: timeMs - now.wallMs, blockMs });
  const fact = factOf(clock, ageMs, stream.state === "fresh" && ageMs <= ageTiming.chainMs);
  return inDoubt(fact, lower === null ? null : lowerText(state.chain.confirmedHeight, lower.height));
}

/**
 * The status is as old as its last read; price and validity may be newer. Past its validity the oracle is Stale whatever its status (S7,
 * trap 25); without a clock that is unknown, so the fact is stale.
 */
export function oracleFact(state: ExchangeState, market: MarketState, chain: Fact<ChainClock>, now: Now): Fact<Oracle> {
  const { held, readMs, doubt } = market.oracle;
  if (held === null || readMs === null) return absent;
  const ageMs = now.monotonicMs - readMs;
  const { value } = held;
  const expired = chain.state !== "absent" && chain.value.timeMs >= value.validUntilSec * 1000;
  const judged: Oracle = expired && value.status === "Active" ? frozen({ ...value, status: "Stale" }) : value;
  const current = readMs >= state.wokeMs && chain.state === "fresh";
  const fact = factOf(judged, ageMs, current && ageMs <= ageTiming.oracleMs);
  if (doubt !== null) return inDoubt(fact, doubt.what === "implausible" ? IMPLAUSIBLE : olderText(value, doubt.word));
  return inDoubt(
    fact,
    isPlausible(state, value, now.monotonicMs) ? null : "its times cannot be true by the chain's clock",
  );
}

const lowerText = (known: number, height: number): string =>
  `pongs name height ${height}, after ${known}; one above that, or heights that rise for 10 s, lift the doubt`;

/** Names the two prints by the times in which they differ. */
function olderText(
  { lastUpdateTimestampMs: knownMs, validUntilSec }: Oracle,
  { timeMs, ...word }: OracleTimes,
): string {
  const [known, said] =
    timeMs !== null && timeMs !== knownMs
      ? [`published ${timeText(knownMs)}`, timeText(timeMs)]
      : [`valid until ${timeText(validUntilSec * 1000)}`, timeText(word.validUntilSec * 1000)];
  return `a print ${known} is followed by one of ${said}; one as new lifts the doubt, two like the second replace the first`;
}

/** Fresh: a snapshot of this connection that is young or that a young read agreed with, and that no read contradicts. */
export function bookFact({ book }: MarketState, stream: Fact<number>, now: Instant): Fact<Book> {
  const { held, agreedMs, unconfirmedMs } = book;
  if (held === null) return absent;
  const ageMs = now.monotonicMs - Math.max(held.receivedMs, agreedMs ?? held.receivedMs);
  const trusted = unconfirmedMs === null || now.monotonicMs - unconfirmedMs <= marketTiming.bookLagMs;
  const current = stream.state === "fresh" && held.epoch === stream.value;
  const fact = factOf(held.value, ageMs, current && trusted && ageMs <= ageTiming.bookMs);
  return inDoubt(fact, current && trusted && isAnotherFrozen(book) ? FROZEN : null);
}

const FROZEN =
  "the last snapshots of its subscription were followed by nothing; a second frame, or reads that agree for 10 s, lift the doubt";

/** True for a first snapshot, alone, after subscriptions that froze. */
function isAnotherFrozen({ held, agreedMs, isFollowed, renewal }: BookState): boolean {
  if (held === null || renewal === null || renewal.count < 2 || renewal.why === "noSnapshot" || isFollowed)
    return false;
  return agreedMs === null || agreedMs - held.receivedMs < marketTiming.bookProofMs;
}

/** Maps the value of a fact; absent where `make` returns nothing. */
export function mapFact<T, U>(fact: Fact<T>, make: (value: T) => U | null | undefined): Fact<U> {
  if (fact.state === "absent") return absent;
  const value = make(fact.value);
  return value === null || value === undefined
    ? absent
    : Object.freeze({ state: fact.state, value, ageMs: fact.ageMs });
}
