// The law of the second opinion, S15: which print a bot that has heard what was delivered may trust. Lenient where the bot's own numbers
// may differ: what breaks the law here is wrong by any of them.

import type { EventBatch } from "../../devnet/chain/block-maker.ts";
import { BPS, type MarketId, type Price } from "../../domain/units.ts";

type Publication = { readonly number: number; readonly price: Price; readonly atMs: number };

type Known = {
  /** What the exchange published, newest last. */
  published: readonly Publication[];
  /** The newest publication that reached the process. */
  newest: number;
  trusted: Publication | null;
  /** The first print that certainly is in doubt; null: none. */
  doubtful: Publication | null;
};

/** The bot's own limit on a print's move, whose smaller number it may take; and beyond its collar in every world. */
const CERTAIN_BPS = 200n;
const COLLAR_BPS = 250n;
/** A second publication is no sooner than this share of the interval after the first, whatever the bot takes for usual. */
const SECOND_AFTER_SHARE = 0.1;
const PUBLISHED_KEPT = 20;

export class SecondOpinion {
  readonly #markets = new Map<MarketId, Known>();
  readonly #modules: { readonly nowMs: () => number; readonly printEveryMs: (marketId: MarketId) => number };

  constructor(modules: { readonly nowMs: () => number; readonly printEveryMs: (marketId: MarketId) => number }) {
    this.#modules = modules;
  }

  observe({ events }: EventBatch): void {
    for (const event of events) {
      if (event.type !== "OracleUpdated") continue;
      const known = this.#known(event.marketId);
      const number = (known.published.at(-1)?.number ?? 0) + 1;
      const publication = { number, price: event.price, atMs: this.#modules.nowMs() };
      known.published = [...known.published, publication].slice(-PUBLISHED_KEPT);
    }
  }

  /** A frame or an answer with this print has reached the process. */
  delivered(marketId: MarketId, price: Price): void {
    const known = this.#known(marketId);
    const publication = known.published.findLast((one) => one.price === price);
    if (publication === undefined || publication.number <= known.newest) return;
    known.newest = publication.number;
    const { trusted, doubtful } = known;
    if (trusted === null || isNear(trusted.price, price, CERTAIN_BPS)) trust(known, publication);
    else if (doubtful === null || !isNear(doubtful.price, price, CERTAIN_BPS)) known.doubtful = publication;
    else {
      const soonestMs = doubtful.atMs + SECOND_AFTER_SHARE * this.#modules.printEveryMs(marketId);
      if (publication.atMs >= soonestMs) trust(known, publication);
    }
  }

  /** Why nothing may be added; undefined: no print is in doubt. */
  forbids(marketId: MarketId): string | undefined {
    const { trusted, doubtful } = this.#known(marketId);
    return doubtful === null
      ? undefined
      : `a print moved from ${trusted?.price} to ${doubtful.price}, and none confirms it`;
  }

  /** Why an order at this price is too far away; undefined: it is not. */
  forbidsPrice(marketId: MarketId, price: Price): string | undefined {
    const { trusted } = this.#known(marketId);
    if (trusted === null || isNear(trusted.price, price, COLLAR_BPS)) return undefined;
    return `at ${price}, the last trusted print is ${trusted.price}`;
  }

  /** The daemon's records went with its disk: its next life trusts what it hears first. */
  lost(): void {
    for (const known of this.#markets.values()) Object.assign(known, { newest: 0, trusted: null, doubtful: null });
  }

  #known(marketId: MarketId): Known {
    const known = this.#markets.get(marketId) ?? { published: [], newest: 0, trusted: null, doubtful: null };
    this.#markets.set(marketId, known);
    return known;
  }
}

function trust(known: Known, publication: Publication): void {
  known.trusted = publication;
  known.doubtful = null;
}

function isNear(from: Price, to: Price, bps: bigint): boolean {
  const moved = to > from ? to - from : from - to;
  return moved * BPS <= from * bps;
}
