// Which of our orders the bot ever learned the id of. There is no client order id: a fill of an order whose name reached nobody
// alive shows as a change of position, and no reader of public trades can say whose it was.

import type { Command } from "../../domain/command.ts";
import type { Intent } from "../../domain/intent.ts";
import type { Order } from "../../domain/order.ts";
import { type AccountId, type OrderId, orderId } from "../../domain/units.ts";

export class Names {
  readonly #ofAccount: string;
  #known = new Set<OrderId>();
  /** The record of what was sent for them is gone: their names mean nothing from now on. */
  readonly #lost = new Set<OrderId>();

  constructor(account: AccountId) {
    this.#ofAccount = `account_id":${account},`;
  }

  /**
   * A frame or the answer to a transaction has reached the process. A read of the account alone names nothing: it lists an order while
   * the answer that would say whose it is may still be on its way.
   */
  learn(text: string): void {
    if (!text.includes(this.#ofAccount)) return;
    for (const order of orderIdsIn(text)) if (!this.#lost.has(order)) this.#known.add(order);
  }

  lose(order: OrderId): void {
    this.#lost.add(order);
    this.#known.delete(order);
  }

  /** Loses each of `placed` that has no name, unless what was sent for it is `left`. */
  loseUnnamed(placed: ReadonlyMap<OrderId, Order>, left: readonly Intent[]): void {
    for (const [order, terms] of placed)
      if (!this.has(order) && !left.some(({ command }) => isPlaceOf(command, terms))) this.lose(order);
  }

  /** True for one whose name means nothing to the lives since. */
  isLost(order: OrderId): boolean {
    return this.#lost.has(order);
  }

  has(order: OrderId): boolean {
    return this.#known.has(order);
  }

  /** The process died with a disk that lost or refused records: these are the names that are left. */
  keep(orderIds: Iterable<OrderId>): void {
    this.#known = new Set([...orderIds].filter((order) => this.has(order)));
  }
}

/** Orders that a frame or an answer names. */
export const orderIdsIn = (text: string): readonly OrderId[] =>
  Array.from(text.matchAll(/order_id":(\d+)/g), ([, name = ""]) => orderId(BigInt(name)));

const isPlaceOf = (command: Command, { marketId, side, price, size }: Order): boolean =>
  command.kind === "place" &&
  command.marketId === marketId &&
  command.side === side &&
  command.price === price &&
  command.size === size;
