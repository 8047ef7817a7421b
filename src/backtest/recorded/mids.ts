// What each market of a session is worth now, and what that does to those who hold something.

import { mid as midOf } from "../../domain/book.ts";
import { type MarketId, type Price, price } from "../../domain/units.ts";
import type { Happened, Session } from "./session.ts";
import type { Tally } from "./tally.ts";

/** Mids of the others' book and oracle prices, of now. */
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

  take(happened: Happened): void {
    if (happened.kind !== "told") return;
    const { told } = happened;
    if (told.kind === "oracleUpdate") this.#oracle.set(told.marketId, told.price);
    if (told.kind === "oracleRead") this.#oracle.set(told.oracle.marketId, told.oracle.price);
    if (told.kind !== "book") return;
    const mid = midOf(told.book);
    if (mid !== undefined) this.mids.set(told.book.marketId, mid);
  }

  /** To be told before `take`. */
  tell(tally: Tally, happened: Happened, atMs: number): void {
    if (happened.kind !== "told") return;
    const { told } = happened;
    if (told.kind === "oracleUpdate") tally.printed(told.marketId, told.validUntilSec, this.mid(told.marketId), atMs);
    if (told.kind === "fundingUpdate") {
      const { marketId, fundingRate, lastFundingTimestampSec } = told;
      tally.settled(marketId, fundingRate, this.#oracle.get(marketId) ?? price(0n), lastFundingTimestampSec);
    }
    if (told.kind === "book") tally.follow(told.book.marketId, midOf(told.book) ?? this.mid(told.book.marketId), atMs);
  }
}
