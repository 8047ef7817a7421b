// A resync from outside: what is ours is canceled, nothing of ours changes anything for a while, and both witnesses say the same twice.

import { beforeEach, describe, expect, test } from "vitest";
import { wantResync } from "../../../../../src/bot/account/account-orders.ts";
import { type BotState, createBotState } from "../../../../../src/bot/account/account-state.ts";
import { type ResyncReason, resyncOf } from "../../../../../src/bot/account/resync-reasons.ts";
import { createAccountBook, inventoryIn } from "../../../../../src/bot/accounting/account-book.ts";
import type { MassCancelResult } from "../../../../../src/bot/decider/acting/mass-cancel.ts";
import { type ResyncModules, Resyncs } from "../../../../../src/bot/decider/acting/resyncs.ts";
import { effectHandler } from "../../../../../src/bot/decider/effects.ts";
import { fold } from "../../../../../src/bot/decider/fold.ts";
import type { Answer } from "../../../../../src/bot/decider/work.ts";
import { createLog } from "../../../../../src/bot/telemetry/log.ts";
import type { Account } from "../../../../../src/domain/account.ts";
import type { CancelAllCommand, CancelCommand, Command } from "../../../../../src/domain/command.ts";
import type { SubmitOutcome, VenueEvent } from "../../../../../src/domain/event.ts";
import { type AccountId, type MarketId, nonce, orderId, size, usdc } from "../../../../../src/domain/units.ts";
import { createVirtualClock, type VirtualClock } from "../../../../../src/kernel/virtual-clock.ts";
import {
  AGENT,
  account as accountAs,
  CHAIN_OFFSET_MS,
  CONTRACT,
  canceledEvent,
  executedWith,
  listed,
  lost,
  ME,
  notSent,
  placeCommand,
  placedEvent,
  position,
  refused,
  rejected,
} from "../../scene.ts";
import { Desks } from "../../service/desks.ts";

const LAG_MS = 3000;
/** What two rounds of both witnesses take, the exchange answering at once. */
const ROUNDS_MS = 150;

type Shown = Partial<Pick<Account, "openOrders" | "positions" | "collateral">>;

let clock: VirtualClock;
let world: Desks;
let state: BotState;
let resyncs: Resyncs;
let lines: string[];
let massCancels: (MarketId | null)[];
/** Whether each of them was blind. */
let blind: (boolean | undefined)[];
let readCount: number;
let tradeReads: number;
/** The truth, and what each witness shows instead of it. */
let exchange: {
  truth: Shown;
  account: () => Shown;
  orders: () => Shown;
  positions: () => Shown;
  answers: (what: "account" | "orders" | "positions" | "trades") => boolean;
  /** What its list of trades takes, in each market. */
  tradesMs: number;
  canceled: () => boolean;
};

