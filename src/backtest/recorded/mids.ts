// What each market of a session is worth now, and the effect on those who hold a position.

import { mid as midOf } from "../../domain/book.ts";
import { type MarketId, type Price, price } from "../../domain/units.ts";
import type { Happened, Session } from "./session.ts";
import type { Tally } from "./tally.ts";

/** Current mids of the others' book, and oracle prices. */
export class Mids {
  readonly mids = new Map<MarketId, Price>();
  readonly #oracle = new Map<MarketId, Price>();

  constructor({ markets }: Session) {
    for (const { market, oracle } of markets) {
      this.mids.set(market.marketId, oracle.price);
      this.#oracle.set(market.marketId, oracle.price);
    }
  }

  mid(marketId: MarketId): Price {
    return this.mids.get(marketId) ?? price(0n);
  }

  oracle(marketId: MarketId): Price {
    return this.#oracle.get(marketId) ?? price(0n);
  }

  take(happened: Happened): void {
    if (happened.kind !== "published") return;
    const { published } = happened;
    if (published.kind === "oracleUpdate") this.#oracle.set(published.marketId, published.price);
    if (published.kind === "oracleRead") this.#oracle.set(published.oracle.marketId, published.oracle.price);
    if (published.kind !== "book") return;
    const mid = midOf(published.book);
    if (mid !== undefined) this.mids.set(published.book.marketId, mid);
  }

  /** Call it before `take`. */
  tell(tally: Tally, happened: Happened, atMs: number): void {
    if (happened.kind !== "published") return;
    const { published } = happened;
    if (published.kind === "oracleUpdate")
      tally.printed(published.marketId, published.validUntilSec, this.mid(published.marketId), atMs);
    if (published.kind === "fundingUpdate") {
      const { marketId, fundingRate, lastFundingTimestampSec } = published;
      tally.settled(marketId, fundingRate, this.oracle(marketId), lastFundingTimestampSec);
    }
    if (published.kind === "book")
      tally.follow(published.book.marketId, midOf(published.book) ?? this.mid(published.book.marketId), atMs);
  }
}
