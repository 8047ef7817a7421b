// A recorded session as events of the exchange: the market without the orders of the bot's accounts, and the fate of each of these. It is
// read twice: first for what the start must know, then in order.

import type { Account } from "../../domain/account.ts";
import type { Book, Level } from "../../domain/book.ts";
import type { Command, PlaceCommand } from "../../domain/command.ts";
import type { VenueEvent } from "../../domain/event.ts";
import { type Execution, type Fill, fillKey, fillsOf, type Trade } from "../../domain/fill.ts";
import type { FeeTier, Funding, Market, Oracle, OracleHistory } from "../../domain/market.ts";
import {
  type AccountId,
  type MarketId,
  type Nonce,
  type OrderId,
  type Price,
  type Side,
  type Size,
  size,
} from "../../domain/units.ts";
import { createOldestOutMap } from "../../kernel/bounded.ts";
import type { Instant } from "../../kernel/clock.ts";
import type { PublicEvent } from "../../paper/mirror.ts";
import type { OwnPart } from "../../paper/mirror-market.ts";

/** An event as the bot's loop took it. */
export type Recorded = { readonly instant: Instant; readonly event: VenueEvent };
/** May be read more than once. */
export type Recording = () => Iterable<Recorded>;

/** A market as it was first read. */
export type SessionMarket = {
  readonly market: Market;
  readonly oracle: Oracle;
  readonly funding: Funding;
  readonly history: OracleHistory;
};

export type Session = {
  readonly markets: readonly SessionMarket[];
  readonly feeTiers: readonly FeeTier[];
  readonly openOrderCap: number | null;
  /** The accounts as they were first read. */
  readonly accounts: readonly Account[];
  /** Orders of the accounts, with the command that placed each; null: unknown. */
  readonly orders: ReadonlyMap<OrderId, PlaceCommand | null>;
  readonly fromMs: number;
  readonly toMs: number;
  /** From a transaction's send to its answer, ms, in the order of the answers. */
  readonly sendToAnswerMs: readonly number[];
};

/** The recording cannot be used: it lacks required data. */
export class SessionError extends Error {
  override readonly name = "SessionError";
}

/** Throws SessionError, and what the recording throws. */
export function readSession(recording: Recording): Session {
  const first = new FirstReads();
  const transactions = new Transactions();
  let [fromMs, toMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { instant, event } of recording()) {
    fromMs = Math.min(fromMs, instant.wallMs);
    toMs = Math.max(toMs, instant.wallMs);
    first.take(event);
    transactions.take(event);
  }
  const markets = [...first.markets.values()].flatMap(wholeOf).sort((a, b) => a.market.marketId - b.market.marketId);
  if (markets.length === 0) throw new SessionError("it holds no market: market, oracle and funding of none were read");
  const { feeTiers, openOrderCap, accounts } = first;
  const { orders, sendToAnswerMs } = transactions;
  return { markets, feeTiers, openOrderCap, accounts: [...accounts.values()], orders, fromMs, toMs, sendToAnswerMs };
}

class FirstReads {
  readonly markets = new Map<MarketId, Partial<SessionMarket>>();
  readonly accounts = new Map<AccountId, Account>();
  feeTiers: readonly FeeTier[] = [];
  openOrderCap: number | null = null;

  take(event: VenueEvent): void {
    switch (event.kind) {
      case "marketRead":
        this.#note(event.market.marketId, { market: event.market });
        break;
      case "oracleRead":
        this.#note(event.oracle.marketId, { oracle: event.oracle });
        break;
      case "fundingRead":
        this.#note(event.funding.marketId, { funding: event.funding });
        break;
      case "oracleHistoryRead":
        this.#note(event.history.marketId, { history: event.history });
        break;
      case "feeTiersRead":
        if (this.feeTiers.length === 0) this.feeTiers = event.feeTiers;
        break;
      case "openOrderCapRead":
        this.openOrderCap ??= event.openOrderCap;
        break;
      case "accountRead": {
        const { account } = event;
        if (!this.accounts.has(account.accountId)) this.accounts.set(account.accountId, account);
        break;
      }
      default:
        break;
    }
  }

  #note(marketId: MarketId, facts: Partial<SessionMarket>): void {
    this.markets.set(marketId, { ...facts, ...this.markets.get(marketId) });
  }
}

/** Which orders were the bot's, the commands that placed them, and how long the answers took. */
class Transactions {
  readonly orders = new Map<OrderId, PlaceCommand | null>();
  readonly sendToAnswerMs: number[] = [];
  readonly #sentMs = new Map<string, number>();

