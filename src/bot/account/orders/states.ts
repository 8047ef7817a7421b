// The states of an order as a table: every state, every trigger, and where it leads. A trigger that the table does not list is illegal:
// the order keeps its state and the account is read again, since we must be wrong about the order.

import type { OrderState } from "../../../domain/order.ts";

/**
 * The states that views show (`OrderState`) and two of orders that no longer rest. `ended`: an event said so, and its last fills may be on
 * their way. `executed`: its answer was lost and it executed; it counts as filled until a resync.
 */
export type TrackedState = OrderState | "ended" | "executed";

/**
 * - `accepted`: the exchange named it and it rests.
 * - `modifySent`, `modifyAnswered`: its own modify was sent, answered.
 * - `cancelSent`: a cancel that may reach it was sent. `cancelAnswered`: the answer came and did not end it.
 * - `answerLost`: the answer to its place or to a modify was lost. `resolved`: that was resolved, and the order rests.
 * - `provenExecuted`: a lost place was resolved as executed.
 * - `ended`: an event said that it no longer rests. `revived`: a frame placed it again after that.
 * - `over`: nothing of it can fill.
 */
export const orderTriggers = [
  "accepted",
  "modifySent",
  "modifyAnswered",
  "cancelSent",
  "cancelAnswered",
  "answerLost",
  "resolved",
  "provenExecuted",
  "ended",
  "revived",
  "over",
] as const;
export type OrderTrigger = (typeof orderTriggers)[number];

type Row = Readonly<Partial<Record<OrderTrigger, TrackedState | "over">>>;

const transitions: Readonly<Record<TrackedState, Row>> = {
  // Sent, unanswered. It has no id yet, so only CancelAllOrders can reach it, and that may pass before the order lands.
  inFlight: {
    accepted: "working",
    cancelSent: "inFlight",
    cancelAnswered: "inFlight",
    answerLost: "unknown",
    over: "over",
  },
  working: {
    accepted: "working",
    modifySent: "working",
    modifyAnswered: "working",
    cancelSent: "canceling",
    cancelAnswered: "working",
    answerLost: "unknown",
    resolved: "working",
    ended: "ended",
    over: "over",
  },
  // A cancel is on its way. Only the last answer to a cancel, or the order's end, changes this state.
  canceling: {
    accepted: "canceling",
    modifySent: "canceling",
    modifyAnswered: "canceling",
    cancelSent: "canceling",
    cancelAnswered: "working",
    answerLost: "unknown",
    resolved: "canceling",
    ended: "ended",
    over: "over",
  },
  unknown: {
    accepted: "working",
    modifySent: "unknown",
    modifyAnswered: "unknown",
    cancelSent: "unknown",
    cancelAnswered: "unknown",
    answerLost: "unknown",
    resolved: "working",
    provenExecuted: "executed",
    ended: "ended",
    over: "over",
  },
  // Over at the exchange, so nothing unanswered can change it. A frame that places it again means a modify.
  ended: {
    accepted: "ended",
    revived: "working",
    modifySent: "ended",
    modifyAnswered: "ended",
    cancelSent: "ended",
    cancelAnswered: "ended",
    answerLost: "ended",
    resolved: "ended",
    ended: "ended",
    over: "over",
  },
  executed: { cancelSent: "executed", cancelAnswered: "executed", over: "over" },
};

/** Returns where `trigger` leads from `state`; undefined when it cannot happen there. */
export function nextState(state: TrackedState, trigger: OrderTrigger): TrackedState | "over" | undefined {
  return transitions[state][trigger];
}

/** True where an order in this state may rest. */
export const mayRest = (state: TrackedState): state is OrderState => state !== "ended" && state !== "executed";
