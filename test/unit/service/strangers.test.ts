// An order that none of our transactions made halts the account, once.

import { expect, test } from "vitest";
import { orderId } from "../../../src/domain/units.ts";
import { createFeedState } from "../../../src/feed/state.ts";
import { systemClock } from "../../../src/kernel/clock.ts";
import { Strangers } from "../../../src/service/strangers.ts";
import { account, other, World } from "./desks.ts";

test("an order of a stranger halts the account that it rests on, and no other", () => {
  const world = new World();
  const state = createFeedState({ markets: [1], accounts: [] });
  const strangers = new Strangers({ state, desks: world.desks, clock: systemClock });
  const found = { kind: "foreign", accountId: account, marketId: 1, orderId: orderId(7n), what: "order" } as const;
  strangers.foreign(found);
  strangers.foreign({ ...found, orderId: orderId(8n) });
  expect(world.desk().isHalted()).toBe(true);
  expect(world.desk().latches).toEqual([
    expect.objectContaining({ kind: "foreignActivity", reason: expect.stringContaining("order 7 in market 1") }),
  ]);
  expect(world.desk(other).isHalted()).toBe(false);
});
