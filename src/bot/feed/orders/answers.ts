// The answer of our own transaction, event by event: the id first, then what the events say of every order of ours and of fills, then
// what the outcome means for the command.

import type { ExecutionEvent, TransactionEvent } from "../../../domain/event.ts";
import { foldOrderEvent } from "../account/account-orders.ts";
import type { AccountState } from "../account/account-state.ts";
import { type FeedEffect, type FoldEffects, noEffects } from "../effects.ts";
import type { FeedState } from "../state.ts";
import { foldExecution } from "./fills.ts";
import type { Evidence } from "./order-event.ts";

type Answered = Extract<ExecutionEvent, { kind: "answered" }>;

/** Events of an executed transaction are facts about every order of ours that they name. */
export function foldAnswered(state: FeedState, account: AccountState, answered: Answered): FoldEffects {
  const { nonce, command, outcome, receivedMs } = answered;
  const asOfMs = account.orders.sentMs(nonce, command) ?? receivedMs;
  const evidence: Evidence = { source: "answer", asOfMs, receivedMs };
  const effects: FeedEffect[] = [];
  if (outcome.kind === "executed") {
    const { events } = outcome;
    if (command.kind === "place") {
      effects.push(...foldOrderEvent(account, { ...evidence, kind: "acknowledged", nonce, command, events }));
    }
    for (const event of events) effects.push(...foldTransactionEvent(state, account, answered, evidence, event));
  }
  effects.push(...foldOrderEvent(account, { ...evidence, kind: "answered", nonce, command, outcome }));
  return effects;
}

function foldTransactionEvent(
  state: FeedState,
  account: AccountState,
  { nonce, command }: Answered,
  evidence: Evidence,
  event: TransactionEvent,
): FoldEffects {
  switch (event.type) {
    case "fill":
      return foldExecution(state, event.execution, "answer", evidence);
    case "other":
      // A change of orders that could not be read: only a read of the account can say what it was.
      if (!/^(fill|order)/i.test(event.name)) return noEffects;
      return foldOrderEvent(account, { ...evidence, kind: "unreadable" });
    case "orderPlaced": {
      if (event.accountId !== account.accountId) return noEffects;
      const level = command.kind === "modify" ? command.level : null;
      return foldOrderEvent(account, { ...evidence, kind: "placed", order: event, level });
    }
    case "orderCanceled": {
      if (event.accountId !== account.accountId) return noEffects;
      const { orderId, marketId, reason } = event;
      return foldOrderEvent(account, { ...evidence, kind: "canceled", orderId, marketId, reason, nonce });
    }
    case "orderModified": {
      if (event.accountId !== account.accountId) return noEffects;
      const { orderId, price, size, remainingSize } = event;
      return foldOrderEvent(account, { ...evidence, kind: "modified", orderId, price, size, remainingSize });
    }
  }
}