  take(event: VenueEvent): void {
    switch (event.kind) {
      case "accountRead":
        for (const { orderId } of event.account.openOrders) this.#known(orderId);
        break;
      case "orderPlaced":
      case "orderModified":
        this.#known(event.orderId);
        break;
      case "sent":
        this.#sentMs.set(nameOf(event), event.receivedMs);
        break;
      case "answered":
        this.#answered(event);
        break;
      default:
        break;
    }
  }

  #known(orderId: OrderId): void {
    if (!this.orders.has(orderId)) this.orders.set(orderId, null);
  }

  #answered(event: Extract<VenueEvent, { kind: "answered" }>): void {
    const { command, outcome, receivedMs } = event;
    const sentMs = this.#sentMs.get(nameOf(event));
    this.#sentMs.delete(nameOf(event));
    if (outcome.kind !== "executed") return;
    if (sentMs !== undefined) this.sendToAnswerMs.push(receivedMs - sentMs);
    if (command.kind !== "place") return;
    for (const each of outcome.events) if (each.type === "orderPlaced") this.orders.set(each.orderId, command);
  }
}

const nameOf = ({ command, nonce }: { readonly command: Command; readonly nonce: Nonce }): string =>
  `${command.accountId} ${nonce}`;

function wholeOf({ market, oracle, funding, history }: Partial<SessionMarket>): readonly SessionMarket[] {
  if (market === undefined || oracle === undefined || funding === undefined) return [];
  return [{ market, oracle, funding, history: history ?? { marketId: market.marketId, prices: [] } }];
}

/** One of the bot's orders, as the exchange last described it. */
export type OwnOrder = {
  readonly accountId: AccountId;
  readonly orderId: OrderId;
  readonly marketId: MarketId;
  readonly side: Side;
  readonly price: Price;
  /** Total size, including the filled part. */
  readonly size: Size;
  readonly filled: Size;
};

export type Happening =
  | { readonly kind: "published"; readonly published: Exclude<PublicEvent, { readonly kind: "trade" }> }
  /** `own`: the taker, or the maker, was one of the bot's accounts. */
  /** The book with the bot's orders, after the one without. */
  | { readonly kind: "shown"; readonly book: Book }
  | { readonly kind: "trade"; readonly trade: Trade; readonly own: OwnPart }
  | { readonly kind: "placed"; readonly order: OwnOrder; readonly command: PlaceCommand | null }
  | { readonly kind: "modified"; readonly order: OwnOrder }
  /** It left the book, filled or not. */
  | { readonly kind: "gone"; readonly order: OwnOrder }
  | { readonly kind: "fill"; readonly fill: Fill }
  /** Other events of the market and the stream that the bot received. */
  | { readonly kind: "received"; readonly event: VenueEvent };

/** An event, and when the bot took it. */
export type Happened = Happening & Instant;

/**
 * Yields events in the order of the exchange's stream, where the bot's orders are between trades and books as the exchange took them, so no
 * delay is assumed. Books are without the bot's orders. Throws what the recording throws.
 */
export function* replaySession(recording: Recording, session: Session): Iterable<Happened> {
  const own = new OwnOrders(session);
  for (const { instant, event } of recording()) for (const each of own.take(event)) yield { ...each, ...instant };
}

/** More trades than one transaction makes. */
const KEYS_KEPT = 4096;

/** The bot's orders as the exchange described them, and the market without them. */
class OwnOrders {
  readonly #session: Session;
  readonly #ids: ReadonlySet<AccountId>;
  readonly #orders = new Map<OrderId, OwnOrder>();
  readonly #traded = createOldestOutMap<string, true>(KEYS_KEPT);
  readonly #filled = createOldestOutMap<string, true>(KEYS_KEPT);
  /** Accounts with orders that the stream may have missed: before its first frame, and after an interruption. */
  readonly #unsure: Set<AccountId>;
  /** Time of the stream's last frame about one of our orders, monotonic ms: an earlier requested list does not show that change. */
  #reportedMs = Number.NEGATIVE_INFINITY;

  constructor(session: Session) {
    this.#session = session;
    this.#ids = new Set(session.accounts.map(({ accountId }) => accountId));
    this.#unsure = new Set(this.#ids);
  }

