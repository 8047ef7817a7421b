// Laws on money: S3 and S7, the ledger against the exchange's own record of events, summed here independently.

import { totalsOf } from "../../bot/accounting/totals.ts";
import { bookOf } from "../../bot/ledger/rebuild.ts";
import type { LedgerReads } from "../../bot/ledger/store.ts";
import type { EventBatch } from "../../devnet/chain/block-maker.ts";
import type { ChainEvent } from "../../devnet/event.ts";
import { fillKey } from "../../domain/fill.ts";
import type { AccountId, MarketId, OrderId, Usdc } from "../../domain/units.ts";
import type { HttpCall } from "../exchange.ts";
import type { Accuse } from "./law.ts";

/** The public trades show this many (venue: "recent" trades). */
const SHOWN_TRADES = 100;

type OwnFill = {
  readonly orderId: OrderId;
  readonly marketId: MarketId;
  /** Which trade of its market it was. */
  readonly nth: number;
  readonly atMs: number;
  /** Whether the first read of trades after it still showed it; null: no such read reached the bot yet. */
  wasShown: boolean | null;
};

export class Books {
  readonly #account: AccountId;
  readonly #fills = new Map<string, OwnFill>();
  /** Trades of each market so far. */
  readonly #trades = new Map<MarketId, number>();
  /** Requests for the public trades of a market that the exchange has answered, and which trades there were. */
  readonly #tradesAsked = new WeakMap<HttpCall, { readonly marketId: MarketId; readonly count: number }>();
  readonly #opening: bigint;
  /** Where the owner trades and the bot does not: it reads no trades there, and may book what it missed as money alone. */
  readonly #beside: MarketId | null;
  #collateral: bigint;
  /** Amounts that the account held before, and until when, ms. */
  readonly #formerMs = new Map<bigint, number>();
  /** When money or fills last changed, ms. */
  changedMs = 0;

  constructor(account: AccountId, opening: Usdc, beside: MarketId | null) {
    this.#account = account;
    this.#beside = beside;
    this.#opening = opening;
    this.#collateral = opening;
  }

  get fillCount(): number {
    return this.#fills.size;
  }

  observe({ events }: EventBatch, nowMs: number): void {
    for (const event of events) {
      const before = this.#collateral;
      if (this.#take(event, nowMs)) this.changedMs = nowMs;
      if (this.#collateral !== before) this.#formerMs.set(before, nowMs);
    }
  }

  /** Whether the account holds an amount again that it held within the last `withinMs`: by that alone no read tells when it is from. */
  hasReturned(nowMs: number, withinMs: number): boolean {
    const untilMs = this.#formerMs.get(this.#collateral);
    return untilMs !== undefined && nowMs - untilMs <= withinMs;
  }

  /**
   * `ledger`: what a restart would go on from. `whole`: the same with what was archived. `isNamed`: whether the bot could know that the
   * order was its own.
   */
  judge(
    { ledger, whole }: { readonly ledger: LedgerReads; readonly whole: LedgerReads },
    collateral: Usdc,
    isNamed: (order: OrderId) => boolean,
    accuse: Accuse,
  ): void {
    if (collateral !== this.#collateral) {
      accuse("S7", `the exchange's own events sum to ${this.#collateral}, its account says ${collateral}`);
    }
    const booked = new Map<string, number>();
    for (const { fill } of whole.fills(this.#account)) booked.set(fill.key, (booked.get(fill.key) ?? 0) + 1);
    for (const [key, { orderId, marketId, wasShown }] of this.#fills) {
      const count = booked.get(key) ?? 0;
      const isToBeFound = isNamed(orderId) && wasShown !== false && marketId !== this.#beside;
      if (count > 1 || (count === 0 && isToBeFound)) accuse("S3", `fill ${key} is in the ledger ${count} times`);
    }
    for (const key of booked.keys()) if (!this.#fills.has(key)) accuse("S3", `the exchange knows no fill ${key}`);
    const { realizedPnl, fees, funding, transfers } = totalsOf(bookOf(ledger, this.#account));
    const sum = realizedPnl - fees + funding + transfers + this.#unbooked(whole);
    if (sum !== collateral) {
      accuse(
        "S7",
        `the ledger sums to ${sum} (realized ${realizedPnl}, fees ${fees}, funding ${funding}, transfers ${transfers}), the account holds ${collateral}`,
      );
    }
  }

  /** The exchange has answered a request of the bot. */
  executed(call: HttpCall): void {
    const asked = /\/markets\/(\d+)\/trades$/.exec(call.path);
    if (asked === null) return;
    const marketId = Number(asked[1]);
    this.#tradesAsked.set(call, { marketId, count: this.#trades.get(marketId) ?? 0 });
  }

  /** The answer has reached the bot. */
  answered(call: HttpCall): void {
    const asked = this.#tradesAsked.get(call);
    if (asked === undefined) return;
    for (const fill of this.#fills.values())
      if (fill.marketId === asked.marketId && fill.nth <= asked.count)
        fill.wasShown ??= asked.count - fill.nth < SHOWN_TRADES;
  }

  /** Whether a fill since `sinceMs` had left the public trades before the bot read them. */
  missedFillSince(sinceMs: number): boolean {
    return this.#fills.values().some(({ atMs, wasShown }) => wasShown === false && atMs >= sinceMs);
  }

  /** The process died, and its ledger may lack what it had learned: look for that again. */
  lost(ledger: LedgerReads): void {
    const kept = new Set(Array.from(ledger.fills(this.#account), ({ fill }) => fill.key));
    for (const [key, fill] of this.#fills) if (!kept.has(key)) fill.wasShown = null;
  }

  /** What the account held at the start, unless the ledger has it among its transfers. */
  #unbooked(ledger: LedgerReads): bigint {
    for (const { reason } of ledger.transfers(this.#account)) if (reason === "opening") return 0n;
    return this.#opening;
  }

  /** True when it was ours. */
  #take(event: ChainEvent, nowMs: number): boolean {
    if (event.type === "Fill") return this.#takeFill(event, nowMs);
    if (event.type === "FundingPaid" && event.accountId === this.#account) {
      this.#collateral += event.amount;
      return true;
    }
    if (event.type === "AccountChanged" && event.name === "Deposited" && event.accountId === this.#account) {
      this.#collateral += BigInt(event.facts.amount ?? "0");
      return true;
    }
    return false;
  }

  #takeFill({ execution }: Extract<ChainEvent, { readonly type: "Fill" }>, atMs: number): boolean {
    const { marketId, takerOrderId, makerOrderId } = execution;
    const nth = (this.#trades.get(marketId) ?? 0) + 1;
    this.#trades.set(marketId, nth);
    const isTaker = execution.takerAccountId === this.#account;
    const isMaker = execution.makerAccountId === this.#account;
    if (isTaker) {
      this.#fills.set(fillKey(execution, "taker"), { orderId: takerOrderId, marketId, nth, atMs, wasShown: null });
      this.#collateral += execution.takerRealizedPnl - execution.takerFee;
    }
    if (isMaker) {
      this.#fills.set(fillKey(execution, "maker"), { orderId: makerOrderId, marketId, nth, atMs, wasShown: null });
      this.#collateral += execution.makerRealizedPnl - execution.makerFee;
    }
    return isTaker || isMaker;
  }
}
