// The tracker as a whole: events in, effects out, one record per order, and evidence that never overrules what is newer than itself.

import { describe, expect, test } from "vitest";
import { noEffects } from "../../../../../src/bot/feed/effects.ts";
import type { Evidence } from "../../../../../src/bot/feed/orders/order-event.ts";
import { frameEvidence } from "../../../../../src/bot/feed/orders/order-event.ts";
import type { ListEvidence } from "../../../../../src/bot/feed/orders/order-list.ts";
import { OrderTracker } from "../../../../../src/bot/feed/orders/tracker.ts";
import type { Command } from "../../../../../src/domain/command.ts";
import type { Order } from "../../../../../src/domain/order.ts";
import { nonce, orderId, price, size } from "../../../../../src/domain/units.ts";
import { CONTRACT, canceledEvent, executedWith, listed, lost, ME, placeCommand, placedEvent, USD } from "../scene.ts";

/** A list of these alone. */
const only = (...openOrders: readonly Order[]) => ({ openOrders, unreadable: [] });
const seen = (id: bigint) => ({ orderId: orderId(id), marketId: 1, side: "buy" as const, ...shape });
const shape = { price: price(199n * USD), size: size(CONTRACT) };
const command = (receivedMs: number): Evidence => ({ source: "command", asOfMs: receivedMs, receivedMs });
const answer = (asOfMs: number, receivedMs: number): Evidence => ({ source: "answer", asOfMs, receivedMs });
const read = (askedMs: number, receivedMs: number): ListEvidence => ({
  source: "accountRead",
  asOfMs: askedMs,
  askedMs,
  receivedMs,
  landingBoundMs: 90_000,
});
const cancel: Command = { kind: "cancel", accountId: ME, marketId: 1, orderId: orderId(7n) };
const cancelAll: Command = { kind: "cancelAll", accountId: ME, marketId: null, fences: null };
const modify: Command = {
  kind: "modify",
  accountId: ME,
  marketId: 1,
  orderId: orderId(7n),
  side: "buy",
  reduceOnly: false,
  newPrice: null,
  newSize: size(3n * CONTRACT),
  level: 0,
};

/** An order of ours, sent at 1000, that rests under id 7. */
function resting(): OrderTracker {
  const tracker = new OrderTracker(ME, []);
  const place = placeCommand();
  tracker.apply({ ...command(1000), kind: "sent", nonce: nonce(1n), command: place });
  const events = [placedEvent(7n)];
  tracker.apply({ ...answer(1000, 1020), kind: "acknowledged", nonce: nonce(1n), command: place, events });
  const outcome = executedWith(...events);
  tracker.apply({ ...answer(1000, 1020), kind: "answered", nonce: nonce(1n), command: place, outcome });
  return tracker;
}

const stateOf = (tracker: OrderTracker) => [...tracker.live].map(({ state, order }) => [state, order.state]);

describe("effects", () => {
  test("an event that brings nothing to light returns the shared empty list", () => {
    const tracker = new OrderTracker(ME, []);
    expect(tracker.apply({ ...frameEvidence(1000), kind: "timePassed", isSettling: () => false })).toBe(noEffects);
  });

  test("belong to the event that brought them to light, and to no later one", () => {
    const tracker = resting();
    const gone = { orderId: orderId(7n), marketId: 1, reason: "UserCanceled", nonce: null };
    const ended = tracker.apply({ ...frameEvidence(1100), kind: "canceled", ...gone });
    expect(ended.map(({ kind }) => kind)).toEqual(["orderEnded"]);
    expect(tracker.apply({ ...frameEvidence(1101), kind: "canceled", ...gone })).toBe(noEffects);
    expect(ended.length).toBe(1);
  });
});

describe("a list proves its age by terms that we asked for", () => {
  const larger = [listed(7n, { size: size(3n * CONTRACT) })];

  test("of an order that this life placed", () => {
    const tracker = resting();
    tracker.apply({ ...command(2000), kind: "sent", nonce: nonce(2n), command: modify });
    expect(tracker.provenBy([listed(7n)])).toBe(1000);
    expect(tracker.provenBy(larger)).toBe(2000);
  });

  test("not of one that an earlier life placed: it may have had these terms before", () => {
    const tracker = new OrderTracker(ME, [{ orderId: orderId(7n), marketId: 1, side: "buy" }]);
    tracker.compare(only(listed(7n)), read(1000, 1010));
    tracker.apply({ ...command(2000), kind: "sent", nonce: nonce(2n), command: modify });
    expect(tracker.provenBy(larger)).toBe(Number.NEGATIVE_INFINITY);
  });
});

