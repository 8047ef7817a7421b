// What the bot of a screening knows of a market, and which events are news.

import type { DeskPair } from "../../bot/decider/turns/turn-queue.ts";
import type { Funding, Market, Oracle } from "../../domain/market.ts";
import type { TrackedOrder } from "../../domain/order.ts";
import { type Fact, lastKnown, type PositionFact, type View } from "../../domain/view.ts";
import type { TapeEvent } from "./tape.ts";

export type Known = {
  readonly pair: DeskPair;
  market: Fact<Market>;
  oracle: Fact<Oracle>;
  funding: Fact<Funding>;
  book: View["book"];
  position: Fact<PositionFact> | null;
  orders: readonly TrackedOrder[] | null;
  /** When it must turn though nothing happens, ms. */
  dueMs: number;
  hasNews: boolean;
  readonly unlearned: TapeEvent[];
};

/** Most reads repeat what is known. What else of a market changes often the book shows, and a funding rate can wait for the next look. */
export function isNews(event: TapeEvent, { market, oracle }: Known): boolean {
  switch (event.kind) {
    case "marketRead":
      return lastKnown(market)?.status !== event.market.status;
    case "oracleRead": {
      const known = lastKnown(oracle);
      const { price: at, validUntilSec, status } = event.oracle;
      return known?.price !== at || known.validUntilSec !== validUntilSec || known.status !== status;
    }
    case "fundingRead":
      return false;
    default:
      return true;
  }
}
