// Which cancels are our own: if a key canceled an order of ours and nothing here explains it, it was another key.

import type { ExecutionEvent } from "../../../domain/event.ts";
import type { StoredIntent } from "../../../domain/intent.ts";
import type { TrackedOrder } from "../../../domain/order.ts";
import { type AccountId, type MarketId, type Nonce, nonce as nonceOf, type OrderId } from "../../../domain/units.ts";
import { createOldestOutMap } from "../../../kernel/bounded.ts";
import type { Instant } from "../../../kernel/clock.ts";
import { accountTiming } from "../../timing.ts";

/** Many times more than an exchange lets rest. */
const ORDERS_MAX = 20_000;
/** Below every nonce: no order was sent. */
const NONE = nonceOf(0n);

/**
 * `untilMs`: it explains cancels until then, monotonic; infinity while unanswered. `reached`: nonce of the newest order sent before its
 * answer; null: it may still land, on any order.
 */
type CancelAll = {
  readonly accountId: AccountId;
  readonly marketId: MarketId | null;
  readonly nonce: Nonce | null;
  untilMs: number;
  reached: Nonce | null;
};

export class OwnCancels {
  /** An unanswered transaction may execute for this long. */
  readonly #landingBoundMs: number;
  /** Orders that a CancelOrder of ours was sent for, or that an earlier run was about to change. */
  readonly #named = createOldestOutMap<OrderId, true>(ORDERS_MAX);
  /** Nonce of the newest order sent on each account. */
  readonly #lastOrder = new Map<AccountId, Nonce>();
  #all: readonly CancelAll[] = [];

  constructor(landingBoundMs: number) {
    this.#landingBoundMs = landingBoundMs;
  }

  /** Call it with everything that is sent and answered, before it is folded. */
  note(event: ExecutionEvent): void {
    const { command, nonce, receivedMs } = event;
    if (command.kind === "place") {
      if (event.kind === "sent") this.#lastOrder.set(command.accountId, nonce);
      return;
    }
    if (command.kind === "cancel") this.#named.set(command.orderId, true);
    if (command.kind !== "cancelAll") return;
    const { accountId, marketId } = command;
    this.#all = this.#all.filter(({ untilMs }) => untilMs >= receivedMs);
    if (event.kind === "sent") {
      this.#all = [...this.#all, { accountId, marketId, nonce, untilMs: Number.POSITIVE_INFINITY, reached: null }];
      return;
    }
    const isLost = event.kind === "answered" && event.outcome.kind === "unknown";
    const untilMs = receivedMs + (isLost ? this.#landingBoundMs : 0) + accountTiming.framesApartMs;
    const reached = isLost ? null : (this.#lastOrder.get(accountId) ?? NONE);
    for (const one of this.#all)
      if (one.nonce === nonce && one.accountId === accountId) Object.assign(one, { untilMs, reached });
  }

  /** Unanswered cancels of an earlier run may still land. */
  recall(intents: readonly StoredIntent[], now: Instant): void {
    for (const { command, createdMs } of intents) {
      if (command.kind === "cancel" || command.kind === "modify") this.#named.set(command.orderId, true);
      if (command.kind !== "cancelAll") continue;
      this.expect(command.accountId, now.monotonicMs + createdMs - now.wallMs + this.#landingBoundMs, command.marketId);
    }
  }

  /** Another node of the fleet held the account: its CancelAllOrders may land until `untilMs`, monotonic. */
  expect(accountId: AccountId, untilMs: number, marketId: MarketId | null = null): void {
    this.#all = [...this.#all, { accountId, marketId, nonce: null, untilMs, reached: null }];
  }

  /** Whether a command of ours may have ended the order, if its end is reported at `nowMs`, monotonic. */
  explains(
    accountId: AccountId,
    { orderId, marketId, nonce, pending }: Pick<TrackedOrder, "orderId" | "marketId" | "nonce" | "pending">,
    nowMs: number,
  ): boolean {
    // An exchange may execute a modify as a cancel and a new order.
    if (pending !== null || (orderId !== null && this.#named.has(orderId))) return true;
    return this.#all.some((sent) => {
      const reaches = sent.marketId === null || sent.marketId === marketId;
      const isLater = nonce !== null && sent.reached !== null && nonce > sent.reached;
      return sent.accountId === accountId && reaches && !isLater && sent.untilMs >= nowMs;
    });
  }
}