describe("one record per id", () => {
  test("heard of, tracked, past: the id stays on the account, and is ours once it was acknowledged", () => {
    const tracker = new OrderTracker(ME, []);
    const known = () => [tracker.isOnAccount(orderId(7n)), tracker.isOurs(orderId(7n)), tracker.live.size];
    expect(known()).toEqual([false, false, 0]);
    const place = placeCommand();
    tracker.apply({ ...command(1000), kind: "sent", nonce: nonce(1n), command: place });
    tracker.apply({ ...frameEvidence(1010), kind: "placed", order: seen(7n) });
    expect(known()).toEqual([true, false, 1]);
    const events = [placedEvent(7n)];
    tracker.apply({ ...answer(1000, 1020), kind: "acknowledged", nonce: nonce(1n), command: place, events });
    expect(known()).toEqual([true, true, 1]);
    const { orderId: id, marketId, reason } = canceledEvent(7n);
    tracker.apply({ ...frameEvidence(1030), kind: "canceled", orderId: id, marketId, reason, nonce: null });
    expect(known()).toEqual([true, true, 0]);
  });

  test("an order of an earlier life is ours, and tracked as ours when it is listed", () => {
    const tracker = new OrderTracker(ME, [{ orderId: orderId(7n), marketId: 1, side: "buy" }]);
    expect(tracker.isOurs(orderId(7n))).toBe(true);
    const { effects } = tracker.compare(only(listed(7n)), read(1000, 1010));
    expect(effects).toBe(noEffects);
    expect([...tracker.live].map(({ origin }) => origin)).toEqual(["ours"]);
  });
});

describe("evidence", () => {
  test("an answer speaks of the time since its transaction was sent", () => {
    const tracker = resting();
    expect(tracker.sentMs(nonce(1n), placeCommand())).toBe(1000);
    tracker.apply({ ...command(1100), kind: "sent", nonce: nonce(2n), command: modify });
    tracker.apply({ ...command(1200), kind: "sent", nonce: nonce(3n), command: cancel });
    tracker.apply({ ...command(1300), kind: "sent", nonce: nonce(4n), command: cancelAll });
    expect(tracker.sentMs(nonce(2n), modify)).toBe(1100);
    expect(tracker.sentMs(nonce(3n), cancel), "the first that is unanswered").toBe(1200);
    expect(tracker.sentMs(nonce(4n), cancelAll)).toBe(1300);
    expect(tracker.sentMs(nonce(5n), cancelAll), "never sent").toBeUndefined();
  });

  test.each([
    ["asked before the order changed: skipped", 1020, { differences: 0, skipped: 1 }],
    ["asked after it: judged", 1021, { differences: 1, skipped: 0 }],
  ] as const)("a list %s", (_, askedMs, found) => {
    const { differences, skipped } = resting().compare(only(), read(askedMs, 1100));
    expect({ differences: differences.length, skipped: skipped.length }).toEqual(found);
  });

  test("a list asked before an order ended does not bring it back", () => {
    const tracker = resting();
    const { orderId: id, marketId, reason } = canceledEvent(7n);
    tracker.apply({ ...frameEvidence(1100), kind: "canceled", orderId: id, marketId, reason, nonce: null });
    expect(tracker.compare(only(listed(7n)), read(1100, 1200)).effects).toBe(noEffects);
    expect(tracker.live.size).toBe(0);
    const late = tracker.compare(only(listed(7n)), read(1101, 1200));
    expect(late.effects).toContainEqual(expect.objectContaining({ kind: "mismatch", what: "orderReappeared" }));
    expect(tracker.live.size).toBe(1);
  });
});

