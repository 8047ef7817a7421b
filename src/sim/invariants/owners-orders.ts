// S16: the bot must not cancel the owner's orders. Judged by what the exchange executed for the daemon, and by what the process knew when
// the cancel left it.

import type { OrderId } from "../../domain/units.ts";
import type { OpenedEnvelope } from "../../wire/envelope.ts";
import type { HttpCall } from "../exchange.ts";
import type { Accuse } from "./law.ts";
import { orderIdsIn } from "./resting.ts";

/** Orders carry no mark of their owner: while an answer is missing, an order in a frame may be ours for this long. */
const TOLD_MS = 25_000;

export class OwnersOrders {
  readonly #modules: { readonly nowMs: () => number; readonly accuse: Accuse };
  readonly #orders = new Set<OrderId>();
  /** When this process first heard of an order. */
  readonly #heardMs = new Map<OrderId, number>();
  /** For each sent cancel, the orders that it must not touch. */
  readonly #toSpare = new WeakMap<HttpCall, ReadonlySet<OrderId>>();

  constructor(modules: { readonly nowMs: () => number; readonly accuse: Accuse }) {
    this.#modules = modules;
  }

  placed(orderIds: Iterable<OrderId>): void {
    for (const orderId of orderIds) this.#orders.add(orderId);
  }

  /** A new run of the daemon. */
  forget(): void {
    this.#heardMs.clear();
  }

  /** A frame or an answer reached the process. */
  heard(text: string): void {
    if (this.#orders.size === 0) return;
    for (const orderId of orderIdsIn(text))
      if (this.#orders.has(orderId) && !this.#heardMs.has(orderId)) this.#heardMs.set(orderId, this.#modules.nowMs());
  }

  sent(call: HttpCall, { transaction }: OpenedEnvelope): void {
    if (transaction.type !== "CancelOrder" && transaction.type !== "CancelAllOrders") return;
    const untilMs = this.#modules.nowMs() - TOLD_MS;
    const told = [...this.#heardMs].flatMap(([orderId, heardMs]) => (heardMs <= untilMs ? [orderId] : []));
    this.#toSpare.set(call, new Set(told));
  }

  /** The exchange executed what the daemon sent, and answered with `text`. */
  executed(call: HttpCall, { transaction }: OpenedEnvelope, text: string): void {
    const toSpare = this.#toSpare.get(call);
    if (toSpare === undefined || !text.includes('"success"')) return;
    const gone = transaction.type === "CancelOrder" ? [transaction.orderId] : orderIdsIn(text);
    const owners = gone.filter((orderId) => toSpare.has(orderId));
    if (owners.length > 0) this.#modules.accuse("S16", `${transaction.type} took the owner's ${owners.join(", ")}`);
  }
}
