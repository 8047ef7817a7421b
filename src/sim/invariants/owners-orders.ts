// S16: the owner's orders are not ours to cancel. Judged by what the exchange executed for the daemon, against what the process had heard
// when the cancel left it.

import type { OrderId } from "../../domain/units.ts";
import { type OpenedEnvelope, openEnvelope } from "../../wire/envelope.ts";
import type { HttpCall } from "../exchange.ts";
import type { Accuse } from "./law.ts";
import { orderIdsIn } from "./names.ts";
import type { Resting } from "./resting.ts";
import type { TrippedLatch } from "./watching.ts";

/** An order known from frames may be our own until two reads of the account show it, and no answer can explain it. */
const TOLD_MS = 25_000;

export type OwnersOrdersModules = {
  readonly nowMs: () => number;
  readonly resting: Pick<Resting, "orders">;
  readonly accuse: Accuse;
};

export class OwnersOrders {
  readonly #modules: OwnersOrdersModules;
  readonly #orders = new Set<OrderId>();
  /** When this process first heard of an order; minus infinity: an earlier process knew it. */
  readonly #heardMs = new Map<OrderId, number>();
  /** Known for long enough to one of its lives: what the ledger says of them is settled. */
  readonly #told = new Set<OrderId>();
  /** What a cancel that left had to spare. */
  readonly #toSpare = new WeakMap<HttpCall, ReadonlySet<OrderId>>();

  constructor(modules: OwnersOrdersModules) {
    this.#modules = modules;
  }

  placed(orderIds: Iterable<OrderId>): void {
    for (const orderId of orderIds) this.#orders.add(orderId);
  }

  /** Whether the daemon halted for an order of the owner's. */
  explains({ numbers }: TrippedLatch): boolean {
    return typeof numbers.orderId === "bigint" && this.#orders.has(numbers.orderId as OrderId);
  }

  /** A new life of the daemon. `hasRecords`: it has the ledger of the last one, whole. */
  forget(hasRecords: boolean): void {
    this.#heardMs.clear();
    if (!hasRecords) this.#told.clear();
  }

  /** A frame or an answer has reached the process. */
  heard(text: string): void {
    if (this.#orders.size === 0) return;
    const nowMs = this.#modules.nowMs();
    for (const [orderId, heardMs] of this.#heardMs) if (nowMs - heardMs >= TOLD_MS) this.#told.add(orderId);
    for (const orderId of orderIdsIn(text))
      if (this.#orders.has(orderId) && !this.#heardMs.has(orderId))
        this.#heardMs.set(orderId, this.#told.has(orderId) ? Number.NEGATIVE_INFINITY : nowMs);
  }

  sent(call: HttpCall, { transaction }: OpenedEnvelope): void {
    if (transaction.type !== "CancelOrder" && transaction.type !== "CancelAllOrders") return;
    const nowMs = this.#modules.nowMs();
    const told = [...this.#heardMs].filter(([, heardMs]) => nowMs - heardMs >= TOLD_MS).map(([orderId]) => orderId);
    this.#toSpare.set(call, new Set(told));
  }

  /** The exchange executed what the daemon sent, and answered with `text`. */
  executed(call: HttpCall, text: string): void {
    const toSpare = this.#toSpare.get(call);
    if (toSpare === undefined || !text.includes('"success"')) return;
    const { transaction } = openEnvelope(Buffer.from(call.body ?? ""));
    const gone = transaction.type === "CancelOrder" ? [transaction.orderId] : orderIdsIn(text);
    const owners = gone.filter((orderId) => toSpare.has(orderId));
    if (owners.length > 0) this.#modules.accuse("S16", `${transaction.type} took the owner's ${owners.join(", ")}`);
  }
}
