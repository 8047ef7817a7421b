// Laws on what stands at the exchange: S2 and S8 after every change of our orders, L5 from time to time.

import type { EventBatch } from "../../devnet/chain/block-maker.ts";
import type { ChainReads } from "../../devnet/chain/reads.ts";
import { inventoryOf } from "../../domain/account.ts";
import type { Order } from "../../domain/order.ts";
import type { AccountId, MarketId, OrderId, Side, Size } from "../../domain/units.ts";
import type { Accuse } from "./law.ts";

export type RestingModules = {
  readonly reads: ChainReads;
  readonly nowMs: () => number;
  /** The largest limit that a decision on its way may have been made under; null: the bot does not quote there. */
  readonly maxPosition: (marketId: MarketId) => Size | null;
  /** False: its ledger was set back, and no read has reached the process that has what only a read can show it. */
  readonly knowsItsFills: () => boolean;
  /** A transaction that nobody answered may land for so long. */
  readonly landingBoundMs: number;
  readonly accuse: Accuse;
};

type Wrong = { readonly law: "S2" | "S8"; readonly text: string };

export class Resting {
  readonly #account: AccountId;
  readonly #modules: RestingModules;
  /** Since when facts that were delivered forbid quotes, with nothing in the way of cancels. */
  readonly #forbiddenSinceMs = new Map<MarketId, number>();
  readonly #restedMs = new Map<MarketId, number>();
  /** When the daemon last placed or modified an order, by market and side. */
  readonly #claimedMs = new Map<string, number>();
  #own = new Set<OrderId>();
  /** What is wrong with the orders that were placed or modified last, until it is known who sent that. */
  readonly #wrongs = new Map<OrderId, Wrong>();
  /** When each order came to rest: a transaction may land late. */
  readonly #landedMs = new Map<OrderId, number>();
  /** Orders that the answer to a transaction of the daemon has named. */
  readonly #named = new Set<OrderId>();
  /** Every order on the account so far. */
  readonly placed = new Map<OrderId, Order>();
  /** Somebody else trades the account too: its orders are no longer only the bot's. */
  isShared = false;

  constructor(account: AccountId, modules: RestingModules) {
    this.#account = account;
    this.#modules = modules;
  }

  orders(marketId?: MarketId): readonly Order[] {
    const orders = this.#modules.reads.account(this.#account)?.openOrders ?? [];
    return marketId === undefined ? orders : orders.filter((order) => order.marketId === marketId);
  }

  /** The exchange has placed or modified these for the daemon: what is wrong with that is the daemon's fault. */
  claim(orderIds: Iterable<OrderId>): void {
    for (const orderId of orderIds) {
      this.#own.add(orderId);
      const order = this.placed.get(orderId);
      if (order !== undefined) this.#claimedMs.set(`${order.marketId} ${order.side}`, this.#modules.nowMs());
      const wrong = this.#wrongs.get(orderId);
      if (wrong !== undefined) this.#modules.accuse(wrong.law, wrong.text);
    }
  }

  /** The answer to a transaction of the daemon has named these orders. */
  named(orderIds: Iterable<OrderId>): void {
    for (const orderId of orderIds) this.#named.add(orderId);
  }

  /** The daemon's records went with its disk, but for those of these orders: the others are foreign to its next life. */
  keepOnly(orderIds: Iterable<OrderId>): void {
    this.#own = new Set([...orderIds].filter((orderId) => this.#own.has(orderId)));
  }

