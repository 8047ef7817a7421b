// Whether the daemon can act, as its heartbeat says, and when a watchdog may have acted for it.

import { beforeEach, describe, expect, test } from "vitest";
import { rekey } from "../../../../../src/bot/account/account-state.ts";
import { Ability } from "../../../../../src/bot/service/watchdog/ability.ts";
import type { HttpEnd } from "../../../../../src/bot/venue/remote/http.ts";
import { createGet, createReads } from "../../../../../src/bot/venue/remote/reads.ts";
import type { CancelAllCommand, CancelCommand } from "../../../../../src/domain/command.ts";
import type { SubmitOutcome } from "../../../../../src/domain/event.ts";
import { nonce, orderId } from "../../../../../src/domain/units.ts";
import { systemClock } from "../../../../../src/kernel/clock.ts";
import {
  account,
  CHAIN_OFFSET_MS,
  canceledEvent,
  createScene,
  executedWith,
  listed,
  lost,
  ME,
  notSent,
  refused,
  rejected,
} from "../../scene.ts";

const SILENCE_MS = 10_000;
const cancel: CancelCommand = { kind: "cancel", accountId: ME, marketId: 1, orderId: orderId(7n) };

let scene: ReturnType<typeof createScene>;
let ability: Ability;
/** What the wall clock counts beside the monotonic one. */
let asideMs: number;
beforeEach(() => {
  scene = createScene();
  asideMs = CHAIN_OFFSET_MS;
  scene.rest(1n, 7n);
  ability = new Ability(
    { silenceMs: SILENCE_MS },
    {
      state: scene.state,
      clock: { ...systemClock, monotonicMs: scene.nowMs, wallMs: () => scene.nowMs() + asideMs },
    },
  );
});

const read = () => ability.answered();
const answer = (outcome: SubmitOutcome, command: CancelCommand | CancelAllCommand = cancel) =>
  ability.note({ kind: "answered", nonce: nonce(1n), command, outcome, receivedMs: scene.nowMs() });
const shown = () => ability.show()[0];
/** The loop ticks ten times a second; true where one of these ticks says that it cannot act. */
const pass = (ms: number, each = () => {}): boolean => {
  let isSaid = false;
  for (let passed = 0; passed < ms; passed += 100) {
    scene.advance(100);
    each();
    isSaid = ability.tick() || isSaid;
  }
  return isSaid;
};