beforeEach(() => {
  clock = createVirtualClock({ startMs: CHAIN_OFFSET_MS });
  world = new Desks();
  lines = [];
  massCancels = [];
  blind = [];
  readCount = 0;
  tradeReads = 0;
  const truth = (): Shown => exchange.truth;
  const yes = (): boolean => true;
  exchange = { truth: {}, account: truth, orders: truth, positions: truth, answers: yes, tradesMs: 0, canceled: yes };
  state = createBotState({
    readLagMaxMs: LAG_MS,
    markets: [1, 2],
    accounts: [{ accountId: ME, agentPubkey: AGENT, knownOrders: [orderId(7n)], book: createAccountBook() }],
  });
  expect(state.readLagMaxMs).toBe(LAG_MS);
  const log = createLog("info", { write: (line) => lines.push(line), terminal: false, wallMs: () => 0 });
  const modules = { state, desks: world.desks, clock, log };
  const read = (what: "account" | "orders" | "positions", onEnd: (answer: Answer<Account>) => void): void => {
    readCount += 1;
    clock.after(1, () => onEnd(exchange.answers(what) ? { value: accountAs(exchange[what]()) } : { why: "no answer" }));
  };
  const start: ResyncModules["massCancels"]["start"] = (_, { scope, isBlind }, isOver, onEnd) => {
    massCancels.push(scope.marketId);
    blind.push(isBlind);
    const confirmed = exchange.canceled();
    // As the real one does where the exchange does not answer.
    const forMs = confirmed ? 0 : 1000;
    clock.after(forMs, () => onEnd({ confirmed: confirmed && !isOver() } as MassCancelResult));
  };
  resyncs = new Resyncs({
    ...modules,
    massCancels: { start },
    adopt: apply,
    trip: (latch) => world.desk().trip(latch, 0),
    work: {
      clock,
      after: clock.after,
      readAccount(_, onEnd) {
        const askedMs = clock.monotonicMs();
        read("account", (answer) => {
          const receivedMs = clock.monotonicMs();
          if ("value" in answer) apply({ kind: "accountRead", account: answer.value, askedMs, receivedMs });
          onEnd(answer);
        });
      },
      listOrders: (_, onEnd) => read("orders", onEnd),
      listPositions: (_, onEnd) => read("positions", onEnd),
      readTrades(_, onEnd) {
        tradeReads += 1;
        const answer = () => onEnd(exchange.answers("trades") ? { value: [] } : { why: "no trades" });
        clock.after(exchange.tradesMs, answer);
      },
    },
  });
  handle = effectHandler({
    ...modules,
    put: (output) => output.kind === "resyncWanted" && resyncs.wanted(output.accountId),
    foreignActivity: { foreign: () => {}, ended: () => {} } as never,
    view: () => ({}) as never,
    later: (record) => record(),
    read: () => {},
    cancel: () => {},
  });
});

let handle: ReturnType<typeof effectHandler>;
function apply(event: VenueEvent): void {
  for (const effect of fold(state, event)) handle(effect, event);
}

const me = () => state.accounts.get(ME)!;
const resyncing = (marketId = 1) => resyncOf(me(), marketId)?.reason ?? null;
const latches = () => world.desk().latches.map(({ kind, holds }) => `${kind} ${holds}`);
const inventory = () => inventoryIn(me().book, 1);
const want = (marketId: MarketId | null, reason: ResyncReason = "position"): void => {
  for (const effect of wantResync(me(), marketId, reason, clock.monotonicMs())) handle(effect, {} as never);
};
const answer = (command: Command, outcome: SubmitOutcome): void =>
  resyncs.note({ kind: "answered", nonce: nonce(1n), command, outcome, receivedMs: clock.monotonicMs() });
const cancelAll: CancelAllCommand = { kind: "cancelAll", accountId: ME, marketId: 1, fences: null };
const cancel: CancelCommand = { kind: "cancel", accountId: ME, marketId: 1, orderId: orderId(7n) };

/** No earlier run sent anything. */
const never: ReadonlyMap<AccountId, number> = new Map();

/** A start where no life sent anything lately: live after two rounds. */
function live(): void {
  resyncs.start(never);
  clock.advanceSync(ROUNDS_MS);
  expect(resyncing()).toBe(null);
  massCancels = [];
  readCount = 0;
}

describe("a start", () => {
  test("adopts what both witnesses say in two rounds, what is ours canceled before, and says so", () => {
    exchange.truth = { positions: [position(2n)] };
    expect(resyncing()).toBe("start");
    resyncs.start(never);
    clock.advanceSync(ROUNDS_MS);
    expect([resyncing(), inventory(), massCancels, readCount]).toEqual([null, 2n * CONTRACT, [null], 6]);
    expect(lines.join("")).toContain("account 12 is live: two reads of account");
  });

  test("asks only once nothing that an earlier run sent may have changed anything within the lag of a read", () => {
    clock.advanceSync(1000);
    resyncs.start(new Map([[ME, clock.monotonicMs() - 1000]]));
    clock.advanceSync(LAG_MS - 1000 - 1);
    expect(readCount).toBe(0);
    clock.advanceSync(1 + ROUNDS_MS);
    expect(resyncing()).toBe(null);
  });

  test("asks the trades of all markets at once", () => {
    exchange.tradesMs = 1000;
    exchange.truth = { positions: [1, 2, 3, 4, 5].map((marketId) => position(2n, 200n, { marketId })) };
    resyncs.start(never);
    clock.advanceSync(2 * exchange.tradesMs + ROUNDS_MS);
    expect(resyncing()).toBe(null);
  });

  test("waits while cancels are not confirmed", () => {
    exchange.canceled = () => false;
    resyncs.start(never);
    clock.advanceSync(20_000);
    expect([resyncing(), readCount]).toEqual(["start", 0]);
    exchange.canceled = () => true;
    clock.advanceSync(1000 + ROUNDS_MS);
    expect(resyncing()).toBe(null);
  });

  test("stopped, adopts nothing further", () => {
    resyncs.start(never);
    resyncs.stop();
    clock.advanceSync(10_000);
    expect(resyncing()).toBe("start");
  });
});

