// The steps that send: two orders that must be turned away, and one, post-only and far from the market, that must rest. Should one of
// the first two be taken, it is the one order, and no other is sent.

import type { OrderId } from "../../domain/units.ts";
import { cancelTest, farBid, type LiveTest, lateMs, outcomeText, place, placedIn } from "../doctor/live-order.ts";
import { type Seen, type Step, type Subject, seen } from "./step.ts";

const stepsOf = {
  otherChain: { row: "51", assumption: "an order that is signed for another chain is rejected" },
  oldTimestamp: { row: "52, NS-29", assumption: "an order older than venue.landingBoundMs is rejected" },
  named: { row: "92, NS-19", assumption: "the answer to an order names it" },
  listed: { row: "29, NS-1", assumption: "the account lists it as it was sent" },
  gone: { row: "58, 81", assumption: "CancelOrder ends it, and the account shows that" },
} as const;
type Name = keyof typeof stepsOf;

/** In the order in which they are sent. */
export async function sendSteps(subject: Subject): Promise<readonly (Omit<Step, "look"> & Seen)[]> {
  const { test } = subject;
  const results = typeof test === "string" ? {} : await send(test, subject);
  const why = typeof test === "string" ? test : "an order had been placed already, or none was";
  return (Object.keys(stepsOf) as Name[]).map((name) => ({ ...stepsOf[name], ...(results[name] ?? seen(null, why)) }));
}

async function send(test: LiveTest, subject: Subject): Promise<Partial<Record<Name, Seen>>> {
  const { config, venue, clock } = subject;
  const modules = { venue, clock };
  const at = farBid(test.market);
  const before = new Set(test.account.openOrders.map(({ orderId }) => orderId));
  const results: Partial<Record<Name, Seen>> = {};
  const turnedAway = async (name: Name, changed: Parameters<typeof place>[3]): Promise<boolean> => {
    const outcome = await place(test, at, modules, changed);
    const isRight = outcome.kind === "rejected";
    results[name] = seen(isRight, outcomeText(outcome));
    return isRight;
  };
  const oldSec = test.chainSec - Math.ceil(config.venue.landingBoundMs / 1000);
  let orderId: OrderId | undefined;
  try {
    if (!(await turnedAway("otherChain", { chainId: `${test.chainId}-other` }))) return results;
    if (!(await turnedAway("oldTimestamp", { timestampSec: oldSec }))) return results;
    const outcome = await place(test, at, modules);
    if (outcome.kind !== "executed") return { ...results, named: seen(false, outcomeText(outcome)) };
    orderId = placedIn(outcome);
    results.named = seen(orderId !== undefined, orderId === undefined ? "no orderPlaced" : `order ${orderId}`);
    const isListed = async (): Promise<boolean> => {
      const { openOrders } = await venue.reads.account(test.account.accountId);
      const fresh = openOrders.filter((order) => !before.has(order.orderId));
      return orderId === undefined ? fresh.length > 0 : fresh.some((order) => order.orderId === orderId);
    };
    const listed = (await lateMs(isListed, clock.monotonicMs(), clock)) !== null;
    results.listed = seen(listed, listed ? "seen" : "not seen");
    return results;
  } finally {
    const { isGone } = await cancelTest(test, before, orderId, modules);
    results.gone = seen(isGone, isGone ? "nothing of the probe rests" : "something may rest; run quoin cancel-all");
  }
}
