// An order that none of our transactions made halts the account, once.

import { describe, expect, test } from "vitest";
import { createAccountBook } from "../../../../../src/bot/accounting/account-book.ts";
import { createFeedState } from "../../../../../src/bot/feed/state.ts";
import { ForeignActivity, type ForeignActivityModules } from "../../../../../src/bot/service/loop/foreign-activity.ts";
import { StallDetector } from "../../../../../src/bot/service/loop/stall-detector.ts";
import { createLog } from "../../../../../src/bot/telemetry/log.ts";
import type { TrackedOrder } from "../../../../../src/domain/order.ts";
import { nonce, orderId, price, size } from "../../../../../src/domain/units.ts";
import { systemClock } from "../../../../../src/kernel/clock.ts";
import {
  CHAIN_OFFSET_MS,
  createScene,
  executedWith,
  lost,
  ME,
  market,
  notSent,
  refused,
  rejected,
} from "../../feed/scene.ts";
import { account, other, World } from "../desks.ts";

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
};

const foreignActivityIn = (world: World, changes: Partial<ForeignActivityModules> = {}): ForeignActivity =>
  new ForeignActivity({
    state: createFeedState({ markets: [1], accounts: [] }),
    desks: world.desks,
    clock: systemClock,
    log,
    ability: { lackedFor: () => false },
    stalls: new StallDetector(),
    landingBoundMs: 90_000,
    isElsewhere: () => false,
    ...changes,
  });

const userCanceled = {
  kind: "orderEnded",
  accountId: account,
  order: resting,
  why: "canceled",
  reason: "UserCanceled",
  goneMs: 0,
} as const;

test.each([
  ["before it stood still may have taken it while it did", 5000, "active"],
  ["that could land no more when it began to stand still explains nothing", -5000, "halted"],
])("an order that a process hears to be gone after an absence: a CancelAllOrders of its own %s", (_, leftMs, held) => {
  const scene = createScene();
  const world = new World();
  const stalls = new StallDetector();
  const clock = { ...systemClock, monotonicMs: scene.nowMs };
  const tick = () => stalls.tick({ monotonicMs: scene.nowMs(), wallMs: scene.nowMs() });
  const foreignActivity = foreignActivityIn(world, { state: scene.state, stalls, clock });
  const order = { ...resting, nonce: nonce(BigInt(CHAIN_OFFSET_MS + scene.nowMs())) };
  tick();
  foreignActivity.expect(account, [{ allowances: new Map(), untilMs: scene.nowMs() + leftMs }]);
  scene.advance(60_000);
  tick();
  foreignActivity.ended({ ...userCanceled, order, goneMs: scene.nowMs() });
  expect(world.desk().isHalted() ? "halted" : "active").toBe(held);
});

test.each([
  ["stood still", 60_000],
  ["slept with its machine", 0],
])(
  "an order placed at once after the process %s is not explained by what may have gone meanwhile",
  (_, monotonicMs) => {
    const scene = createScene();
    const world = new World();
    const stalls = new StallDetector();
    const foreignActivity = foreignActivityIn(world, { state: scene.state, stalls });
    const startMs = scene.nowMs();
    stalls.tick({ monotonicMs: startMs, wallMs: startMs });
    foreignActivity.expect(account, [{ allowances: new Map(), untilMs: startMs + 5000 }]);
    scene.advance(monotonicMs);
    stalls.tick({ monotonicMs: scene.nowMs(), wallMs: startMs + 60_000 });
    const stampedMs = CHAIN_OFFSET_MS + scene.nowMs() - 60;
    scene.advance(6000);
    const order = { ...resting, nonce: nonce(BigInt(stampedMs)) };
    foreignActivity.ended({ ...userCanceled, order, goneMs: scene.nowMs() });
    expect(world.desk().isHalted()).toBe(true);
  },
);