test("stopped while both witnesses are asked, neither reads trades nor adopts", () => {
  resyncs.start(never);
  clock.advanceSync(0.5);
  expect(readCount).toBe(3);
  resyncs.stop();
  clock.advanceSync(10_000);
  expect([readCount, tradeReads, resyncing()]).toEqual([3, 0, "start"]);
});

describe("what is not there is not canceled", () => {
  const wanted = (reason: ResyncReason): boolean | undefined => {
    blind = [];
    want(null, reason);
    clock.advanceSync(20);
    return blind[0];
  };

  test("but at a start, where orders of earlier runs may rest that nobody here can name", () => {
    resyncs.start(never);
    clock.advanceSync(ROUNDS_MS);
    expect(blind).toEqual([true]);
    expect(wanted("gap")).toBe(false);
  });

  test("and where an order has no name yet", () => {
    live();
    const sent = { nonce: nonce(5n), command: placeCommand() };
    apply({ kind: "sent", ...sent, receivedMs: clock.monotonicMs() });
    expect(wanted("gap")).toBe(true);
    clock.advanceSync(LAG_MS + ROUNDS_MS);
    const named = executedWith(placedEvent(9n));
    apply({ kind: "answered", ...sent, outcome: named, receivedMs: clock.monotonicMs() });
    expect(wanted("gap")).toBe(false);
  });
});

describe("quiet begins again", () => {
  test.each<readonly [string, Command, SubmitOutcome]>([
    ["a place that was executed", placeCommand(), executedWith(placedEvent(9n))],
    ["one whose answer was lost", placeCommand(), lost],
    ["a success without its event", placeCommand(), executedWith()],
    ["a cancel that was executed", cancel, executedWith(canceledEvent(7n))],
    ["a CancelAllOrders that named an order", cancelAll, executedWith(canceledEvent(7n))],
    ["a CancelAllOrders whose answer was lost", cancelAll, lost],
  ])("with %s", (_, command, outcome) => {
    live();
    clock.advanceSync(10_000);
    answer(command, outcome);
    want(1);
    clock.advanceSync(LAG_MS - 1);
    expect(readCount).toBe(0);
    clock.advanceSync(1 + ROUNDS_MS);
    expect(resyncing()).toBe(null);
  });

  test.each<readonly [string, Command, SubmitOutcome]>([
    ["a CancelAllOrders that named nothing", cancelAll, executedWith()],
    ["what was refused", cancel, refused],
    ["what was rejected", placeCommand(), rejected],
    ["what was not sent", placeCommand(), notSent],
    ["a transaction in another market", { ...cancelAll, marketId: 2 }, executedWith(canceledEvent(7n))],
  ])("edge: not with %s", (_, command, outcome) => {
    live();
    clock.advanceSync(10_000);
    answer(command, outcome);
    want(1);
    clock.advanceSync(ROUNDS_MS);
    expect(resyncing()).toBe(null);
  });

  test("with a fill that a frame tells of", () => {
    live();
    clock.advanceSync(10_000);
    resyncs.filled(ME, 1);
    want(1);
    clock.advanceSync(LAG_MS - 1);
    expect(readCount).toBe(0);
    clock.advanceSync(1 + ROUNDS_MS);
    expect(resyncing()).toBe(null);
  });

  test("with a change between the two rounds, which begin again", () => {
    live();
    clock.advanceSync(10_000);
    want(1);
    clock.advanceSync(20);
    answer(cancel, executedWith(canceledEvent(7n)));
    const before = readCount;
    clock.advanceSync(LAG_MS - 20);
    expect(readCount - before).toBeLessThanOrEqual(3);
    expect(resyncing()).toBe("position");
    clock.advanceSync(20 + ROUNDS_MS);
    expect(resyncing()).toBe(null);
  });
});

