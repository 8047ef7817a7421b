// Tracks the current states of our orders, from the wire and the exchange, for the coverage table.

import type { HttpEnd, HttpRequest } from "../bot/venue/remote/http.ts";
import type { Order } from "../domain/order.ts";
import type { OpenedEnvelope } from "../wire/envelope.ts";
import type { OrderState } from "./coverage.ts";

const stateOf = {
  PlaceOrder: "placing",
  ModifyOrder: "modifying",
  CancelOrder: "canceling",
  CancelAllOrders: "canceling",
} as const;
/** A lost answer is resolved within this time if nothing else fails. */
const DOUBT_MS = 10_000;

export class OrderWatch {
  readonly #nowMs: () => number;
  readonly #underWay = new Map<HttpRequest, OrderState>();
  #lostMs: number | null = null;

  constructor(modules: { readonly nowMs: () => number }) {
    this.#nowMs = modules.nowMs;
  }

  sent(request: HttpRequest, { transaction }: OpenedEnvelope): void {
    const state = stateOf[transaction.type as keyof typeof stateOf];
    if (state !== undefined) this.#underWay.set(request, state);
  }

  ended(request: HttpRequest, end: HttpEnd): void {
    const state = this.#underWay.get(request);
    this.#underWay.delete(request);
    if (state !== undefined && state !== "canceling" && end.kind === "lost") this.#lostMs = this.#nowMs();
  }

  forget(): void {
    this.#underWay.clear();
  }

  get underWay(): number {
    return this.#underWay.size;
  }

  states(resting: readonly Order[]): ReadonlySet<OrderState> {
    const states = new Set<OrderState>(this.#underWay.values());
    for (const { filledSize } of resting) states.add(filledSize > 0n ? "partial" : "resting");
    if (this.#lostMs !== null && this.#nowMs() - this.#lostMs < DOUBT_MS) states.add("unknown");
    if (states.size === 0) states.add("none");
    return states;
  }
}
