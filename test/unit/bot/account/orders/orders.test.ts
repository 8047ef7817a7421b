// The tracker as a whole: events in, effects out, and one record per order from the first word of it to long after its end.

import { describe, expect, test } from "vitest";
import { spanOf } from "../../../../../src/bot/account/evidence.ts";
import { OrderTracker, type OrderTrackerOptions } from "../../../../../src/bot/account/orders/orders.ts";
import { noEffects } from "../../../../../src/bot/market/effects.ts";
import type { Command } from "../../../../../src/domain/command.ts";
import type { Order } from "../../../../../src/domain/order.ts";
import { nonce, orderId, price, size } from "../../../../../src/domain/units.ts";
import {
  CONTRACT,
  canceledEvent,
  executedWith,
  listed,
  lost,
  ME,
  placeCommand,
  placedEvent,
  USD,
} from "../../scene.ts";

const LAG_MS = 3000;
const create = (of: Partial<OrderTrackerOptions> = {}) =>
  new OrderTracker({ accountId: ME, readLagMaxMs: LAG_MS, knownOrders: [], ...of });
const judge = (tracker: OrderTracker, askedMs: number, ...openOrders: readonly Order[]) =>
  tracker.compare({ openOrders, unreadable: [] }, "account", spanOf({ askedMs, receivedMs: askedMs + 10 }, LAG_MS));
const seen = {
  orderId: orderId(7n),
  marketId: 1,
  side: "buy",
  price: price(199n * USD),
  size: size(CONTRACT),
} as const;
const place = placeCommand();
const cancel: Command = { kind: "cancel", accountId: ME, marketId: 1, orderId: orderId(7n) };
const gone = { kind: "canceled", orderId: orderId(7n), marketId: 1, reason: "UserCanceled" } as const;

/** An order of ours, sent at 1000, that rests under id 7 since 1020. */
function resting(): OrderTracker {
  const tracker = create();
  tracker.apply({ kind: "sent", nonce: nonce(1n), command: place, receivedMs: 1000 });
  const events = [placedEvent(7n)];
  tracker.apply({ kind: "acknowledged", nonce: nonce(1n), command: place, events, receivedMs: 1020 });
  const outcome = executedWith(...events);
  tracker.apply({ kind: "answered", nonce: nonce(1n), command: place, outcome, receivedMs: 1020 });
  return tracker;
}

describe("effects", () => {
  test("an event that brings nothing to light returns the shared empty list", () => {
    expect(create().apply({ kind: "timePassed", receivedMs: 1000, isSettling: () => false })).toBe(noEffects);
  });

  test("belong to the event that brought them to light, and to no later one", () => {
    const tracker = resting();
    const ended = tracker.apply({ ...gone, receivedMs: 1100 });
    expect(ended.map(({ kind }) => kind)).toEqual(["orderEnded"]);
    expect(tracker.apply({ ...gone, receivedMs: 1101 })).toBe(noEffects);
    expect(ended.length).toBe(1);
  });

  test("the list of a market's orders is the same object until one of them changes", () => {
    const tracker = resting();
    const before = tracker.inMarket(1);
    tracker.apply({ kind: "timePassed", receivedMs: 1100, isSettling: () => false });
    expect(tracker.inMarket(1)).toBe(before);
    tracker.apply({ kind: "sent", nonce: nonce(2n), command: cancel, receivedMs: 1200 });
    expect(tracker.inMarket(1)).not.toBe(before);
  });
});

describe("one record per id", () => {
  test("heard of, tracked, past: the id stays on the account, and is ours once it was acknowledged", () => {
    const tracker = create();
    const known = () => [tracker.isOnAccount(orderId(7n)), tracker.isOurs(orderId(7n)), tracker.live.size];
    expect(known()).toEqual([false, false, 0]);
    tracker.apply({ kind: "sent", nonce: nonce(1n), command: place, receivedMs: 1000 });
    tracker.apply({ kind: "placed", order: seen, receivedMs: 1010 });
    expect(known()).toEqual([true, false, 1]);
    tracker.apply({
      kind: "acknowledged",
      nonce: nonce(1n),
      command: place,
      events: [placedEvent(7n)],
      receivedMs: 1020,
    });
    expect(known()).toEqual([true, true, 1]);
    tracker.apply({ ...gone, receivedMs: 1030 });
    expect(known()).toEqual([true, true, 1]);
    tracker.apply({
      kind: "fillsRead",
      marketId: 1,
      askedMs: 1031 + LAG_MS,
      sinceMs: 0,
      receivedMs: 1040 + LAG_MS,
    });
    expect(known()).toEqual([true, true, 0]);
  });

  test("it is over since its event, and since before this run where an earlier one placed it", () => {
    const tracker = resting();
    const over = () => [tracker.isOver(orderId(7n)), tracker.endedMs(orderId(7n))];
    expect(over()).toEqual([false, undefined]);
    tracker.apply({ ...gone, receivedMs: 1100 });
    expect(over()).toEqual([true, 1100]);
    tracker.apply({ kind: "fillsRead", marketId: 1, askedMs: 1101 + LAG_MS, sinceMs: 0, receivedMs: 5000 });
    expect(over()).toEqual([true, 1100]);
    const later = create({ knownOrders: [orderId(7n)] });
    expect([later.isOurs(orderId(7n)), later.isOver(orderId(7n)), later.endedMs(orderId(7n))]).toEqual([
      true,
      false,
      Number.NEGATIVE_INFINITY,
    ]);
  });
});