describe("witnesses", () => {
  beforeEach(live);

  test.each<readonly [string, () => void]>([
    ["one list shows an order more", () => (exchange.orders = () => ({ openOrders: [listed(99n)] }))],
    ["one list lacks a position", () => (exchange.account = () => ({ positions: [] }))],
    ["one list shows another position", () => (exchange.positions = () => ({ positions: [position(3n)] }))],
  ])("that differ are asked again until they agree: %s", (_, lie) => {
    exchange.truth = { positions: [position(2n)] };
    const truth = { ...exchange };
    lie();
    want(null);
    clock.advanceSync(5000);
    expect([resyncing(), latches()]).toEqual(["position", []]);
    expect(lines.join("")).toMatch(/disagree about (orders|positions); reading again/);
    Object.assign(exchange, truth);
    clock.advanceSync(5000);
    expect([resyncing(), inventory()]).toEqual([null, 2n * CONTRACT]);
  });

  test("that agree with each other and not with the round before are asked again", () => {
    const shown = [1n, 1n, 1n, 2n, 2n, 2n];
    const show = () => ({ positions: [position(shown.shift() ?? 3n)] });
    Object.assign(exchange, { account: show, orders: show, positions: show });
    want(null);
    clock.advanceSync(ROUNDS_MS);
    expect(resyncing()).toBe("position");
    clock.advanceSync(1000);
    expect([resyncing(), inventory()]).toEqual([null, 3n * CONTRACT]);
  });

  test("that do not answer leave the account closed, without a latch, for as long as it takes", () => {
    exchange.answers = () => false;
    want(null);
    clock.advanceSync(600_000);
    expect([resyncing(), latches()]).toEqual(["position", []]);
    expect(lines.join()).toContain("account 12 cannot resynchronize yet: no answer");
    exchange.answers = () => true;
    clock.advanceSync(1000);
    expect(resyncing()).toBe(null);
  });

  test.each(["account", "orders", "positions", "trades"] as const)(
    "of which one does not answer are asked again: %s",
    (silent) => {
      exchange.answers = (what) => what !== silent;
      want(null);
      clock.advanceSync(10_000);
      expect([resyncing(), latches()]).toEqual(["position", []]);
      expect(lines.join()).toContain("account 12 cannot resynchronize yet: no ");
      exchange.answers = () => true;
      clock.advanceSync(1000);
      expect(resyncing()).toBe(null);
    },
  );

  test("that disagree in ten answered rounds for more than a minute latch a mismatch, and not before", () => {
    exchange.positions = () => ({ positions: [position(3n)] });
    want(null);
    clock.advanceSync(59_000);
    expect(latches()).toEqual([]);
    clock.advanceSync(15_000);
    expect(latches()).toEqual(["mismatch halted"]);
    expect(world.desk().latches[0]?.reason).toContain("disagreed about positions for more than a minute");
  });

  test("disagreement in between of which the exchange did not answer counts by its answered rounds alone", () => {
    exchange.positions = () => ({ positions: [position(3n)] });
    let asked = 0;
    // Nine of ten rounds fail.
    exchange.answers = () => {
      asked += 1;
      return asked % 30 < 3;
    };
    want(null);
    clock.advanceSync(30_000);
    expect(latches()).toEqual([]);
  });

  test("that list an order of ours have it canceled again", () => {
    const openOrders = [listed(7n)];
    exchange.account = () => ({ openOrders });
    exchange.orders = () => ({ openOrders });
    want(null);
    clock.advanceSync(2000);
    expect(massCancels.length).toBeGreaterThan(1);
    expect(massCancels.length, "not as fast as the exchange answers").toBeLessThan(12);
    expect(resyncing()).toBe("position");
    exchange.account = () => ({});
    exchange.orders = () => ({});
    clock.advanceSync(5000);
    expect(resyncing()).toBe(null);
  });

  test("of one market are not asked about another", () => {
    exchange.account = () => ({ openOrders: [listed(99n, { marketId: 2 })] });
    want(1);
    clock.advanceSync(ROUNDS_MS);
    expect([resyncing(), massCancels]).toEqual([null, [1]]);
  });
});