describe("canceled, last fills pending", () => {
  const canceledByAnswer = (): OrderTracker => {
    const tracker = resting();
    tracker.apply({ ...command(1100), kind: "sent", nonce: nonce(2n), command: modify });
    tracker.apply({ ...command(1110), kind: "sent", nonce: nonce(3n), command: cancel });
    const { orderId: id, marketId, reason } = canceledEvent(7n);
    tracker.apply({ ...answer(1110, 1120), kind: "canceled", orderId: id, marketId, reason, nonce: nonce(3n) });
    return tracker;
  };

  test("no longer rests and counts in full as filled, whatever becomes of its cancel and its modify", () => {
    const tracker = canceledByAnswer();
    const state = () => [
      ...stateOf(tracker),
      ...[...tracker.fillsPending(1)].map(({ remainingSize }) => remainingSize),
    ];
    expect(tracker.inMarket(1)).toEqual([]);
    const whole = [["canceled", "canceling"], 3n * CONTRACT];
    expect(state()).toEqual(whole);
    const outcome = executedWith(canceledEvent(7n));
    tracker.apply({ ...answer(1110, 1120), kind: "answered", nonce: nonce(3n), command: cancel, outcome });
    expect(state()).toEqual(whole);
    tracker.apply({ ...answer(1100, 1200), kind: "answered", nonce: nonce(2n), command: modify, outcome: lost });
    expect(state(), "a modify cannot reach a canceled order").toEqual(whole);
  });

  test.each([
    ["asked before the cancel was known", 1120, 1],
    ["asked after it", 1121, 0],
  ] as const)("a read that does not list it, %s", (_, askedMs, left) => {
    const tracker = canceledByAnswer();
    tracker.apply({ ...read(askedMs, 1300), kind: "notListed", listed: new Set(), isUnsettled: () => false });
    expect(tracker.live.size).toBe(left);
  });

  test("not while the position of its market is unsettled: a fill may be missing", () => {
    const tracker = canceledByAnswer();
    tracker.apply({ ...read(1200, 1300), kind: "notListed", listed: new Set(), isUnsettled: (market) => market === 1 });
    expect(tracker.live.size).toBe(1);
  });
});

describe("orders that are not ours", () => {
  const stop = listed(9n, { side: "sell", price: price(0n), triggerPrice: price(190n * USD), reduceOnly: true });
  const shown = (tracker: OrderTracker) =>
    tracker.inMarket(1).map(({ isForeign, isConditional, reduceOnly }) => ({ isForeign, isConditional, reduceOnly }));
  const protective = { isForeign: true, isConditional: true, reduceOnly: true };

  test("kept from the start they are shown as foreign, and no reading of them is news", () => {
    const tracker = new OrderTracker(ME, []);
    tracker.keepOrders([stop], 1000);
    expect(shown(tracker)).toEqual([protective]);
    expect([...tracker.foreign()].map(({ orderId: id }) => id)).toEqual([9n]);
    for (const atMs of [1100, 5000]) expect(tracker.compare(only(stop), read(atMs, atMs + 10)).effects).toEqual([]);
    const gone = { orderId: orderId(9n), marketId: 1, reason: "UserCanceled", nonce: null };
    expect(tracker.apply({ ...frameEvidence(6000), kind: "canceled", ...gone }).map(({ kind }) => kind)).toEqual([
      "orderEnded",
    ]);
    expect(tracker.isOurs(orderId(9n))).toBe(false);
  });

  test("one that only a frame told of learns the rest from a list, and is foreign once it was seen twice", () => {
    const tracker = new OrderTracker(ME, []);
    const frame = { ...seen(9n), side: "sell" as const, price: price(0n) };
    tracker.apply({ ...frameEvidence(1000), kind: "placed", order: frame });
    expect(shown(tracker)).toEqual([{ ...protective, reduceOnly: false }]);
    expect([...tracker.foreign()]).toEqual([]);
    const effects = tracker.compare(only(stop), read(4000, 4010)).effects.map(({ kind }) => kind);
    expect(effects).toEqual(["foreign", "mismatch"]);
    expect(shown(tracker)).toEqual([protective]);
    expect([...tracker.foreign()].length).toBe(1);
  });

  test("one that is gone before it was seen twice is reported all the same", () => {
    const tracker = new OrderTracker(ME, []);
    tracker.apply({ ...frameEvidence(1000), kind: "placed", order: seen(9n) });
    const gone = { orderId: orderId(9n), marketId: 1, reason: "UserCanceled", nonce: null };
    const effects = tracker.apply({ ...frameEvidence(1100), kind: "canceled", ...gone }).map(({ kind }) => kind);
    expect(effects).toEqual(["foreign", "orderEnded"]);
  });
});