describe("the heartbeat says", () => {
  test("when the exchange last answered: a read, and every transaction that it executed, refused or rejected", () => {
    expect(shown()?.answeredAgoMs).toBeNull();
    for (const tell of [read, () => answer(executedWith()), () => answer(refused), () => answer(rejected)]) {
      pass(3000);
      tell();
      expect(shown()?.answeredAgoMs).toBe(0);
    }
    for (const outcome of [lost, notSent, { kind: "rateLimited", error: "busy", retryAfterMs: null } as const]) {
      scene.advance(1000);
      answer(outcome);
    }
    expect(shown()?.answeredAgoMs, "a lost answer is none, nor is that of a rate limit").toBe(3000);
  });

  test("that the time in which the machine slept has passed, and none where the wall clock was set back", () => {
    read();
    scene.advance(1000);
    asideMs += 6000;
    expect(shown()?.answeredAgoMs).toBe(7000);
    asideMs -= 60_000;
    expect(shown()?.answeredAgoMs).toBe(1000);
    asideMs += 120_000;
    read();
    expect(shown()?.answeredAgoMs).toBe(0);
  });

  test("that a read was answered, whoever asked and however senselessly, and not that one failed", async () => {
    const answered = (body: string): HttpEnd => ({ kind: "answered", httpStatus: 200, retryAfter: null, body });
    const ends: HttpEnd[] = [
      answered("[]"),
      answered(
        '{"marketId":2,"price":"1","lastUpdateTimestamp":1,"lastUpdateDate":20260921,"validUntil":1,"status":"Active"}',
      ),
      answered("[]".slice(1)),
      { kind: "lost", why: "timeout", cause: null },
    ];
    const send = async (): Promise<HttpEnd> => ends.shift()!;
    const reads = ability.hearing(
      createReads(createGet({ send, close: async () => {} }, ""), { given: new Set(), isMissingEmpty: false }),
    );
    await reads.marketIds();
    expect(shown()?.answeredAgoMs).toBe(0);
    scene.advance(1000);
    await expect(reads.oracle(1)).rejects.toMatchObject({ code: "implausible" });
    expect(shown()?.answeredAgoMs).toBe(0);
    scene.advance(1000);
    await expect(reads.marketIds()).rejects.toMatchObject({ code: "malformed" });
    await expect(reads.marketIds()).rejects.toThrow("no answer in time");
    expect(shown()?.answeredAgoMs).toBe(1000);
  });

  test("not that a read was answered by an object that says nothing", async () => {
    const send = async (): Promise<HttpEnd> => ({ kind: "answered", httpStatus: 200, retryAfter: null, body: "{}" });
    const reads = ability.hearing(
      createReads(createGet({ send, close: async () => {} }, ""), { given: new Set(), isMissingEmpty: false }),
    );
    await Promise.all([reads.rateLimit(ME), reads.openOrderCap()]);
    expect(shown()?.answeredAgoMs).toBeNull();
  });

  test.each([
    ["lost", lost],
    ["rejected", rejected],
    ["not sent", notSent],
  ])("that a cancel was %s while its order rests, until one gets through", (_, outcome) => {
    expect(shown()?.cancelsSucceed).toBe(true);
    answer(outcome);
    expect(shown()?.cancelsSucceed).toBe(false);
    answer(refused);
    expect(shown()?.cancelsSucceed, "a refusal was executed").toBe(true);
    answer(outcome);
    scene.tell({ kind: "orderCanceled", accountId: ME, marketId: 1, orderId: orderId(7n), reason: "UserCanceled" });
    expect(shown()?.cancelsSucceed, "its order is gone").toBe(true);
  });

  test("nothing of a cancel that failed once a turn wants its order where it rests", () => {
    answer(notSent);
    ability.wants(ME, 1, [cancel]);
    expect(shown()?.cancelsSucceed, "it wants the order canceled").toBe(false);
    ability.wants(ME, 2, []);
    expect(shown()?.cancelsSucceed, "a turn of another market").toBe(false);
    ability.wants(ME, 1, []);
    expect(shown()?.cancelsSucceed).toBe(true);
  });

  test("that a cancel of a foreign order failed, whatever a turn wants", () => {
    scene.tell({ kind: "accountRead", account: account({ openOrders: [listed(7n), listed(9n)] }) });
    answer(notSent, { ...cancel, orderId: orderId(9n) });
    ability.wants(ME, 1, []);
    expect(shown()?.cancelsSucceed).toBe(false);
  });

  test("that a cancel failed while the next one is on its way, though the turn does not ask again", () => {
    answer(notSent);
    scene.tell({ kind: "sent", nonce: nonce(2n), command: cancel });
    ability.wants(ME, 1, []);
    expect(shown()?.cancelsSucceed).toBe(false);
  });

  test("nothing of a cancel whose order a CancelAllOrders took, though its last fills are pending", () => {
    answer(notSent);
    const cancelAll = { kind: "cancelAll", accountId: ME, marketId: 1, fences: null } as const;
    scene.tell({ kind: "sent", nonce: nonce(2n), command: cancelAll });
    scene.answer(2n, cancelAll, executedWith(canceledEvent(7n)));
    expect([...scene.state.accounts.get(ME)!.orders.fillsPending(1)]).toHaveLength(1);
    expect(shown()?.cancelsSucceed).toBe(true);
  });

  test.each([1, null])(
    "nothing of a cancel once all orders of market %s were canceled, though its order was not among them",
    (marketId) => {
      answer(lost);
      const all = { kind: "cancelAll", accountId: ME, fences: null } as const;
      answer(executedWith(), { ...all, marketId: 2 });
      expect(shown()?.cancelsSucceed, "another market").toBe(false);
      answer(lost, { ...all, marketId });
      expect(shown()?.cancelsSucceed, "nobody knows whether they were").toBe(false);
      answer(executedWith(), { ...all, marketId });
      expect(shown()?.cancelsSucceed).toBe(true);
    },
  );

  test("which orders of ours may rest, and no other's", () => {
    scene.tell({ kind: "accountRead", account: account({ openOrders: [listed(7n), listed(9n)] }) });
    expect(shown()?.resting).toEqual(["7"]);
  });

  test("until when the key may act", () => {
    expect(shown()?.keyLeftMs, "it has no end").toBeNull();
    const agents = [{ pubkey: "aa".repeat(32), name: "bot", expiresAtSec: (CHAIN_OFFSET_MS + 60_000) / 1000 }];
    scene.tell({ kind: "accountRead", account: account({ agents }) });
    expect(shown()?.keyLeftMs).toBe(60_000 - scene.nowMs());
    scene.advance(120_000);
    expect(shown()?.keyLeftMs, "it has ended").toBe(0);
    rekey(scene.state, ME, "bb".repeat(32));
    expect(shown()?.keyLeftMs, "it is not approved").toBe(0);
  });
});

describe("a watchdog may act, so that what is known of the account is to be read again,", () => {
  test("not while the daemon can act, nor in the first moments of a cut; from half of the silence on, until it can", () => {
    expect(pass(60_000, read)).toBe(false);
    expect(pass(4900)).toBe(false);
    expect(pass(200)).toBe(true);
    expect(pass(20_000)).toBe(false);
    expect(pass(100, read)).toBe(false);
  });

  test("where the key may not act, though the exchange answers", () => {
    scene.tell({ kind: "accountRead", account: account({ agents: [] }) });
    expect(pass(5500, read)).toBe(true);
    scene.tell({ kind: "accountRead", account: account() });
    expect(pass(100, read)).toBe(false);
  });

  test("where cancels fail, though the exchange answers", () => {
    pass(1000, read);
    answer(lost);
    expect(pass(5500, read)).toBe(true);
    answer(refused);
    expect(pass(100, read)).toBe(false);
  });
});