test("what is wanted meanwhile follows: one market after the other, and the account covers both", () => {
  live();
  want(1);
  want(2);
  clock.advanceSync(2 * ROUNDS_MS);
  expect([resyncing(1), resyncing(2), massCancels]).toEqual([null, null, [1, 2]]);
  want(1);
  want(null, "gap");
  clock.advanceSync(3 * ROUNDS_MS);
  expect([resyncing(1), resyncing(2)]).toEqual([null, null]);
});

describe("contracts that no fill names and no money shows", () => {
  const tier = (makerFeeBps: number) => ({
    assetClass: "RealEstate",
    minVolume30d: usdc(0n),
    makerFeeBps,
    takerFeeBps: 5,
  });
  const schedule = (...feesBps: number[]): void => {
    const receivedMs = clock.monotonicMs();
    apply({ kind: "feeTiersRead", feeTiers: feesBps.map(tier), askedMs: receivedMs, receivedMs });
  };
  const moved = (shown: Shown): void => {
    exchange.truth = { positions: [position(2n)], ...shown };
    want(1);
    clock.advanceSync(ROUNDS_MS);
  };
  beforeEach(live);

  test("are not believed, whatever both witnesses say: a trade pays a fee; after a minute a mismatch latches", () => {
    schedule(-1, 1);
    moved({});
    expect([resyncing(), inventory()]).toEqual(["position", 0n]);
    expect(lines.join("")).toContain("disagree about positions; reading again");
    clock.advanceSync(75_000);
    expect([inventory(), latches()]).toEqual([0n, ["mismatch halted"]]);
    exchange.truth = {};
    clock.advanceSync(15_000);
    expect([resyncing(), inventory()]).toEqual([null, 0n]);
  });

  test.each([
    ["the money moved with them", [-1], { collateral: usdc(99_999_999_999n) }],
    ["an order may fill without a fee", [-1, 0], {}],
    ["nobody has read what fees there are", null, {}],
  ] as const)("are booked where %s", (_, feesBps, shown) => {
    if (feesBps !== null) schedule(...feesBps);
    moved(shown);
    expect([resyncing(), inventory()]).toEqual([null, 2n * CONTRACT]);
  });
});

describe("contracts that no fill names", () => {
  const moveTo = (contracts: bigint): void => {
    exchange.truth = { positions: [position(contracts)] };
    want(1);
    clock.advanceSync(ROUNDS_MS);
    expect([resyncing(), inventory()]).toEqual([null, contracts * CONTRACT]);
  };

  test("are booked, reported and counted; the second time within ten minutes latches", () => {
    live();
    moveTo(2n);
    expect(latches()).toEqual([]);
    expect(lines.join("")).toContain("from 0 to 2 contracts; no fill explains 2 of it");
    clock.advanceSync(599_000);
    moveTo(1n);
    expect(latches()).toEqual(["mismatch halted"]);
  });

  test("edge: not after more than ten minutes", () => {
    live();
    moveTo(2n);
    clock.advanceSync(600_001);
    moveTo(1n);
    expect(latches()).toEqual([]);
  });

  test("may be a lost answer's: as many as it could have filled are no news", () => {
    live();
    const command = placeCommand({ size: size(2n * CONTRACT) });
    const times = { nonce: nonce(5n), command, receivedMs: clock.monotonicMs() };
    apply({ kind: "sent", ...times });
    apply({ kind: "answered", outcome: lost, ...times });
    apply({ kind: "resolved", verdict: "landed", ...times });
    exchange.truth = { positions: [position(2n)] };
    clock.advanceSync(ROUNDS_MS);
    expect([resyncing(), inventory()]).toEqual([null, 2n * CONTRACT]);
    expect(lines.join("")).not.toContain("no fill explains");
  });
});