test("a place is open until it is answered or resolved, and awaited only until it is answered", () => {
  const tracker = create();
  tracker.apply({ kind: "sent", nonce: nonce(1n), command: place, receivedMs: 1000 });
  const open = () => [tracker.isOpen(nonce(1n)), tracker.isAwaited(1, 1000)];
  expect(open()).toEqual([true, true]);
  expect([tracker.isAwaited(1, 999), tracker.isAwaited(2, 1000)], "sent later; of another market").toEqual([
    false,
    false,
  ]);
  tracker.apply({ kind: "answered", nonce: nonce(1n), command: place, outcome: lost, receivedMs: 1100 });
  expect(open()).toEqual([true, false]);
  tracker.apply({ kind: "resolved", nonce: nonce(1n), command: place, verdict: "landed", receivedMs: 1200 });
  expect(open()).toEqual([false, false]);
});

describe("what ends an ended order", () => {
  const ended = (): OrderTracker => {
    const tracker = resting();
    tracker.apply({ ...gone, receivedMs: 1100 });
    return tracker;
  };
  const askedMs = 1101 + LAG_MS;

  test.each([
    ["a read of its market", { kind: "fillsRead", marketId: 1, askedMs, sinceMs: 1000 }, 0],
    ["a read of another market", { kind: "fillsRead", marketId: 2, askedMs, sinceMs: 1000 }, 1],
    [
      "a read that may be of before its end",
      { kind: "fillsRead", marketId: 1, askedMs: askedMs - 1, sinceMs: 1000 },
      1,
    ],
    ["trades that reach back to after it was sent", { kind: "fillsRead", marketId: 1, askedMs, sinceMs: 1001 }, 1],
    ["its position", { kind: "fillsRead", marketId: 1, askedMs, sinceMs: Number.NEGATIVE_INFINITY }, 0],
  ] as const)("%s", (_, event, left) => {
    const tracker = ended();
    tracker.apply({ ...event, receivedMs: 9000 });
    expect(tracker.live.size).toBe(left);
  });

  test("no list does: neither one that lacks it nor one that shows it", () => {
    const tracker = ended();
    judge(tracker, 9000);
    const { words } = judge(tracker, 9100, listed(7n));
    expect(words).toMatchObject([{ differs: { what: "orderReappeared" } }]);
    expect([tracker.live.size, tracker.inMarket(1)]).toEqual([1, []]);
  });
});

describe("orders that are not ours", () => {
  const stop = listed(9n, { side: "sell", price: price(0n), triggerPrice: price(190n * USD), reduceOnly: true });
  const shown = (tracker: OrderTracker) =>
    tracker.inMarket(1).map(({ isForeign, isConditional, reduceOnly }) => ({ isForeign, isConditional, reduceOnly }));
  const protective = { isForeign: true, isConditional: true, reduceOnly: true };

  test("kept from the start they are shown as foreign, and no reading of them is news", () => {
    const tracker = create();
    tracker.trackForeign([stop], 1000);
    expect(shown(tracker)).toEqual([protective]);
    expect([...tracker.foreign()].map(({ orderId: id }) => id)).toEqual([9n]);
    for (const atMs of [1100, 5000]) expect(judge(tracker, atMs, stop).effects).toEqual([]);
    const effects = tracker.apply({ ...gone, orderId: orderId(9n), receivedMs: 6000 });
    expect(effects.map(({ kind }) => kind)).toEqual(["orderEnded"]);
    expect(tracker.isOurs(orderId(9n))).toBe(false);
  });

  test("one that is over before two seconds have passed is reported all the same", () => {
    const tracker = create();
    tracker.apply({ kind: "placed", order: { ...seen, orderId: orderId(9n) }, receivedMs: 1000 });
    tracker.apply({ ...gone, orderId: orderId(9n), receivedMs: 1100 });
    const over = tracker.apply({ kind: "fillsRead", marketId: 1, askedMs: 4200, sinceMs: 0, receivedMs: 4210 });
    const later = tracker.apply({ kind: "timePassed", receivedMs: 4300, isSettling: () => false });
    expect([over, later].map((effects) => effects.map(({ kind }) => kind))).toEqual([["orderOver"], ["foreign"]]);
  });
});

test("an order whose modify lands while its cancel does is canceled, and stays so", () => {
  const tracker = resting();
  tracker.apply({ kind: "sent", nonce: nonce(3n), command: cancel, receivedMs: 1200 });
  const outcome = executedWith(canceledEvent(7n));
  tracker.apply({ kind: "answered", nonce: nonce(3n), command: cancel, outcome, receivedMs: 1210 });
  expect([...tracker.live].map(({ state, order }) => [state, order.state])).toEqual([["ended", "canceling"]]);
});