  /** Orders that rest and that the daemon placed, whoever else trades on the account. */
  own(marketId?: MarketId): readonly Order[] {
    return this.orders(marketId).filter(({ orderId }) => this.#own.has(orderId));
  }

  /** Orders that rest and that the daemon can know to be its own. */
  surelyOwn(marketId?: MarketId): readonly Order[] {
    return this.own(marketId).filter((order) => !this.#hasDouble(order));
  }

  /** No answer named it, and somebody else placed an identical one within the landing bound: nobody can tell which is whose. */
  #hasDouble({ orderId }: Order): boolean {
    const order = this.placed.get(orderId);
    if (order === undefined || this.#named.has(orderId)) return false;
    return [...this.placed.values()].some((other) => !this.#own.has(other.orderId) && this.#isAlike(order, other));
  }

  #isAlike(one: Order, other: Order): boolean {
    return (
      one.marketId === other.marketId &&
      one.side === other.side &&
      one.price === other.price &&
      one.size === other.size &&
      Math.abs(one.createdAtMs - other.createdAtMs) <= this.#modules.landingBoundMs
    );
  }

  /** When something of ours was last seen to rest in the market; minus infinity: never. */
  lastMs(marketId: MarketId): number {
    return this.#restedMs.get(marketId) ?? Number.NEGATIVE_INFINITY;
  }

  /** When the daemon last placed or modified an order there, which may have gone between two looks; minus infinity: never. */
  claimedMs(marketId: MarketId, side: Side): number {
    return this.#claimedMs.get(`${marketId} ${side}`) ?? Number.NEGATIVE_INFINITY;
  }

  /** Notes where something rests now. */
  look(): void {
    for (const { marketId } of this.own()) this.#restedMs.set(marketId, this.#modules.nowMs());
  }

  observe({ events }: EventBatch): void {
    for (const event of events) {
      if (event.type !== "OrderPlaced" && event.type !== "OrderModified") continue;
      if (event.order.accountId !== this.#account) continue;
      this.placed.set(event.order.orderId, event.order);
      if (event.type === "OrderPlaced") this.#landedMs.set(event.order.orderId, this.#modules.nowMs());
      const wrong = this.isShared ? null : this.#wrongWith(event.order);
      if (wrong === null) this.#wrongs.delete(event.order.orderId);
      else this.#wrongs.set(event.order.orderId, wrong);
    }
  }

  /**
   * `why`: what forbids quotes of the market now; undefined: nothing, or cancels cannot get through. `allowedMs`: when quotes were
   * last right; looks are apart, and what forbids may have been away in between.
   */
  forbid(
    marketId: MarketId,
    why: string | undefined,
    { graceMs, allowedMs }: { readonly graceMs: number; readonly allowedMs: number },
  ): void {
    const { nowMs, accuse } = this.#modules;
    if (why === undefined) {
      this.#forbiddenSinceMs.delete(marketId);
      return;
    }
    const sinceMs = Math.max(this.#forbiddenSinceMs.get(marketId) ?? nowMs(), allowedMs);
    this.#forbiddenSinceMs.set(marketId, sinceMs);
    const untilMs = nowMs() - graceMs;
    if (sinceMs >= untilMs) return;
    const hasRested = (orderId: OrderId): boolean => (this.#landedMs.get(orderId) ?? sinceMs) < untilMs;
    const left = this.surelyOwn(marketId).filter(({ orderId, reduceOnly }) => !reduceOnly && hasRested(orderId)).length;
    if (left > 0) accuse("L5", `${left} orders of market ${marketId} rest ${graceMs} ms after: ${why}`);
  }

  /** Judges the side that the order adds to. A reduce-only order adds to neither. */
  #wrongWith({ marketId, ...added }: Order): Wrong | null {
    const { reads, maxPosition, knowsItsFills } = this.#modules;
    const limit = maxPosition(marketId);
    if (limit === null || !knowsItsFills()) return null;
    const position = reads.account(this.#account)?.positions.find((each) => each.marketId === marketId);
    const inventory: bigint = inventoryOf(position);
    let long = inventory;
    let short = -inventory;
    let bid: bigint | undefined;
    let ask: bigint | undefined;
    for (const { side, price, remainingSize, reduceOnly, triggerPrice } of this.orders(marketId)) {
      // The owner's: it is in no book.
      if (triggerPrice !== null) continue;
      if (side === "buy") bid = bid === undefined || price > bid ? price : bid;
      else ask = ask === undefined || price < ask ? price : ask;
      if (reduceOnly) continue;
      if (side === "buy") long += remainingSize;
      else short += remainingSize;
    }
    // A position that a lowered limit no longer covers may be reduced; only orders that add are at fault.
    const [worst, held] = added.side === "buy" ? [long, inventory] : [short, -inventory];
    if (!added.reduceOnly && worst > limit && worst > held) {
      const text = `market ${marketId}: long ${long}, short ${short} at worst, limit ${limit}, position ${inventory}`;
      return { law: "S2", text };
    }
    const isCrossed = bid !== undefined && ask !== undefined && bid >= ask;
    return isCrossed ? { law: "S8", text: `market ${marketId}: bid ${bid}, ask ${ask}` } : null;
  }
}
