// Three successes in a row that neither an event nor a frame confirms halt the account; one that is confirmed ends the row.

import { beforeEach, expect, test } from "vitest";
import { SilentSuccesses } from "../../../../../src/bot/service/loop/silent-successes.ts";
import type { CancelCommand, Command, ModifyCommand } from "../../../../../src/domain/command.ts";
import type { ExecutionEvent, StreamEvent, SubmitOutcome } from "../../../../../src/domain/event.ts";
import { nonce, orderId, price } from "../../../../../src/domain/units.ts";
import { systemClock } from "../../../../../src/kernel/clock.ts";
import { canceledEvent, createScene, executedWith, ME, placedEvent, type Scene, USD } from "../../scene.ts";
import { World } from "../desks.ts";

let scene: Scene;
let world: World;
let silent: SilentSuccesses;
let lagMs: number;
let last: bigint;
beforeEach(() => {
  scene = createScene();
  world = new World();
  const clock = { ...systemClock, monotonicMs: scene.nowMs };
  silent = new SilentSuccesses({ state: scene.state, desks: world.desks, clock });
  lagMs = scene.state.readLagMaxMs;
  last = 1n;
});

const nextNonce = (): bigint => {
  last += 1n;
  return last;
};
const latches = () => world.desk().latches.map(({ kind, holds }) => `${kind} ${holds}`);
const note = (event: ExecutionEvent | StreamEvent) => {
  silent.note(event);
  scene.tell(event);
};
const answer = (command: Command, outcome: SubmitOutcome = executedWith(), of = nextNonce()) => {
  note({ kind: "answered", nonce: nonce(of), command, outcome, receivedMs: scene.nowMs() });
};
const place = (outcome?: SubmitOutcome) => answer(scene.place(nextNonce()), outcome, last);
const cancelOf = (id: bigint): CancelCommand => ({
  kind: "cancel",
  accountId: ME,
  marketId: 1,
  orderId: orderId(id),
});
const pass = (ms: number) => {
  scene.advance(ms);
  silent.tick();
};

test("three halt, once a frame can no longer come, and the sentence says what is missing", () => {
  for (let count = 0; count < 3; count += 1) place();
  pass(lagMs - 1);
  expect(latches()).toEqual([]);
  pass(1);
  expect(latches()).toEqual(["mismatch halted"]);
  expect(world.desk().latches[0]?.reason).toMatch(/3 transactions .* neither their answers nor the stream told/);
});

test("edge: two do not, whatever else was answered before and after them", () => {
  place();
  place();
  pass(lagMs);
  place({ kind: "refused", hash: "h", error: "no" });
  place({ kind: "unknown", why: "timeout" });
  pass(lagMs);
  expect(latches()).toEqual([]);
});

test("a success with its event ends the row", () => {
  for (let count = 0; count < 4; count += 1) {
    place();
    place();
    pass(lagMs);
    place(executedWith(placedEvent(100n + last)));
  }
  expect(latches()).toEqual([]);
});

test("a CancelAllOrders that names nothing is normal", () => {
  for (let count = 0; count < 5; count += 1) answer({ kind: "cancelAll", accountId: ME, marketId: 1, fences: null });
  pass(lagMs);
  expect(latches()).toEqual([]);
});

test("forbidden: a halt where frames tell of each place instead, before its answer or after it", () => {
  for (let count = 0; count < 4; count += 1) {
    const command = scene.place(nextNonce());
    const { type: _, ...order } = placedEvent(100n + last);
    if (count % 2 === 0) note({ ...order, kind: "orderPlaced", receivedMs: scene.nowMs() });
    answer(command, executedWith(), last);
    if (count % 2 === 1) note({ ...order, kind: "orderPlaced", receivedMs: scene.nowMs() });
    note({ kind: "resolved", nonce: nonce(last), command, verdict: "landed", receivedMs: scene.nowMs() });
    pass(lagMs);
  }
  expect(latches()).toEqual([]);
});

test.each([
  [true, []],
  [false, ["mismatch halted"]],
])("of cancels whose orders frames end: %s", (isTold, expected) => {
  for (const id of [7n, 8n, 9n]) {
    scene.rest(nextNonce(), id);
    answer(cancelOf(id));
    const { type: _, ...canceled } = canceledEvent(id);
    if (isTold) scene.tell({ ...canceled, kind: "orderCanceled" });
  }
  pass(lagMs);
  expect(latches()).toEqual(expected);
});

test.each([
  [true, []],
  [false, ["mismatch halted"]],
])("of modifies that frames tell of: %s", (isTold, expected) => {
  scene.rest(nextNonce(), 7n);
  for (const usd of [190n, 191n, 192n]) {
    const newPrice = price(usd * USD);
    const terms = { marketId: 1, orderId: orderId(7n), side: "buy" } as const;
    const command: ModifyCommand = {
      kind: "modify",
      accountId: ME,
      ...terms,
      reduceOnly: false,
      newPrice,
      newSize: null,
      level: 0,
    };
    scene.tell({ kind: "sent", nonce: nonce(nextNonce()), command });
    answer(command, executedWith(), last);
    const size = scene.orders()[0]!.size;
    if (isTold) scene.tell({ kind: "orderModified", accountId: ME, ...terms, price: newPrice, size });
  }
  pass(lagMs);
  expect(latches()).toEqual(expected);
});
