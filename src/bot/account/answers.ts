// The answer of our own transaction: the id first, then its fills, then what its other events say and the outcome means for the command.

import type { ExecutionEvent } from "../../domain/event.ts";
import { foldOrderEvent } from "./account-orders.ts";
import type { AccountState, BotState } from "./account-state.ts";
import type { AccountEffect, AccountEffects } from "./effects.ts";
import { foldExecution } from "./fills.ts";

/** Events of an executed transaction are facts about every order of ours that they name. */
export function foldAnswered(
  state: BotState,
  account: AccountState,
  { nonce, command, outcome, receivedMs }: Extract<ExecutionEvent, { kind: "answered" }>,
): AccountEffects {
  const effects: AccountEffect[] = [];
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
