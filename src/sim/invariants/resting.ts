// The law on what stands at the exchange, S2, judged after every order of ours that it placed or modified.

import type { EventBatch } from "../../devnet/chain/block-maker.ts";
import type { ChainReads } from "../../devnet/chain/reads.ts";
import { inventoryOf } from "../../domain/account.ts";
import type { Order } from "../../domain/order.ts";
import { type AccountId, type MarketId, type OrderId, orderId, type Size } from "../../domain/units.ts";
import type { Accuse } from "./law.ts";

export type RestingModules = {
  readonly reads: ChainReads;
  readonly nowMs: () => number;
  /** The largest limit that a decision on its way may have been made under; null: the bot does not quote there. */
  readonly maxPosition: (marketId: MarketId) => Size | null;
  readonly accuse: Accuse;
};

/** Orders that a frame or an answer names. */
export const orderIdsIn = (text: string): readonly OrderId[] =>
  Array.from(text.matchAll(/order_id":(\d+)/g), ([, name = ""]) => orderId(BigInt(name)));

export class Resting {
  readonly #account: AccountId;
  readonly #modules: RestingModules;
  readonly #restedMs = new Map<MarketId, number>();
  #own = new Set<OrderId>();
  /** What is wrong with the orders that were placed or modified last, until it is known who sent that. */
  readonly #wrongs = new Map<OrderId, string>();
  /** When each order came to rest: a transaction may land late. */
  readonly #executedMs = new Map<OrderId, number>();
  /** Orders that the answer to a transaction of the daemon has named. */
  readonly #named = new Set<OrderId>();
  /** Every order on the account so far. */
  readonly placed = new Map<OrderId, Order>();
  /** Somebody else trades the account with the same key or by hand: what rests there is no longer only the bot's. */
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
    for (const order of orderIds) {
      this.#own.add(order);
      const wrong = this.#wrongs.get(order);
      if (wrong !== undefined) this.#modules.accuse("S2", wrong);
    }
  }

  /** The answer to a transaction of the daemon has named these orders. */
  named(orderIds: Iterable<OrderId>): void {
    for (const order of orderIds) this.#named.add(order);
  }

  /** The daemon's records went with its disk, but for those of these orders: the others are foreign to its next run. */
  keepOnly(orderIds: Iterable<OrderId>): void {
    this.#own = new Set([...orderIds].filter((order) => this.#own.has(order)));
  }

  /** Orders that rest and that the daemon placed, whoever else trades on the account. */
  own(marketId?: MarketId): readonly Order[] {
    return this.orders(marketId).filter((order) => this.#own.has(order.orderId));
  }

  /** Orders that rest and that the daemon can know to be its own: where another's rests nothing is fenced, and what no answer named is foreign. */
  surelyOwn(): readonly Order[] {
    const own = this.own();
    const isAlone = !this.isShared && own.length === this.orders().length;
    return own.filter((order) => isAlone || this.#named.has(order.orderId));
  }

  /** When something of ours was last seen to rest in the market; minus infinity: never. */
  lastMs(marketId: MarketId): number {
    return this.#restedMs.get(marketId) ?? Number.NEGATIVE_INFINITY;
  }

  executedMs(order: OrderId): number {
    return this.#executedMs.get(order) ?? Number.NEGATIVE_INFINITY;
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
      if (event.type === "OrderPlaced") this.#executedMs.set(event.order.orderId, this.#modules.nowMs());
      const wrong = this.isShared ? null : this.#wrongWith(event.order);
      if (wrong === null) this.#wrongs.delete(event.order.orderId);
      else this.#wrongs.set(event.order.orderId, wrong);
    }
  }

  /** Judges the side that the order adds to. A reduce-only order adds to neither. */
  #wrongWith({ marketId, ...added }: Order): string | null {
    const { reads, maxPosition } = this.#modules;
    const limit = maxPosition(marketId);
    if (limit === null) return null;
    const position = reads.account(this.#account)?.positions.find((each) => each.marketId === marketId);
    const inventory: bigint = inventoryOf(position);
    let long = inventory;
    let short = -inventory;
    for (const { side, remainingSize, reduceOnly, triggerPrice } of this.orders(marketId)) {
      // A stop of the owner's is in no book.
      if (reduceOnly || triggerPrice !== null) continue;
      if (side === "buy") long += remainingSize;
      else short += remainingSize;
    }
    // A position that a lowered limit no longer covers may be reduced; only orders that add are at fault.
    const [worst, held] = added.side === "buy" ? [long, inventory] : [short, -inventory];
    if (added.reduceOnly || worst <= limit || worst <= held) return null;
    return `market ${marketId}: long ${long}, short ${short} at worst, limit ${limit}, position ${inventory}`;
  }
}
