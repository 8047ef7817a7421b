// Whether the daemon can act, as its heartbeat says, and when a watchdog may have acted for it.

import { beforeEach, describe, expect, test } from "vitest";
import { rekey } from "../../../../../src/bot/account/account-state.ts";
import { Ability } from "../../../../../src/bot/decider/acting/ability.ts";
import { reader } from "../../../../../src/bot/live/reads.ts";
import type { HttpEnd } from "../../../../../src/bot/venue/remote/http.ts";
import { createGet, createReads } from "../../../../../src/bot/venue/remote/reads.ts";
import type { CancelAllCommand, CancelCommand } from "../../../../../src/domain/command.ts";
import type { SubmitOutcome } from "../../../../../src/domain/event.ts";
import { nonce, orderId } from "../../../../../src/domain/units.ts";
import { type Instant, instantOf, macrotask } from "../../../../../src/kernel/clock.ts";
import {
  account,
  book,
  CHAIN_OFFSET_MS,
  canceledEvent,
  createScene,
  executedWith,
  feeTier,
  funding,
  listed,
  lost,
  ME,
  market,
  notSent,
  oracle,
  refused,
  rejected,
} from "../../scene.ts";
import { World } from "../../service/desks.ts";

const SILENCE_MS = 10_000;
const cancel: CancelCommand = { kind: "cancel", accountId: ME, marketId: 1, orderId: orderId(7n) };

let scene: ReturnType<typeof createScene>;
let ability: Ability;
/** What the wall clock counts beside the monotonic one. */
let asideMs: number;
const now = (): Instant => ({ monotonicMs: scene.nowMs(), wallMs: scene.nowMs() + asideMs });
beforeEach(() => {
  scene = createScene();
  asideMs = CHAIN_OFFSET_MS;
  scene.rest(1n, 7n);
  ability = new Ability(
    { silenceMs: SILENCE_MS },
    {
      state: scene.state,
      clock: { monotonicMs: scene.nowMs, wallMs: () => now().wallMs },
    },
  );
});

const unlimited = { requestsUsed: null, requestsCap: null, requestsRemaining: null };
const read = () => ability.answered();
const answer = (outcome: SubmitOutcome, command: CancelCommand | CancelAllCommand = cancel) =>
  ability.note({ kind: "answered", nonce: nonce(1n), command, outcome, receivedMs: scene.nowMs() });
const shown = () => ability.show(now())[0];
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

  test("when a fact was last read that only an exchange can tell, and nothing of one that may lack every field, nor of a frame", () => {
    const receivedMs = scene.nowMs();
    const at = { askedMs: receivedMs, receivedMs };
    ability.note({ kind: "openOrderCapRead", openOrderCap: null, ...at });
    ability.note({ kind: "rateLimitRead", accountId: ME, rateLimit: unlimited, ...at });
    ability.note({ kind: "implausibleRead", what: "oracle", marketId: 1, ...at });
    ability.note({ kind: "book", book: book(), receivedMs });
    expect(shown()?.answeredAgoMs).toBeNull();
    for (const event of [
      { kind: "marketRead", market: market() },
      { kind: "oracleRead", oracle: oracle() },
      { kind: "oracleHistoryRead", history: { marketId: 1, prices: [] } },
      { kind: "bookRead", book: book() },
      { kind: "fundingRead", funding: funding() },
      { kind: "accountRead", account: account() },
      { kind: "ordersRead", accountId: ME, orders: account() },
      { kind: "tradesRead", marketId: 1, trades: [] },
      { kind: "feeTiersRead", feeTiers: [feeTier] },
    ] as const) {
      scene.advance(1000);
      ability.note({ ...event, ...at });
      expect(shown()?.answeredAgoMs, event.kind).toBe(0);
    }
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
    asideMs = CHAIN_OFFSET_MS + 120_000;
    expect(shown()?.keyLeftMs, "by the machine's clock, which may be the right one, it has ended").toBe(0);
    asideMs = CHAIN_OFFSET_MS;
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

describe("the machine hears as an answer", () => {
  const answered = (body: string): HttpEnd => ({ kind: "answered", httpStatus: 200, retryAfter: null, body });
  const oracleOfAnother =
    '{"marketId":3,"price":"1","lastUpdateTimestamp":1,"lastUpdateDate":20260921,"validUntil":1,"status":"Active"}';

  /** Every read of a start ends so; when the exchange last answered, by the machine. */
  async function answeredAgoMs(end: HttpEnd): Promise<number | null | undefined> {
    const world = new World();
    const reads = createReads(createGet({ send: async () => end, close: async () => {} }, ""), {
      ...{ given: new Set(), isMissingEmpty: false },
    });
    const feed = world.driver.feed.bind(world.driver);
    const read = reader({ reads, clock: world.clock, feed, onFailure: () => {} });
    world.carryOut = (wanted) => {
      if (wanted.kind === "read") read(wanted);
    };
    feed({ kind: "start", lastOrderedMs: new Map() });
    await macrotask();
    return world.machine.acting.ability.show(instantOf(world.clock))[0]?.answeredAgoMs;
  }

  test.each([
    ["lists, folded or read alone", answered("[]")],
    ["what no market can be", answered(oracleOfAnother)],
  ])("%s", async (_, end) => {
    expect(await answeredAgoMs(end)).toBe(0);
  });

  test.each<readonly [string, HttpEnd]>([
    ["what is no JSON", answered("]")],
    ["an object that says nothing", answered("{}")],
    ["silence", { kind: "lost", why: "timeout", cause: null }],
  ])("forbidden: %s", async (_, end) => {
    expect(await answeredAgoMs(end)).toBeNull();
  });

  test("a list that is read alone, by itself", () => {
    const world = new World();
    world.driver.feed({ kind: "listed", read: 1, listed: { of: "positions", list: account() } });
    expect(world.machine.acting.ability.show(instantOf(world.clock))[0]?.answeredAgoMs).toBe(0);
  });
});