  take(event: VenueEvent): readonly Happening[] {
    switch (event.kind) {
      case "book":
        return [
          { kind: "published", published: { ...event, book: this.#others(event.book) } },
          { kind: "shown", book: event.book },
        ];
      case "trade":
        return this.#trade(event.trade);
      case "execution":
        this.#reportedMs = event.receivedMs;
        return this.#execution(event.execution);
      case "orderPlaced": {
        const { accountId, marketId, orderId, side, price, size: whole } = event;
        if (!this.#ids.has(accountId) || this.#orders.has(orderId)) return [];
        this.#reportedMs = event.receivedMs;
        return this.#place({ accountId, marketId, orderId, side, price, size: whole, filled: size(0n) });
      }
      case "orderModified": {
        const order = this.#orders.get(event.orderId);
        if (order === undefined) return [];
        this.#reportedMs = event.receivedMs;
        const changed = { ...order, price: event.price, size: event.size };
        this.#orders.set(order.orderId, changed);
        return [{ kind: "modified", order: changed }];
      }
      case "orderCanceled":
        this.#reportedMs = event.receivedMs;
        return this.#end(event.orderId);
      case "answered":
        if (event.outcome.kind !== "executed") return [];
        return event.outcome.events.flatMap((each) => (each.type === "fill" ? this.#execution(each.execution) : []));
      case "streamOpened":
        for (const id of this.#ids) this.#unsure.add(id);
        return [{ kind: "received", event }];
      case "bookRead":
        return [{ kind: "received", event: { ...event, book: this.#others(event.book) } }];
      case "streamClosed":
      case "pong":
      case "oracleHistoryRead":
      case "feeTiersRead":
      case "openOrderCapRead":
      case "outsideFact":
        return [{ kind: "received", event }];
      case "accountRead":
        return event.askedMs > this.#reportedMs ? this.#read(event.account) : [];
      case "oracleUpdate":
      case "oracleRead":
      case "marketRead":
      case "fundingUpdate":
      case "fundingRead":
        return [{ kind: "published", published: event }];
      default:
        return [];
    }
  }

  #trade(trade: Trade): readonly Happening[] {
    const key = fillKey(trade, "taker");
    if (this.#traded.has(key)) return [];
    this.#traded.set(key, true);
    const { orders } = this.#session;
    const own = orders.has(trade.takerOrderId) ? "taker" : orders.has(trade.makerOrderId) ? "maker" : null;
    return [{ kind: "trade", trade, own }];
  }

  #execution(execution: Execution): readonly Happening[] {
    const pieces: Happening[] = [...this.#trade(execution)];
    for (const id of this.#ids)
      for (const fill of fillsOf(execution, id)) {
        if (this.#filled.has(fill.key)) continue;
        this.#filled.set(fill.key, true);
        pieces.push({ kind: "fill", fill });
        const order = this.#orders.get(fill.orderId);
        if (order === undefined) continue;
        this.#orders.set(order.orderId, { ...order, filled: size(order.filled + fill.size) });
        if (order.filled + fill.size >= order.size) pieces.push(...this.#end(order.orderId));
      }
    return pieces;
  }

  #place(order: OwnOrder): readonly Happening[] {
    this.#orders.set(order.orderId, order);
    return [{ kind: "placed", order, command: this.#session.orders.get(order.orderId) ?? null }];
  }

  #end(orderId: OrderId): readonly Happening[] {
    const order = this.#orders.get(orderId);
    if (order === undefined) return [];
    this.#orders.delete(orderId);
    return [{ kind: "gone", order }];
  }

  /** The account's list shows what the stream did not. */
  #read({ accountId, openOrders }: Account): readonly Happening[] {
    if (!this.#unsure.delete(accountId)) return [];
    const listed = new Set(openOrders.map(({ orderId }) => orderId));
    const lost = [...this.#orders.values()].filter(
      (order) => order.accountId === accountId && !listed.has(order.orderId),
    );
    const found = openOrders.filter(({ orderId, triggerPrice }) => triggerPrice === null && !this.#orders.has(orderId));
    return [
      ...lost.flatMap(({ orderId }) => this.#end(orderId)),
      ...found.flatMap(({ marketId, orderId, side, price, size: whole, filledSize: filled }) =>
        this.#place({ accountId, marketId, orderId, side, price, size: whole, filled }),
      ),
    ];
  }

  #others(book: Book): Book {
    const { marketId } = book;
    const own: OwnOrder[] = [];
    for (const order of this.#orders.values()) if (order.marketId === marketId) own.push(order);
    if (own.length === 0) return book;
    return { marketId, bids: without(book.bids, own, "buy"), asks: without(book.asks, own, "sell") };
  }
}

function without(levels: readonly Level[], own: readonly OwnOrder[], side: Side): readonly Level[] {
  const others: Level[] = [];
  for (const level of levels) {
    let [left, count]: [bigint, number] = [level.size, level.orderCount];
    for (const order of own) {
      if (order.side !== side || order.price !== level.price) continue;
      left -= order.size - order.filled;
      count -= 1;
    }
    if (left <= 0n) continue;
    others.push(left === level.size ? level : { ...level, size: size(left), orderCount: Math.max(1, count) });
  }
  return others;
}
