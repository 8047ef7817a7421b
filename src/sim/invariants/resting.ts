// The law on resting orders, S2, judged after every order of ours that the exchange placed or modified.

import type { EventBatch } from "../../devnet/chain/block-maker.ts";
import type { ChainReads } from "../../devnet/chain/reads.ts";
import { inventoryOf } from "../../domain/account.ts";
import type { Order } from "../../domain/order.ts";
import { type AccountId, type MarketId, type OrderId, orderId, type Size } from "../../domain/units.ts";
import type { Accuse } from "./law.ts";

export type RestingModules = {
  readonly reads: ChainReads;
  readonly nowMs: () => number;
  /** The largest limit under which a decision in flight may have been made; null: the bot does not quote there. */
  readonly maxPosition: (marketId: MarketId) => Size | null;
  readonly accuse: Accuse;
};

/** Orders named in a frame or an answer. */
export const orderIdsIn = (text: string): readonly OrderId[] =>
  Array.from(text.matchAll(/order_id":(\d+)/g), ([, name = ""]) => orderId(BigInt(name)));

export class Resting {
  readonly #account: AccountId;
  readonly #modules: RestingModules;
  readonly #restedMs = new Map<MarketId, number>();
  #own = new Set<OrderId>();
  /** Violations by the orders placed or modified last, until their sender is known. */
  readonly #wrongs = new Map<OrderId, string>();
  /** When each order came to rest, because a transaction may execute late. */
  readonly #executedMs = new Map<OrderId, number>();
  /** Orders named in the answer to a transaction of the daemon. */
  readonly #named = new Set<OrderId>();
  /** Every order on the account so far. */
  readonly placed = new Map<OrderId, Order>();
  /** Someone else trades on the account with the same key or by hand: not all resting orders are the bot's. */
  isShared = false;

  constructor(account: AccountId, modules: RestingModules) {
    this.#account = account;
    this.#modules = modules;
  }

  orders(marketId?: MarketId): readonly Order[] {
    const orders = this.#modules.reads.account(this.#account)?.openOrders ?? [];
    return marketId === undefined ? orders : orders.filter((order) => order.marketId === marketId);
  }

  /** The exchange placed or modified these for the daemon: their violations are the daemon's. */
  claim(orderIds: Iterable<OrderId>): void {
    for (const order of orderIds) {
      this.#own.add(order);
      const wrong = this.#wrongs.get(order);
      if (wrong !== undefined) this.#modules.accuse("S2", wrong);
    }
  }

  /** The answer to a transaction of the daemon named these orders. */
  named(orderIds: Iterable<OrderId>): void {
    for (const order of orderIds) this.#named.add(order);
  }

  /** The daemon's records were lost with its disk, except those of these orders: the others are foreign to its next run. */
  keepOnly(orderIds: Iterable<OrderId>): void {
    this.#own = new Set([...orderIds].filter((order) => this.#own.has(order)));
  }

  /** Resting orders placed by the daemon, whoever else trades on the account. */
  own(marketId?: MarketId): readonly Order[] {
    return this.orders(marketId).filter((order) => this.#own.has(order.orderId));
  }

  /**
   * Resting orders that the daemon can know to be its own: if another's order rests, nothing is fenced, and an order named in no answer is
   * foreign.
   */
  surelyOwn(): readonly Order[] {
    const own = this.own();
    const isAlone = !this.isShared && own.length === this.orders().length;
    return own.filter((order) => isAlone || this.#named.has(order.orderId));
  }

  /** When an order of ours was last seen resting in the market; minus infinity: never. */
  lastMs(marketId: MarketId): number {
    return this.#restedMs.get(marketId) ?? Number.NEGATIVE_INFINITY;
  }

  executedMs(order: OrderId): number {
    return this.#executedMs.get(order) ?? Number.NEGATIVE_INFINITY;
  }

  /** Records where orders rest now. */
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

  /** Judges the side to which the order adds. A reduce-only order adds to neither. */
  #wrongWith({ marketId, ...added }: Order): string | null {
    const { reads, maxPosition } = this.#modules;
    const limit = maxPosition(marketId);
    if (limit === null) return null;
    const position = reads.account(this.#account)?.positions.find((each) => each.marketId === marketId);
    const inventory: bigint = inventoryOf(position);
    let long = inventory;
    let short = -inventory;
    for (const { side, remainingSize, reduceOnly, triggerPrice } of this.orders(marketId)) {
      // A stop of the owner is in no book.
      if (reduceOnly || triggerPrice !== null) continue;
      if (side === "buy") long += remainingSize;
      else short += remainingSize;
    }
    // A position above a lowered limit may be reduced; only orders that add violate it.
    const [worst, held] = added.side === "buy" ? [long, inventory] : [short, -inventory];
    if (added.reduceOnly || worst <= limit || worst <= held) return null;
    return `market ${marketId}: long ${long}, short ${short} at worst, limit ${limit}, position ${inventory}`;
  }
}
