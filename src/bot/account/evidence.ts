// What each message of the exchange proves; every place that folds facts obeys. A frame, or an answer to our own transaction, states what its
// events say; a success alone, that it executed (`lacksEvent`). A row of public trades under an order id of ours is an event too. A read may add
// to the worst case at once, and only a resync takes away: one that shows, place by place, states that we held since `readLagMaxMs` before it
// was asked says nothing (`HeldStates`); any other is a doubt (doubts.ts). A missing entry is no evidence of flat or gone, and no read revives
// an order that an event has ended.

import type { Command } from "../../domain/command.ts";
import type { SubmitOutcome, TransactionEvent } from "../../domain/event.ts";
import type { AccountId } from "../../domain/units.ts";
import { readTiming } from "../timing.ts";

/**
 * True for a success without the event that belongs to it: what the transaction did is not known. A CancelAllOrders may find nothing to cancel
 * and has no event then.
 */
export function lacksEvent(command: Command, outcome: SubmitOutcome): boolean {
  if (outcome.kind !== "executed" || command.kind === "cancelAll") return false;
  const { accountId } = command;
  return !outcome.events.some((event) => belongs(command, event, accountId));
}

function belongs(command: Command, event: TransactionEvent, accountId: AccountId): boolean {
  if (event.type === "fill") return command.kind === "place" && event.execution.takerAccountId === accountId;
  if (event.type === "other" || (event.accountId ?? accountId) !== accountId) return false;
  if (command.kind === "place") return event.type === "orderPlaced" || event.type === "orderCanceled";
  if (command.kind === "cancel") return event.type === "orderCanceled" && event.orderId === command.orderId;
  // An exchange may make a cancel and a new order of a modify.
  return event.type === "orderPlaced" || ("orderId" in command && event.orderId === command.orderId);
}

/** The period that a read may show, monotonic ms. */
export type Span = { readonly fromMs: number; readonly toMs: number };

/** A node's answer may show a state from before its request, and one as new as its arrival. */
export const spanOf = (
  { askedMs, receivedMs }: { readonly askedMs: number; readonly receivedMs: number },
  readLagMaxMs: number,
): Span => ({ fromMs: askedMs - readLagMaxMs, toMs: receivedMs });

/** The states that we held in one place: the position of a market, the terms of an order. Nothing is inferred from them. */
export class HeldStates<T> {
  /** Each once, oldest first. `untilMs`: when it was last followed by another one, monotonic. */
  #past: readonly { readonly value: T; readonly untilMs: number }[] = [];

  /** `before` was held until now; call it when it changes. */
  left(before: T, nowMs: number, readLagMaxMs: number): void {
    const sinceMs = nowMs - readLagMaxMs - readTiming.tookMaxMs;
    const others = this.#past.filter(({ value, untilMs }) => untilMs >= sinceMs && value !== before);
    this.#past = [...others, { value: before, untilMs: nowMs }];
  }

  /** Whether nothing changed that a read of that span may show. */
  isSteady({ fromMs }: Span): boolean {
    return this.#past.every(({ untilMs }) => untilMs < fromMs);
  }

  /** Whether a read of that span, asked of this place, may show `value` and mean nothing new. `now`: the present state. */
  wasHeld(value: T, now: T, { fromMs }: Span): boolean {
    return value === now || this.#past.some((state) => state.value === value && state.untilMs >= fromMs);
  }
}
