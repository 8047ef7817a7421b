// Orders and cancels that none of our transactions made halt the account, once, and only while it is live.

import { describe, expect, test } from "vitest";
import { wantResync } from "../../../../../src/bot/account/account-orders.ts";
import {
  ForeignActivity,
  type ForeignActivityModules,
} from "../../../../../src/bot/decider/acting/foreign-activity.ts";
import { createLog } from "../../../../../src/bot/telemetry/log.ts";
import type { CancelCommand } from "../../../../../src/domain/command.ts";
import type { TrackedOrder } from "../../../../../src/domain/order.ts";
import { nonce, orderId, price, size } from "../../../../../src/domain/units.ts";
import { systemClock } from "../../../../../src/kernel/clock.ts";
import { createScene, executedWith, lost, ME, refused } from "../../scene.ts";
import { account, Desks, other } from "../../service/desks.ts";

const log = createLog("info", { write: () => {}, terminal: false, wallMs: () => 0 });

const resting: TrackedOrder = {
  orderId: orderId(7n),
  marketId: 1,
  side: "buy",
  nonce: null,
  price: price(1n),
  size: size(1n),
  remainingSize: size(1n),
  reduceOnly: false,
  postOnly: true,
  isConditional: false,
  isForeign: false,
  state: "working",
  level: null,
  sinceMs: 0,
  pending: null,
  movingTo: [],
  queueAhead: null,
};
const cancel: CancelCommand = { kind: "cancel", accountId: account, marketId: 1, orderId: orderId(7n) };
const userCanceled = {
  kind: "orderEnded",
  accountId: account,
  order: resting,
  why: "canceled",
  reason: "UserCanceled",
} as const;

/** An account that is live, its stream open. */
function live(changes: Partial<ForeignActivityModules> = {}) {
  const scene = createScene();
  const world = new Desks();
  const activity = new ForeignActivity({
    state: scene.state,
    desks: world.desks,
    clock: { ...systemClock, monotonicMs: scene.nowMs },
    log,
    landingBoundMs: 90_000,
    readings: () => ({ isElsewhere: false }),
    ...changes,
  });
  return { scene, world, activity, held: () => (world.desk().isHalted() ? "halted" : "active") };
}

test("a foreign order halts its own account only, and leaves the ledger", () => {
  const { world, activity } = live();
  const found = { kind: "foreign", accountId: account, marketId: 1, orderId: orderId(7n), what: "order" } as const;
  for (const id of [7n, 9n]) world.desk().records.order({ orderId: orderId(id), marketId: 1, side: "buy" });
  activity.foreign(found);
  activity.foreign({ ...found, orderId: orderId(8n) });
  expect(world.desk().isHalted()).toBe(true);
  world.ledger.commit();
  expect(world.ledger.read.knownOrders(account, 9)).toMatchObject([{ orderId: 9n }]);
  expect(world.desk().latches).toEqual([
    expect.objectContaining({ kind: "foreignActivity", reason: expect.stringContaining("order 7 in market 1") }),
  ]);
  expect(world.desk(other).isHalted()).toBe(false);
});

describe("the end of an order of ours by the word UserCanceled", () => {
  test("halts where nothing of ours explains it, and says what may have done it", () => {
    const { world, activity } = live();
    activity.ended(userCanceled);
    expect(world.desk().latches).toMatchObject([
      { kind: "foreignActivity", reason: expect.stringContaining("canceled by another key: a watchdog, a person") },
    ]);
  });

  test.each([
    ["another word is the exchange's own doing", { ...userCanceled, reason: "MarginInsufficient" }],
    ["an order that may not rest ends without anybody", { ...userCanceled, why: "expired", reason: null }],
    ["a foreign order is none of ours", { ...userCanceled, order: { ...resting, isForeign: true } }],
  ] as const)("edge: %s", (_, effect) => {
    const { activity, held } = live();
    activity.ended(effect);
    expect(held()).toBe("active");
  });

  test.each([
    ["executed", executedWith()],
    ["refused", refused],
    ["lost", lost],
  ])("is ours where a cancel of it was sent, and %s", (_, outcome) => {
    const { activity, held } = live();
    activity.note({ kind: "sent", nonce: nonce(1n), command: cancel, receivedMs: 0 });
    activity.note({ kind: "answered", nonce: nonce(1n), command: cancel, outcome, receivedMs: 1 });
    activity.ended(userCanceled);
    expect(held()).toBe("active");
  });

  test.each([
    ["while the market resynchronizes", 1],
    ["while the account resynchronizes", null],
  ])("tells nothing %s", (_, marketId) => {
    const { scene, activity, held } = live();
    wantResync(scene.state.accounts.get(ME)!, marketId, "orders", 0);
    activity.ended(userCanceled);
    expect(held()).toBe("active");
  });

  test("tells nothing while the stream is closed: what is heard then may be long ago", () => {
    const { scene, activity, held } = live();
    scene.tell({ kind: "streamClosed", epoch: 1, reason: "gone" });
    activity.ended(userCanceled);
    expect(held()).toBe("active");
  });

  test("halts though another market resynchronizes", () => {
    const { scene, activity, held } = live();
    wantResync(scene.state.accounts.get(ME)!, 2, "orders", 0);
    activity.ended(userCanceled);
    expect(held()).toBe("halted");
  });

  test.each([
    [7n, "active"],
    [8n, "halted"],
  ])("is an earlier run's own doing where a cancel of that very order was never answered: order %d", (id, expected) => {
    const { activity, held } = live();
    const sent = { id: 1, accountId: account, signer: "k", nonce: nonce(1n), bytesHash: "", timestampSec: 0 };
    activity.recall([{ ...sent, command: { ...cancel, orderId: orderId(id) }, createdMs: 0 }]);
    activity.ended(userCanceled);
    expect(held()).toBe(expected);
  });

  test.each([
    ["while its CancelAllOrders may land", 1, "active"],
    ["and no longer once it cannot", -1, "halted"],
  ])("is explained by another node that held the account before, %s", (_, leftMs, expected) => {
    const { scene, activity, held } = live();
    activity.expect(account, [{ allowances: new Map(), untilMs: scene.nowMs() + leftMs }]);
    activity.ended(userCanceled);
    expect(held()).toBe(expected);
  });
});

test("a node that slept through its lease halts nothing for what the next holder does", () => {
  const foreign = { kind: "foreign", accountId: account, marketId: 1, orderId: orderId(9n), what: "order" } as const;
  let isElsewhere = true;
  const { world, activity } = live({ readings: () => ({ isElsewhere }) });
  activity.foreign(foreign);
  expect(world.desk().latches).toEqual([]);
  isElsewhere = false;
  activity.foreign(foreign);
  expect(world.desk().latches).toMatchObject([{ kind: "foreignActivity", holds: "halted" }]);
});
