// What a word is worth: a status alone states nothing, and a read that shows a state which we held says nothing new.

import { describe, expect, test } from "vitest";
import { HeldStates, lacksEvent, spanOf } from "../../../../src/bot/account/evidence.ts";
import type { Command } from "../../../../src/domain/command.ts";
import type { TransactionEvent } from "../../../../src/domain/event.ts";
import { orderId } from "../../../../src/domain/units.ts";
import {
  canceledEvent,
  executedWith,
  execution,
  lost,
  ME,
  OTHER,
  placeCommand,
  placedEvent,
  refused,
} from "../scene.ts";
import { modifiedEvent } from "./orders.ts";

const place = placeCommand();
const cancel = { kind: "cancel", accountId: ME, marketId: 1, orderId: orderId(7n) } as const;
const cancelAll = { kind: "cancelAll", accountId: ME, marketId: null, fences: null } as const;
const modify: Command = {
  ...cancel,
  kind: "modify",
  side: "buy",
  reduceOnly: false,
  newPrice: null,
  newSize: null,
  level: 0,
};
const bought: TransactionEvent = { type: "fill", execution: execution({ liquidity: "taker" }) };

describe("a success states something by the event that belongs to it", () => {
  test.each<[string, Command, TransactionEvent]>([
    ["a place: its placement", place, placedEvent(7n)],
    ["a place: a fill as taker", place, bought],
    ["a place: the cancel of what would not rest", place, canceledEvent(7n)],
    ["a cancel: the cancel of that order", cancel, canceledEvent(7n)],
    ["a modify: the modify of that order", modify, modifiedEvent(198n, 1n)],
    ["a modify: a new order in its place", modify, placedEvent(8n)],
  ])("%s", (_, command, event) => {
    expect(lacksEvent(command, executedWith(event))).toBe(false);
  });

  test.each<[string, Command, readonly TransactionEvent[]]>([
    ["a place without any", place, []],
    ["a place with a fill as maker", place, [{ type: "fill", execution: execution() }]],
    ["a place with another account's placement", place, [placedEvent(7n, { accountId: OTHER })]],
    ["a place with an event that could not be read", place, [{ type: "other", name: "OrderPlaced" }]],
    ["a cancel without any", cancel, []],
    ["a cancel of another order", cancel, [canceledEvent(8n)]],
    ["a modify without any", modify, []],
  ])("and is an unknown outcome without: %s", (_, command, events) => {
    expect(lacksEvent(command, executedWith(...events))).toBe(true);
  });

  test("a CancelAllOrders may find nothing to cancel; and what did not succeed lacks none", () => {
    expect(lacksEvent(cancelAll, executedWith())).toBe(false);
    for (const outcome of [lost, refused]) expect(lacksEvent(place, outcome)).toBe(false);
  });
});

describe("states that we held", () => {
  const LAG_MS = 3000;
  const span = (askedMs: number) => spanOf({ askedMs, receivedMs: askedMs + 10 }, LAG_MS);
  /** `a` until 10 s, `b` until 11 s, `c` since. */
  const held = (): HeldStates<string> => {
    const states = new HeldStates<string>();
    states.left("a", 10_000, LAG_MS);
    states.left("b", 11_000, LAG_MS);
    return states;
  };

  test("a read may be of so long before it was asked, and as new as its arrival", () => {
    expect(span(10_000)).toEqual({ fromMs: 7000, toMs: 10_010 });
  });

  test("the present one was held, whenever a read was asked", () => {
    expect(held().wasHeld("c", "c", span(1_000_000))).toBe(true);
  });

  test("an earlier one was, for a read that may be of its time", () => {
    expect(held().wasHeld("a", "c", span(13_000))).toBe(true);
    expect(held().wasHeld("a", "c", span(13_001))).toBe(false);
    expect(held().wasHeld("b", "c", span(13_001))).toBe(true);
  });

  test("one that came back was held until it last left, and is kept once", () => {
    const states = held();
    states.left("a", 12_000, LAG_MS);
    expect(states.wasHeld("a", "c", span(15_000))).toBe(true);
    expect(states.wasHeld("a", "c", span(15_001))).toBe(false);
    expect(states.wasHeld("b", "c", span(14_000))).toBe(true);
  });

  test("another one never was", () => {
    expect(held().wasHeld("d", "c", span(13_000))).toBe(false);
  });

  test("none is kept for longer than a read of it can take", () => {
    const states = held();
    states.left("c", 100_000, LAG_MS);
    expect(states.wasHeld("a", "d", span(10_000)), "forgotten").toBe(false);
    expect(states.wasHeld("c", "d", span(103_000))).toBe(true);
  });
});
