// Laws on what leaves the process, S1, S4, S6, S9, S15: each body is judged when it is given to the network.

import type { HttpEnd, HttpRequest } from "../../bot/venue/remote/http.ts";
import type { Order } from "../../domain/order.ts";
import type { MarketId, OrderId, Price } from "../../domain/units.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { type OpenedEnvelope, openEnvelope } from "../../wire/envelope.ts";
import { type Delivered, type Moment, SLACK_MS } from "./delivered.ts";
import type { Accuse } from "./law.ts";
import type { SecondOpinion } from "./second-opinion.ts";

export type SendingModules = {
  readonly delivered: Delivered;
  readonly secondOpinion: SecondOpinion;
  readonly moment: () => Moment;
  /** Since when the bot has been halted, ms; null: it is not. */
  readonly haltedSinceMs: () => number | null;
  /** An order of ours, placed at any time. */
  readonly orderOf: (orderId: OrderId) => Pick<Order, "marketId" | "reduceOnly"> | undefined;
  readonly accuse: Accuse;
};

export class Sending {
  readonly #modules: SendingModules;
  /** Hash of the first body by signer and nonce. */
  readonly #signed = new Map<string, string>();
  #waitUntilMs = 0;

  constructor(modules: SendingModules) {
    this.#modules = modules;
  }

  /** Judges a body; returns its content. */
  sent(body: string): OpenedEnvelope {
    const envelope = openEnvelope(Buffer.from(body));
    this.#judgeNonce(envelope, body);
    const { transaction } = envelope;
    const isCancel = transaction.type === "CancelOrder" || transaction.type === "CancelAllOrders";
    const { nowMs } = this.#modules.moment();
    if (!isCancel && nowMs < this.#waitUntilMs) {
      this.#modules.accuse("S9", `${transaction.type} left ${(this.#waitUntilMs - nowMs).toFixed(0)} ms too early`);
    }
    if (transaction.type === "PlaceOrder" && !transaction.reduceOnly) {
      this.#judge(transaction.marketId, "PlaceOrder");
      this.#judgePrice(transaction.marketId, transaction.price, "PlaceOrder");
    }
    if (transaction.type === "ModifyOrder" && transaction.newPrice !== null) {
      // A new price counts as new exposure, unless the order can only reduce.
      const order = this.#modules.orderOf(transaction.orderId);
      if (order?.reduceOnly !== true) this.#judge(order?.marketId ?? null, "ModifyOrder");
      if (order?.reduceOnly === false) this.#judgePrice(order.marketId, transaction.newPrice, "ModifyOrder");
    }
    return envelope;
  }

  /** The exchange's statement about our rate reached the process. */
  ended(request: HttpRequest, end: HttpEnd): void {
    if (request.method !== "POST" || end.kind !== "answered" || end.httpStatus !== 429) return;
    const seconds = end.retryAfter === null ? 0 : Math.min(60, Number(end.retryAfter));
    const { nowMs } = this.#modules.moment();
    this.#waitUntilMs = Math.max(this.#waitUntilMs, nowMs + seconds * 1000 - SLACK_MS);
  }

  /** A new run does not know it. */
  forget(): void {
    this.#waitUntilMs = 0;
  }

  #judgeNonce({ transaction, signer, nonce }: OpenedEnvelope, body: string): void {
    if (transaction.type === "CancelOrder") return;
    const name = `${signer} ${nonce}`;
    const hash = sha256Hex(body);
    const before = this.#signed.get(name);
    if (before !== undefined && before !== hash && transaction.type !== "CancelAllOrders") {
      this.#modules.accuse("S4", `nonce ${nonce} was signed again, over ${transaction.type}`);
    }
    this.#signed.set(name, before ?? hash);
  }

  #judgePrice(marketId: MarketId, price: Price, what: string): void {
    const { accuse, secondOpinion } = this.#modules;
    const why = secondOpinion.forbids(marketId) ?? secondOpinion.forbidsPrice(marketId, price);
    if (why !== undefined) accuse("S15", `${what} of market ${marketId} left: ${why}`);
  }

  #judge(marketId: MarketId | null, what: string): void {
    const { accuse, delivered, moment, haltedSinceMs } = this.#modules;
    const now = moment();
    const sinceMs = haltedSinceMs();
    if (sinceMs !== null && now.nowMs > sinceMs)
      accuse("S6", `${what} left although halted since ${sinceMs.toFixed(0)} ms`);
    for (const why of delivered.forbids(marketId, now)) accuse("S1", `${what} of market ${marketId} left: ${why}`);
  }
}
