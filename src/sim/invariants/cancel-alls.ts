// Which ends of orders a CancelAllOrders of the daemon's own may explain, as the daemon can know: one that is not answered may land on
// whatever came since; one that was answered reached nothing that was sent after the answer.

import type { HttpEnd } from "../../bot/venue/remote/http.ts";
import type { OrderId } from "../../domain/units.ts";
import type { OpenedEnvelope } from "../../wire/envelope.ts";
import { orderIdsIn } from "./names.ts";

type Sent = { readonly nonce: bigint; readonly sentMs: number };

export class CancelAlls {
  /** Without an answer it may land until its timestamp is too old. */
  readonly #landingBoundMs: number;
  #open: readonly Sent[] = [];
  /** Of the newest order that was sent. Nonces rise. */
  #newest = 0n;
  /** The newest order that an answered one may have reached. */
  #reached = { nonce: -1n, untilMs: 0 };
  readonly #nonceOf = new Map<OrderId, bigint>();

  constructor(landingBoundMs: number) {
    this.#landingBoundMs = landingBoundMs;
  }

  sent({ transaction, nonce }: OpenedEnvelope, nowMs: number): void {
    if (transaction.type === "PlaceOrder" && nonce > this.#newest) this.#newest = nonce;
    if (transaction.type === "CancelAllOrders") this.#open = [...this.#open, { nonce, sentMs: nowMs }];
  }

  /** Returns the orders that it placed. */
  executed({ transaction, nonce }: OpenedEnvelope, text: string): readonly OrderId[] {
    const placed = transaction.type === "PlaceOrder" ? orderIdsIn(text) : [];
    for (const orderId of placed) this.#nonceOf.set(orderId, nonce);
    return placed;
  }

  heard({ transaction, nonce }: OpenedEnvelope, end: HttpEnd, nowMs: number): void {
    if (transaction.type !== "CancelAllOrders" || end.kind !== "answered") return;
    if (end.httpStatus !== 200 || !end.body.includes('"success"')) return;
    this.#open = this.#open.filter((sent) => sent.nonce !== nonce);
    this.#reached = { nonce: this.#newest, untilMs: nowMs + this.#landingBoundMs };
  }

  mayExplain(orderId: OrderId, nowMs: number): boolean {
    if (this.#open.some(({ sentMs }) => nowMs - sentMs < this.#landingBoundMs)) return true;
    const nonce = this.#nonceOf.get(orderId);
    return nonce === undefined || (nowMs < this.#reached.untilMs && nonce <= this.#reached.nonce);
  }
}
