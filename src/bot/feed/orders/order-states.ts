// The life of an order as a table: every state, everything that can happen to it, and where that leads. What the table does not
// list is illegal: the order stays as it was and the account is read again, since our idea of it must be wrong.

import type { OrderState } from "../../../domain/order.ts";

/**
 * `accepted`: the exchange named it and it rests. `partlyFilled`: some of it. `modifySent`, `modifyAnswered`: its own modify.
 * `cancelSent`, `cancelAnswered`: a cancel that may reach it left, or the last of them came back without ending it. `cancelTold`: an
 * answer said that it is canceled, while fills from before may still be on their way.
 * `answerLost`: of the place or of a modify. `declined`: the place was refused, rejected or never sent.
 * `doubtEnded`: a lost answer was settled and the order rests. `ended`: filled, canceled, never landed or gone.
 */
export const orderTriggers = [
  "accepted",
  "partlyFilled",
  "modifySent",
  "modifyAnswered",
  "cancelSent",
  "cancelAnswered",
  "cancelTold",
  "answerLost",
  "declined",
  "doubtEnded",
  "ended",
] as const;
export type OrderTrigger = (typeof orderTriggers)[number];

type Row = Readonly<Partial<Record<OrderTrigger, OrderState | "gone">>>;

const transitions: Readonly<Record<OrderState, Row>> = {
  // Sent, unanswered. It has no id yet, so nothing but CancelAllOrders can be aimed at it, and that may pass before it lands.
  inFlight: {
    accepted: "working",
    cancelSent: "inFlight",
    cancelAnswered: "inFlight",
    answerLost: "unknown",
    declined: "gone",
    ended: "gone",
  },
  working: {
    accepted: "working",
    partlyFilled: "working",
    modifySent: "working",
    modifyAnswered: "working",
    cancelSent: "canceling",
    cancelAnswered: "working",
    cancelTold: "canceling",
    answerLost: "unknown",
    doubtEnded: "working",
    ended: "gone",
  },
  // A cancel is on its way. Whatever else happens, only its end or the order's end changes that.
  canceling: {
    accepted: "canceling",
    partlyFilled: "canceling",
    modifySent: "canceling",
    modifyAnswered: "canceling",
    cancelSent: "canceling",
    cancelAnswered: "working",
    cancelTold: "canceling",
    answerLost: "unknown",
    doubtEnded: "canceling",
    ended: "gone",
  },
  // A lost answer is ended by the exchange naming the order, by settling, or by the order's end; a refusal of a second
  // sending says nothing about the first, so it is not listed here.
  unknown: {
    accepted: "working",
    partlyFilled: "unknown",
    modifySent: "unknown",
    modifyAnswered: "unknown",
    cancelSent: "unknown",
    cancelAnswered: "unknown",
    cancelTold: "unknown",
    answerLost: "unknown",
    doubtEnded: "working",
    ended: "gone",
  },
};

/** Where `trigger` leads from `state`; undefined when it cannot happen there. */
export function nextState(state: OrderState, trigger: OrderTrigger): OrderState | "gone" | undefined {
  return transitions[state][trigger];
}
