// Every state change as canonical bytes, in order: the input of the chain's state root. A record is a tag and its fields; a field has a
// fixed width or starts with its length, so that different histories never give the same bytes.

import { orderTypes, timesInForce } from "../../../domain/order.ts";
import type { Account, LedgerAccount, LiveOrder, MarketAccount, MarketState } from "../records.ts";

const TAGS = {
  account: 1,
  closed: 2,
  posting: 3,
  terms: 4,
  order: 5,
  gone: 6,
  fill: 7,
  marketAccount: 8,
  market: 9,
  funding: 10,
  tickSize: 11,
} as const;

const LONGEST_RECORD = 160;
const I64_MAX = 9_223_372_036_854_775_807n;

export class ChangeLog {
  readonly #sink: (changes: Uint8Array) => void;
  #bytes = new Uint8Array(4096);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  constructor(sink: (changes: Uint8Array) => void) {
    this.#sink = sink;
  }

  /** Passes on what was written since the last call, if anything. */
  flush(): void {
    if (this.#length === 0) return;
    this.#sink(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
  }

  accountOpened(account: Account): void {
    this.#open(TAGS.account);
    this.#big(account.id);
    this.#big(account.masterId ?? account.id);
    this.#big(account.volume.today);
  }

  accountClosed(account: Account): void {
    this.#open(TAGS.closed);
    this.#big(account.id);
  }

  posting(from: LedgerAccount, to: LedgerAccount, amount: bigint): void {
    this.#open(TAGS.posting);
    this.#ledgerAccount(from);
    this.#ledgerAccount(to);
    this.#big(amount);
  }

  /** The terms of an accepted order; written again when its trigger price is modified, the only term that can change. */
  terms(order: LiveOrder): void {
    this.#open(TAGS.terms);
    this.#number(order.id);
    this.#tag(orderTypes.indexOf(order.orderType));
    this.#tag(timesInForce.indexOf(order.timeInForce));
    const mode = order.mode === null ? 8 : order.mode === "Isolated" ? 4 : 0;
    this.#tag((order.reduceOnly ? 1 : 0) + (order.postOnly ? 2 : 0) + mode);
    this.#number(order.leverage);
    this.#number(order.maxSlippageBps ?? -1);
    this.#big(order.triggerPrice ?? 0n);
    this.#big(order.takeProfit ?? 0n);
    this.#big(order.stopLoss ?? 0n);
  }

  /** The current state of an order: new, partially filled, modified, triggered. */
  order(order: LiveOrder): void {
    this.#open(TAGS.order);
    this.#number(order.id);
    this.#big(order.marketAccount.account.id);
    this.#number(order.marketAccount.market.id);
    this.#tag(order.side === "buy" ? 1 : 2);
    this.#number(order.ticks);
    this.#number(order.filled);
    this.#number(order.remaining);
    this.#tag(order.untriggered ? 1 : 2);
  }

  orderGone(order: LiveOrder): void {
    this.#open(TAGS.gone);
    this.#number(order.id);
  }

  fill(maker: LiveOrder, taker: LiveOrder, units: number): void {
    this.#open(TAGS.fill);
    this.#number(maker.id);
    this.#number(taker.id);
    this.#number(units);
  }

  marketAccount(marketAccount: MarketAccount): void {
    this.#open(TAGS.marketAccount);
    this.#big(marketAccount.account.id);
    this.#number(marketAccount.market.id);
    this.#number(marketAccount.units);
    this.#big(marketAccount.cost);
    this.#tag(marketAccount.mode === "Cross" ? 1 : 2);
    this.#number(marketAccount.leverage);
    this.#big(marketAccount.fundingIndex);
  }

  market(market: MarketState): void {
    this.#open(TAGS.market);
    this.#number(market.id);
    this.#text(market.status);
    this.#text(market.oracleStatus);
    this.#big(market.oraclePrice);
    this.#big(market.risk.price);
    this.#number(market.lastPrintMs);
    this.#number(market.validUntilMs);
  }

  tickSize(market: MarketState): void {
    this.#open(TAGS.tickSize);
    this.#number(market.id);
    this.#big(market.tickSize);
  }

  funding(market: MarketState): void {
    const { cumulative, rate, lastSettledMs, lastSampleMs, premiumSum, premiumCount } = market.funding;
    this.#open(TAGS.funding);
    this.#number(market.id);
    this.#big(cumulative);
    this.#big(rate);
    this.#number(lastSettledMs);
    this.#number(lastSampleMs);
    this.#big(premiumSum);
    this.#number(premiumCount);
  }

  #ledgerAccount(ledgerAccount: LedgerAccount): void {
    this.#tag(ledgerAccount.address.kind);
    this.#big(ledgerAccount.address.account);
    this.#number(ledgerAccount.address.place);
  }

  /** Starts a record. Apart from its texts, no record is longer than the space reserved here. */
  #open(tag: number): void {
    this.#reserve(LONGEST_RECORD);
    this.#tag(tag);
  }

  #tag(byte: number): void {
    this.#bytes[this.#length] = byte;
    this.#length += 1;
  }

  #number(value: number): void {
    this.#view.setFloat64(this.#length, value);
    this.#length += 8;
  }

  /** A byte 0 and 64 bits; if the value does not fit, a byte 1 and its decimal text. */
  #big(value: bigint): void {
    if (value > I64_MAX || value < -I64_MAX) {
      this.#tag(1);
      this.#text(value.toString());
      return;
    }
    this.#bytes[this.#length] = 0;
    this.#view.setBigInt64(this.#length + 1, value);
    this.#length += 9;
  }

  #text(value: string): void {
    const encoded = Buffer.from(value, "utf8");
    this.#number(encoded.length);
    this.#reserve(encoded.length + LONGEST_RECORD);
    this.#bytes.set(encoded, this.#length);
    this.#length += encoded.length;
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const wider = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more));
    wider.set(this.#bytes);
    this.#bytes = wider;
    this.#view = new DataView(wider.buffer);
  }
}
