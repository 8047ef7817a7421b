// An order that none of our transactions made halts the account, once.

import { expect, test } from "vitest";
import { createAccountBook } from "../../../../../src/bot/accounting/account-book.ts";
import { createFeedState } from "../../../../../src/bot/feed/state.ts";
import { Strangers } from "../../../../../src/bot/service/loop/foreign-activity.ts";
import { StallDetector } from "../../../../../src/bot/service/loop/stall-detector.ts";
import type { TrackedOrder } from "../../../../../src/domain/order.ts";
import { nonce, orderId, price, size } from "../../../../../src/domain/units.ts";
import { systemClock } from "../../../../../src/kernel/clock.ts";
import { account, other, World } from "../desks.ts";

test("an order of a stranger halts the account that it rests on, and no other", () => {
  const world = new World();
  const state = createFeedState({ markets: [1], accounts: [] });
  const strangers = new Strangers({ state, desks: world.desks, clock: systemClock, stalls: new StallDetector() });
  const found = { kind: "foreign", accountId: account, marketId: 1, orderId: orderId(7n), what: "order" } as const;
  strangers.foreign(found);
  strangers.foreign({ ...found, orderId: orderId(8n) });
  expect(world.desk().isHalted()).toBe(true);
  expect(world.desk().latches).toEqual([
    expect.objectContaining({ kind: "foreignActivity", reason: expect.stringContaining("order 7 in market 1") }),
  ]);
  expect(world.desk(other).isHalted()).toBe(false);
});

test.each([
  ["halts: somebody else canceled it", "halted", 8n],
  ["is that life's own doing where a cancel of it was never answered", "active", 7n],
])("the end of an order of an earlier life %s", (_, held, canceledBefore) => {
  const world = new World();
  const known = { orderId: orderId(7n), marketId: 1, side: "buy" } as const;
  const state = createFeedState({
    markets: [1],
    accounts: [{ accountId: account, agentPubkey: "", knownOrders: [known], book: createAccountBook() }],
  });
  const strangers = new Strangers({ state, desks: world.desks, clock: systemClock, stalls: new StallDetector() });
  const command = { kind: "cancel", accountId: account, marketId: 1, orderId: orderId(canceledBefore) } as const;
  const sent = { id: 1, accountId: account, signer: "k", nonce: nonce(1n), command, bytesHash: "", timestampSec: 0 };
  strangers.recall([{ ...sent, createdMs: 0 }]);
  const order: TrackedOrder = {
    ...known,
    nonce: null,
    price: price(1n),
    size: size(1n),
    remainingSize: size(1n),
    reduceOnly: false,
    postOnly: true,
    state: "working",
    level: null,
    sinceMs: 0,
    pending: null,
  };
  strangers.ended({ kind: "orderEnded", accountId: account, order, why: "canceled", reason: "UserCanceled" });
  expect(world.desk().isHalted() ? "halted" : "active").toBe(held);
});
