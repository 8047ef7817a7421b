// Repeats the exchange of a recorded session: its market is replayed, and a queue model matches additional orders in it. Synchronous:
// events go in, answers and fills come out at once, and its clock gives the time.

import type { Receipt } from "../../devnet/event.ts";
import type { Book } from "../../domain/book.ts";
import { marketOfEvent, type VenueEvent } from "../../domain/event.ts";
import type { Trade } from "../../domain/fill.ts";
import type { QueueModel } from "../../domain/queue.ts";
import type { AccountId, MarketId } from "../../domain/units.ts";
import type { Clock } from "../../kernel/clock.ts";
import { createMirrored, type Mirrored, type MirroredAccount } from "../../paper/paper-exchange.ts";
import { keyedHashSigner, keyedHashVerifier } from "../../wire/signing-simulated.ts";
import type { Transaction } from "../../wire/transaction.ts";
import type { Happened, Session, SessionMarket } from "./session.ts";

export type QueueExchangeOptions = {
  readonly chainId: string;
  readonly model: QueueModel;
  readonly accounts: readonly MirroredAccount[];
};

/** What the session's exchange last showed of a market. `trades`: the newest first. */
export type Shown = SessionMarket & { readonly book: Book; readonly trades: readonly Trade[] };

/** As many trades as an exchange lists. */
const TRADES_KEPT = 100;

export class QueueExchange {
  readonly mirrored: Mirrored;
  readonly #shown: Map<MarketId, { -readonly [K in keyof Shown]: Shown[K] }>;

  constructor(session: Session, { chainId, model, accounts }: QueueExchangeOptions, clock: Clock) {
    const { markets, feeTiers } = session;
    this.#shown = new Map(
      markets.map((facts) => {
        const { marketId } = facts.market;
        return [marketId, { ...facts, book: { marketId, bids: [], asks: [] }, trades: [] }];
      }),
    );
    this.mirrored = createMirrored(
      { chainId, markets, feeTiers, accounts, model, numbering: 0 },
      {
        clock,
        verifier: keyedHashVerifier,
        enclave: { entropy: { bytes: (count) => new Uint8Array(count) }, signerOf: keyedHashSigner },
        log: () => {},
      },
    );
  }

  /** Takes an event at its time. */
  happen(happened: Happened): void {
    const { mirror } = this.mirrored;
    if (happened.kind === "published") {
      this.#show(happened.published);
      mirror.apply(happened.published);
    } else if (happened.kind === "trade") {
      this.#trade(happened.trade, happened.own === "taker");
      mirror.repeat(happened.trade, happened.own);
    } else if (happened.kind === "received") this.#show(happened.event);
  }

  /** Carries out an account's transaction at once. Events report the result. */
  act(accountId: AccountId, transaction: Transaction): Receipt {
    return this.mirrored.exchange.chain.act({ accountId, transaction });
  }

  /** Undefined: the session has no such market. */
  shown(marketId: MarketId): Shown | undefined {
    return this.#shown.get(marketId);
  }

  #show(event: VenueEvent): void {
    const id = marketOfEvent(event);
    const shown = id === null ? undefined : this.#shown.get(id);
    if (shown === undefined) return;
    if (event.kind === "book" || event.kind === "bookRead") shown.book = event.book;
    else if (event.kind === "marketRead") shown.market = event.market;
    else if (event.kind === "oracleRead") shown.oracle = event.oracle;
    else if (event.kind === "fundingRead") shown.funding = event.funding;
  }

  /** Size that the session's bot took is missing from the next book; nobody took it from this one. */
  #trade(trade: Trade, isOurs: boolean): void {
    const shown = this.#shown.get(trade.marketId);
    if (shown !== undefined && !isOurs) shown.trades = [trade, ...shown.trades].slice(0, TRADES_KEPT);
  }
}
