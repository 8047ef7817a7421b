// The answer of our own transaction: the id first, then its fills, then what its other events say and the outcome means for the command.

import type { ExecutionEvent } from "../../domain/event.ts";
import type { FeedEffect, FoldEffects } from "../feed/effects.ts";
import type { FeedState } from "../feed/state.ts";
import { foldOrderEvent } from "./account-orders.ts";
import type { AccountState } from "./account-state.ts";
import { foldExecution } from "./fills.ts";

/** Events of an executed transaction are facts about every order of ours that they name. */
export function foldAnswered(
  state: FeedState,
  account: AccountState,
  { nonce, command, outcome, receivedMs }: Extract<ExecutionEvent, { kind: "answered" }>,
): FoldEffects {
  const effects: FeedEffect[] = [];
  if (outcome.kind === "executed") {
    const { events } = outcome;
    if (command.kind === "place")
      effects.push(...foldOrderEvent(account, { kind: "acknowledged", nonce, command, events, receivedMs }));
    for (const event of events)
      if (event.type === "fill") effects.push(...foldExecution(state, event.execution, "answer", receivedMs));
  }
  effects.push(...foldOrderEvent(account, { kind: "answered", nonce, command, outcome, receivedMs }));
  return effects;
}
