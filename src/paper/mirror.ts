// Repeats another exchange in ours as far as it is reported: books and trades as orders of two accounts; prints, funding settlements and
// market status as operator acts. What is not reported does not change.

import type { Chain } from "../devnet/chain/chain.ts";
import type { MarketConfig } from "../devnet/config/config.ts";
import type { ChainEvent } from "../devnet/event.ts";
import type { ReadEvent, StreamEvent } from "../domain/event.ts";
import { fillKey, type Trade } from "../domain/fill.ts";
import type { Funding, Market, Oracle } from "../domain/market.ts";
import type { QueueModel } from "../domain/queue.ts";
import type { AccountId, MarketId, Price } from "../domain/units.ts";
import { createOldestOutMap } from "../kernel/bounded.ts";
import { type Counterparties, MirrorMarket, type MirrorModules, type OwnPart } from "./mirror-market.ts";

/** What the other exchange reports about its markets. */
export type PublicEvent = StreamEvent | Extract<ReadEvent, { kind: "marketRead" | "oracleRead" | "fundingRead" }>;

export type MirrorOptions = Counterparties & {
  readonly model: QueueModel;
  readonly markets: readonly MarketId[];
};

/** Trades remembered, since one may be reported twice. */
const TRADES_KEPT = 4096;

export class Mirror {
  readonly #chain: Chain;
  readonly #maker: AccountId;
  readonly #taker: AccountId;
  readonly #markets = new Map<MarketId, MirrorMarket>();
  readonly #trades = createOldestOutMap<string, true>(TRADES_KEPT);
  /** Times of settlements that only one read has reported: a second read that reports the same confirms it. */
  readonly #readSec = new Map<MarketId, number>();
  readonly #unhear: () => void;

  constructor({ model, maker, taker, markets }: MirrorOptions, chain: Chain) {
    this.#chain = chain;
    this.#maker = maker;
    this.#taker = taker;
    for (const marketId of markets) {
      const act: MirrorModules["act"] = (accountId, transaction) =>
        chain.act({ accountId, transaction }).status === "success";
      this.#markets.set(marketId, new MirrorMarket(marketId, { model, maker, taker }, { act }));
    }
    this.#unhear = chain.onEvents(({ events }) => {
      for (const event of events) this.#hear(event);
    });
  }

  close(): void {
    this.#unhear();
  }

  /** Orders leave by this model from now on. */
  setModel(model: QueueModel): void {
    for (const market of this.#markets.values()) market.model = model;
  }

  apply(event: PublicEvent): void {
    switch (event.kind) {
      case "book":
        this.#markets.get(event.book.marketId)?.follow(event.book);
        break;
      case "trade":
        this.repeat(event.trade);
        break;
      case "oracleUpdate":
        this.#print(event.marketId, event.price, event.validUntilSec);
        break;
      case "oracleRead":
        this.#oracle(event.oracle);
        break;
      case "marketRead":
        this.#market(event.market);
        break;
      case "fundingUpdate":
        this.#settle(event.marketId, event.fundingRate, event.lastFundingTimestampSec);
        break;
      case "fundingRead":
        this.#funding(event.funding);
        break;
      default:
        break;
    }
  }

  /** Repeats a trade of the other exchange, in which our orders may have had a part. A trade reported before changes nothing. */
  repeat(trade: Trade, own: OwnPart = null): void {
    const key = fillKey(trade, "taker");
    if (this.#trades.has(key)) return;
    this.#trades.set(key, true);
    this.#markets.get(trade.marketId)?.repeat(trade, own);
  }

  #print(marketId: MarketId, price: Price, validUntilSec: number): void {
    const { reads, control } = this.#chain;
    const known = reads.oracle(marketId);
    if (known === undefined) return;
    if (known.price !== price) control.publishPrint(marketId, price);
    if (reads.oracle(marketId)?.validUntilSec !== validUntilSec) control.setOracle(marketId, { validUntilSec });
  }

  #oracle({ marketId, price, validUntilSec, status }: Oracle): void {
    this.#print(marketId, price, validUntilSec);
    const known = this.#chain.reads.oracle(marketId);
    const repeated = oracleStatusOf(status);
    if (known !== undefined && known.status !== repeated) this.#chain.control.setOracle(marketId, { status: repeated });
  }

  #market(market: Market): void {
    const known = this.#chain.reads.market(market.marketId);
    if (known === undefined) return;
    const status = statusOf(market);
    if (known.status !== status) this.#chain.control.setMarketStatus(market.marketId, status);
    if (known.tickSize !== market.tickSize) this.#chain.control.setTickSize(market.marketId, market.tickSize);
  }

  #settle(marketId: MarketId, rate: bigint, timestampSec: number): void {
    const known = this.#chain.reads.funding(marketId);
    if (known === undefined || timestampSec <= known.lastFundingTimestampSec) return;
    // Missed settlements are settled together with this one, at its rate.
    const since = Math.round((timestampSec - known.lastFundingTimestampSec) / known.fundingIntervalSecs);
    this.#chain.control.settleFunding(marketId, rate * BigInt(Math.max(1, since)), timestampSec);
  }

  /** The stream reports settlements; a read finds one that the stream lost. */
  #funding({ marketId, fundingRate, lastFundingTimestampSec }: Funding): void {
    if (this.#readSec.get(marketId) === lastFundingTimestampSec)
      this.#settle(marketId, fundingRate, lastFundingTimestampSec);
    this.#readSec.set(marketId, lastFundingTimestampSec);
  }

  #hear(event: ChainEvent): void {
    if (event.type === "OrderPlaced" && event.order.accountId === this.#maker) {
      this.#markets.get(event.order.marketId)?.placed(event.order);
    } else if (event.type === "OrderCanceled" && event.accountId === this.#maker) {
      this.#markets.get(event.marketId)?.gone(event.orderId);
    } else if (event.type === "Fill") {
      const { execution } = event;
      const market = this.#markets.get(execution.marketId);
      const { makerAccountId, takerAccountId, makerOrderId, takerOrderId, size } = execution;
      if (makerAccountId === this.#maker) market?.filled(makerOrderId, size, takerAccountId !== this.#taker);
      else if (takerAccountId === this.#maker) market?.filled(takerOrderId, size, true);
    }
  }
}

/** An unknown status is treated like a halt: no new exposure. */
const oracleStatusOf = (status: Oracle["status"]): Oracle["status"] =>
  status === "Active" || status === "Stale" ? status : "Halted";

/** An unknown status is treated like a pause: no new exposure. */
export const statusOf = ({ status }: Pick<Market, "status">): MarketConfig["status"] =>
  status === "Active" || status === "Settling" || status === "Settled" ? status : "Paused";