test("a foreign order halts its own account only, and leaves the ledger", () => {
  const world = new World();
  const foreignActivity = foreignActivityIn(world);
  const found = { kind: "foreign", accountId: account, marketId: 1, orderId: orderId(7n), what: "order" } as const;
  for (const id of [7n, 9n]) world.desk().records.order({ orderId: orderId(id), marketId: 1, side: "buy" });
  foreignActivity.foreign(found);
  foreignActivity.foreign({ ...found, orderId: orderId(8n) });
  expect(world.desk().isHalted()).toBe(true);
  world.ledger.commit();
  expect(world.ledger.read.knownOrders(account, 9)).toMatchObject([{ orderId: 9n }]);
  expect(world.desk().latches).toEqual([
    expect.objectContaining({ kind: "foreignActivity", reason: expect.stringContaining("order 7 in market 1") }),
  ]);
  expect(world.desk(other).isHalted()).toBe(false);
});

test.each([
  ["halts where the account has no watchdog", null, true, "halted"],
  ["halts where the daemon could act", "watchdog.key", false, "halted"],
  ["is the watchdog's right where the daemon knew that it could not act", "watchdog.key", true, "active"],
])("the end of an order by another key %s", (_, watchdogKeyFile, lacked, held) => {
  const world = new World();
  world.desk().quoted = { ...world.desk().quoted, watchdogKeyFile };
  foreignActivityIn(world, { ability: { lackedFor: () => lacked } }).ended(userCanceled);
  expect(world.desk().isHalted() ? "halted" : "active").toBe(held);
});

test.each([
  ["explains the end of an order by another key while its CancelAllOrders may land", 1000, 0, "active"],
  ["explains the end of an order that was gone while it could land, even if we hear of it later", -1, 1000, "active"],
  ["explains nothing once it can no longer land", -1, 0, "halted"],
])("another node that held the account before %s", (_, leftMs, goneAgoMs, held) => {
  const world = new World();
  const foreignActivity = foreignActivityIn(world);
  foreignActivity.expect(account, [{ allowances: new Map(), untilMs: systemClock.monotonicMs() + leftMs }]);
  foreignActivity.ended({ ...userCanceled, goneMs: systemClock.monotonicMs() - goneAgoMs });
  expect(world.desk().isHalted() ? "halted" : "active").toBe(held);
});

test.each([
  ["was refused: somebody else canceled it", "halted", refused],
  ["was rejected, and so did nothing", "halted", rejected],
  ["was not sent", "halted", notSent],
  ["was executed: it may be a cancel and a new order", "active", executedWith()],
  ["was lost", "active", lost],
])("the end of an order while our modify of it is out, which %s", (_, held, outcome) => {
  const world = new World();
  const foreignActivity = foreignActivityIn(world);
  const pending = { price: price(1n), size: size(2n) };
  foreignActivity.ended({ ...userCanceled, order: { ...resting, pending } });
  expect(world.desk().isHalted(), "its answer will tell").toBe(false);
  const command = {
    kind: "modify",
    accountId: account,
    marketId: 1,
    orderId: orderId(7n),
    side: "buy",
    reduceOnly: false,
    newPrice: null,
    newSize: size(2n),
    level: 0,
  } as const;
  foreignActivity.note({ kind: "answered", nonce: nonce(9n), command, outcome, receivedMs: 1 });
  expect(world.desk().isHalted() ? "halted" : "active").toBe(held);
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
  const foreignActivity = foreignActivityIn(world, { state });
  const command = { kind: "cancel", accountId: account, marketId: 1, orderId: orderId(canceledBefore) } as const;
  const sent = { id: 1, accountId: account, signer: "k", nonce: nonce(1n), command, bytesHash: "", timestampSec: 0 };
  foreignActivity.recall([{ ...sent, createdMs: 0 }]);
  foreignActivity.ended(userCanceled);
  expect(world.desk().isHalted() ? "halted" : "active").toBe(held);
});

