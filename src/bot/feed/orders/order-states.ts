// The life of an order as a table: every state, every trigger, and where it leads. A trigger that the table does not list is illegal:
// the order stays as it was and the account is read again, since our idea of the order must be wrong.

import type { OrderState } from "../../../domain/order.ts";

/** The states of views (`OrderState`) and one that views show as `canceling`: `canceled`, last fills pending. */
export type LifeState = OrderState | "canceled";

/** `landed`: over, but never identified, so an id that shows up later may be its own. */
export type LifeEnd = "ended" | "landed";

/**
 * `accepted`: the exchange named it and it rests. `partlyFilled`: some of it. `modifySent`, `modifyAnswered`: its own modify.
 * `cancelSent`, `cancelAnswered`: a cancel that may reach it left, or its answer came without ending it. `cancelConfirmed`: the
 * exchange canceled it, while earlier fills may still arrive. `reappeared`: the exchange lists it although it was canceled.
 * `answerLost`: of the place or of a modify. `declined`: the place was refused, rejected or never sent. `misidentified`: the id
 * inferred for it belongs to another order. `resolved`: a lost answer was resolved and the order rests. `provenLanded`: a lost
 * place was resolved as landed, and no order was identified as its own. `ended`: filled, canceled, never landed or gone.
 */
export const orderTriggers = [
  "accepted",
  "partlyFilled",
  "modifySent",
  "modifyAnswered",
  "cancelSent",
  "cancelAnswered",
  "cancelConfirmed",
  "reappeared",
  "answerLost",
  "declined",
  "misidentified",
  "resolved",
  "provenLanded",
  "ended",
] as const;
export type OrderTrigger = (typeof orderTriggers)[number];

type Row = Readonly<Partial<Record<OrderTrigger, LifeState | LifeEnd>>>;

const transitions: Readonly<Record<LifeState, Row>> = {
  // Sent, unanswered. It has no id yet, so only CancelAllOrders can reach it, and that may pass before the order lands.
  inFlight: {
    accepted: "working",
    cancelSent: "inFlight",
    cancelAnswered: "inFlight",
    answerLost: "unknown",
    declined: "ended",
    provenLanded: "landed",
    ended: "ended",
  },
  working: {
    accepted: "working",
    partlyFilled: "working",
    modifySent: "working",
    modifyAnswered: "working",
    cancelSent: "canceling",
    cancelAnswered: "working",
    cancelConfirmed: "canceled",
    answerLost: "unknown",
    misidentified: "unknown",
    resolved: "working",
    ended: "ended",
  },
  // A cancel is on its way. Only the last answer to a cancel, or the order's end, changes that.
  canceling: {
    accepted: "canceling",
    partlyFilled: "canceling",
    modifySent: "canceling",
    modifyAnswered: "canceling",
    cancelSent: "canceling",
    cancelAnswered: "working",
    cancelConfirmed: "canceled",
    answerLost: "unknown",
    misidentified: "unknown",
    resolved: "canceling",
    ended: "ended",
  },
  // Over at the exchange, so nothing unanswered can change it. It counts in full until its last fills are known.
  canceled: {
    accepted: "canceled",
    partlyFilled: "canceled",
    modifySent: "canceled",
    modifyAnswered: "canceled",
    cancelSent: "canceled",
    cancelAnswered: "canceled",
    cancelConfirmed: "canceled",
    reappeared: "working",
    answerLost: "canceled",
    misidentified: "unknown",
    resolved: "canceled",
    ended: "ended",
  },
  // The exchange naming the order, a resolution or the order's end settles a lost answer. A refusal of a second sending says nothing
  // about the first, so `declined` is not listed.
  unknown: {
    accepted: "working",
    partlyFilled: "unknown",
    modifySent: "unknown",
    modifyAnswered: "unknown",
    cancelSent: "unknown",
    cancelAnswered: "unknown",
    cancelConfirmed: "canceled",
    answerLost: "unknown",
    misidentified: "unknown",
    resolved: "working",
    provenLanded: "landed",
    ended: "ended",
  },
};

/** Where `trigger` leads from `state`; undefined when it cannot happen there. */
export function nextState(state: LifeState, trigger: OrderTrigger): LifeState | LifeEnd | undefined {
  return transitions[state][trigger];
}

/** True where `state` is one of a live order. */
export const isLive = (state: LifeState | LifeEnd | undefined): state is LifeState =>
  state !== undefined && state !== "ended" && state !== "landed";

/** How views show the state: an order that waits for its last fills still counts, as one that is being canceled. */
export const shownState = (state: LifeState): OrderState => (state === "canceled" ? "canceling" : state);
