// The law of the second opinion, S15: which print a bot may trust after what it received. Lenient where the bot's own numbers may differ,
// and where it may have seen only some of the prints: a violation here is wrong under any of them.

import { BPS, type MarketId, type Price } from "../../domain/units.ts";

/** A print in a frame or an answer; a frame does not say when it was published. Chain time. */
export type ReportedPrint = {
  readonly price: Price;
  readonly validUntilSec: number;
  readonly publishedMs: number | null;
};

/** `atMs`: when it was published, or else received. `mayBeTrusted`: it is near a trusted print, or agrees with an earlier one. */
type Heard = { readonly price: Price; readonly atMs: number; readonly mayBeTrusted: boolean };

type Known = {
  /** Newest last. */
  readonly heard: readonly Heard[];
  readonly newestMs: number;
  readonly validUntilSec: number;
  /** No run of the daemon has received a print, or its records may be lost: it may trust the first one that it reads. */
  readonly trustsNext: boolean;
};

/** The bot's own limit on a print's move, of which it may use a smaller value; and a distance beyond its collar in every world. */
const CERTAIN_BPS = 200n;
const COLLAR_BPS = 250n;
/** Smallest move that the bot may question: 8 times the smallest print deviation. */
const LEAP_BPS = 80n;
/** A second publication comes at least this share of the interval after the first, whatever interval the bot assumes. */
const SECOND_AFTER_SHARE = 0.1;
/** No print is valid for more than this many intervals. */
const VALID_PRINTS = 2;
/** The bot may still trust any of the last this many. */
const RECEIVED_KEPT = 50;
const nothing: Known = { heard: [], newestMs: 0, validUntilSec: 0, trustsNext: true };

export class SecondOpinion {
  readonly #markets = new Map<MarketId, Known>();
  readonly #modules: { readonly chainMs: () => number; readonly printEveryMs: (marketId: MarketId) => number };

  constructor(modules: { readonly chainMs: () => number; readonly printEveryMs: (marketId: MarketId) => number }) {
    this.#modules = modules;
  }

  /** A frame or an answer with this print reached the process. A print that is not newer than the known one changes nothing. */
  delivered(marketId: MarketId, told: ReportedPrint): void {
    const known = this.#known(marketId);
    const nowMs = this.#modules.chainMs();
    // A time in the future counts as now, so that it cannot outweigh all later prints.
    const publishedMs = told.publishedMs === null ? null : Math.min(told.publishedMs, nowMs);
    const { price, validUntilSec } = told;
    if (!isNews(known, { price, validUntilSec, publishedMs })) return;
    const atMs = publishedMs !== null && publishedMs > known.newestMs ? publishedMs : nowMs;
    const soonestMs = SECOND_AFTER_SHARE * this.#modules.printEveryMs(marketId);
    const mayBeTrusted =
      known.trustsNext ||
      nearTrusted(known, price, CERTAIN_BPS) ||
      (publishedMs !== null &&
        known.heard.some((first) => isNear(first.price, price, CERTAIN_BPS) && atMs - first.atMs >= soonestMs));
    // The same for a validity too far ahead.
    const isAhead = validUntilSec * 1000 > nowMs + VALID_PRINTS * this.#modules.printEveryMs(marketId);
    this.#markets.set(marketId, {
      heard: [...known.heard, { price, atMs, mayBeTrusted }].slice(-RECEIVED_KEPT),
      newestMs: publishedMs ?? known.newestMs,
      validUntilSec: isAhead ? known.validUntilSec : Math.max(validUntilSec, known.validUntilSec),
      trustsNext: false,
    });
  }

  /** Why new exposure is forbidden; undefined if no print is unconfirmed. */
  forbids(marketId: MarketId): string | undefined {
    const { heard } = this.#known(marketId);
    const newest = heard.at(-1);
    if (newest?.mayBeTrusted !== false) return undefined;
    const trusted = heard.findLast(({ mayBeTrusted }) => mayBeTrusted);
    return `a print moved from ${trusted?.price} to ${newest.price}, and none confirms it`;
  }

  /** Why an order at this price is too far away; undefined if it is not. */
  forbidsPrice(marketId: MarketId, price: Price): string | undefined {
    const known = this.#known(marketId);
    if (known.heard.length === 0 || nearTrusted(known, price, COLLAR_BPS)) return undefined;
    return `at ${price}, the newest print is ${known.heard.at(-1)?.price}`;
  }

  /**
   * The daemon's records were lost with its disk, or replaced by an older copy: its next run trusts the first print it reads, or what it
   * knew.
   */
  lost(): void {
    for (const [marketId, { heard }] of this.#markets) this.#markets.set(marketId, { ...nothing, heard });
  }

  #known(marketId: MarketId): Known {
    return this.#markets.get(marketId) ?? nothing;
  }
}

/** Before the first answer, a frame has nothing to compare with. A print with the same time and another price is a publication too. */
function isNews({ heard, newestMs, validUntilSec, trustsNext }: Known, print: ReportedPrint): boolean {
  const isOther = print.price !== heard.at(-1)?.price;
  if (print.publishedMs !== null) return print.publishedMs > newestMs || (print.publishedMs === newestMs && isOther);
  return !trustsNext && isOther && print.validUntilSec >= validUntilSec;
}

const nearTrusted = ({ heard }: Known, price: Price, bps: bigint): boolean =>
  heard.some((one) => one.mayBeTrusted && isNear(one.price, price, bps));

/** Whether the bot may question a print after another one. */
export const isLeap = (from: Price, to: Price): boolean => !isNear(from, to, LEAP_BPS);

function isNear(from: Price, to: Price, bps: bigint): boolean {
  const moved = to > from ? to - from : from - to;
  return moved * BPS <= from * bps;
}
