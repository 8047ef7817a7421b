// Which orders of ours the bot was ever told the name of. There is no client order id: a fill of an order whose name reached nobody
// alive shows as a change of position, and no reader of public trades can say whose it was.

import type { AccountId, OrderId } from "../../domain/units.ts";

export class Names {
  readonly #ofAccount: string;
  #told = new Set<string>();

  constructor(account: AccountId) {
    this.#ofAccount = `account_id":${account},`;
  }

  /**
   * A frame or the answer to a transaction has reached the process. A read of the account alone names nothing: it lists an order while
   * the answer that would say whose it is may still be on its way.
   */
  told(text: string): void {
    if (!text.includes(this.#ofAccount)) return;
    for (const [, name = ""] of text.matchAll(/order_id":(\d+)/g)) this.#told.add(name);
  }

  has(orderId: OrderId): boolean {
    return this.#told.has(`${orderId}`);
  }

  /** The process died with a disk that lost or refused records: these are the names that are left. */
  keep(orderIds: Iterable<OrderId>): void {
    const kept = new Set<string>();
    for (const orderId of orderIds) if (this.has(orderId)) kept.add(`${orderId}`);
    this.#told = kept;
  }
}