describe("an order that went while the process stood still", () => {
  type Given = {
    /** The market was read with another tick before the absence. */
    readonly isTickNew?: boolean;
    /** From the return until a read proves that it is gone. */
    readonly provenAfterMs?: number;
    /** From the return until it was known to be gone. */
    readonly goneAfterMs?: number;
    /** Volume that a read showed on the return, and of which no fill is known yet. */
    readonly unseen?: bigint;
  };
  const world = ({
    isTickNew = false,
    provenAfterMs = 0,
    goneAfterMs = 0,
    unseen,
  }: Given = {}): {
    readonly read: (tickSize: bigint) => void;
    readonly isHalted: () => boolean;
  } => {
    const desks = new World();
    const scene = createScene();
    const stalls = new StallDetector();
    const clock = { ...systemClock, monotonicMs: scene.nowMs };
    const tick = () => stalls.tick({ monotonicMs: scene.nowMs(), wallMs: scene.nowMs() });
    const ability = { lackedFor: () => false };
    const { state } = scene;
    const modules = {
      state,
      desks: desks.desks,
      clock,
      log,
      ability,
      stalls,
      landingBoundMs: 90_000,
      isElsewhere: () => false,
    };
    const foreignActivity = new ForeignActivity(modules);
    const placed = nonce(BigInt(CHAIN_OFFSET_MS + scene.nowMs()));
    const read = (tickSize: bigint): void => {
      scene.advance(100);
      scene.tell({ kind: "marketRead", market: market({ tickSize: price(tickSize) }) });
      foreignActivity.read();
    };
    if (isTickNew) read(5_000_000n);
    tick();
    scene.advance(20_000);
    tick();
    const unseenMs = unseen === undefined ? null : scene.nowMs();
    Object.assign(state.accounts.get(ME)!.volume, { unseen: unseen ?? 0n, unseenMs });
    const goneMs = scene.nowMs() + goneAfterMs;
    scene.advance(provenAfterMs);
    const order = { ...resting, nonce: placed };
    foreignActivity.ended({ ...userCanceled, order, why: "vanished", reason: null, goneMs });
    expect(desks.desk().isHalted(), "the market was not read again").toBe(false);
    return { read, isHalted: () => desks.desk().isHalted() };
  };

  test("was cleared by the exchange where the tick is another one", () => {
    const { read, isHalted } = world();
    read(5_000_000n);
    expect(isHalted()).toBe(false);
    read(5_000_000n);
    expect(isHalted()).toBe(false);
  });

  test("was canceled by somebody where our cancel was refused on our return, however late a read proves it", () => {
    const { read, isHalted } = world({ provenAfterMs: 40_000, goneAfterMs: 100 });
    read(1_000_000n);
    expect(isHalted()).toBe(true);
  });

  test("is not taken for canceled meanwhile where nothing shows that it was gone on our return", () => {
    const { read, isHalted } = world({ provenAfterMs: 40_000, goneAfterMs: 40_000 });
    read(1_000_000n);
    expect(isHalted()).toBe(false);
  });

  test("was canceled by somebody where the tick is the same", () => {
    const { read, isHalted } = world();
    read(1_000_000n);
    expect(isHalted()).toBe(true);
  });

  test("may have been filled where a read shows volume of which no fill is known", () => {
    const { read, isHalted } = world({ unseen: 1n });
    read(1_000_000n);
    expect(isHalted()).toBe(false);
  });

  test("was canceled by somebody where trades have brought all fills of that volume since", () => {
    const { read, isHalted } = world({ unseen: 0n });
    read(1_000_000n);
    expect(isHalted()).toBe(true);
  });

  test("was canceled by somebody where the tick was another one before that already", () => {
    const { read, isHalted } = world({ isTickNew: true });
    read(5_000_000n);
    expect(isHalted()).toBe(true);
  });
});

test("a node that slept through its lease halts nothing for what the next holder does", () => {
  const foreign = { kind: "foreign", accountId: account, marketId: 1, orderId: orderId(9n), what: "order" } as const;
  const world = new World();
  let isElsewhere = true;
  const activity = foreignActivityIn(world, { isElsewhere: () => isElsewhere });
  activity.foreign(foreign);
  expect(world.desk().latches).toEqual([]);
  isElsewhere = false;
  activity.foreign(foreign);
  expect(world.desk().latches).toMatchObject([{ kind: "foreignActivity", holds: "halted" }]);
});
