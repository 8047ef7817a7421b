// A resync from outside: what is ours is canceled, nothing of ours changes anything for a while, and both witnesses say the same twice.

import { beforeEach, describe, expect, test } from "vitest";
import { wantResync } from "../../../../src/bot/account/account-orders.ts";
import { type BotState, createBotState } from "../../../../src/bot/account/account-state.ts";
import { type ResyncReason, resyncOf } from "../../../../src/bot/account/resync-reasons.ts";
import { createAccountBook, inventoryIn } from "../../../../src/bot/accounting/account-book.ts";
import { effectHandler } from "../../../../src/bot/decider/effects.ts";
import { fold } from "../../../../src/bot/decider/fold.ts";
import type { Execution } from "../../../../src/bot/execution/execution.ts";
import type { MassCancelResult } from "../../../../src/bot/execution/mass-cancel.ts";
import { Resyncs } from "../../../../src/bot/live/resyncs.ts";
import { createLog } from "../../../../src/bot/telemetry/log.ts";
import type { Account } from "../../../../src/domain/account.ts";
import type { CancelAllCommand, CancelCommand, Command } from "../../../../src/domain/command.ts";
import type { SubmitOutcome, VenueEvent } from "../../../../src/domain/event.ts";
import { type MarketId, nonce, orderId, size, usdc } from "../../../../src/domain/units.ts";
import { macrotask, sleep } from "../../../../src/kernel/clock.ts";
import { createVirtualClock, type VirtualClock } from "../../../../src/kernel/virtual-clock.ts";
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
} from "../scene.ts";
import { Desks } from "../service/desks.ts";

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
/** The truth, and what each witness shows instead of it. */
let exchange: {
  truth: Shown;
  account: () => Shown;
  orders: () => Shown;
  positions: () => Shown;
  answers: () => boolean;
  /** What its list of trades takes, in each market. */
  tradesMs: number;
  canceled: () => boolean;
};

beforeEach(() => {
  clock = createVirtualClock({ startMs: CHAIN_OFFSET_MS, settle: macrotask });
  world = new Desks();
  lines = [];
  massCancels = [];
  blind = [];
  readCount = 0;
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
  const read = async (shown: () => Shown): Promise<Account> => {
    readCount += 1;
    await sleep(clock, 1);
    if (!exchange.answers()) throw new Error("no answer");
    return accountAs(shown());
  };
  const modules = { state, desks: world.desks, clock, log };
  const massCancel = async ({ scope, isBlind }: Parameters<Execution["massCancel"]>[0]) => {
    massCancels.push(scope.marketId);
    blind.push(isBlind);
    // As the real one does where the exchange does not answer.
    if (!exchange.canceled()) await sleep(clock, 1000);
    return { confirmed: exchange.canceled() } as MassCancelResult;
  };
  resyncs = new Resyncs({
    ...modules,
    series: { resynced: () => {} },
    driver: { fold: apply, feed: (told) => told.kind === "trip" && world.desk().trip(told.latch, 0) },
    executions: new Map([[ME, { massCancel }]]),
    reads: {
      account: () => read(exchange.account),
      orders: () => read(exchange.orders),
      positions: () => read(exchange.positions),
      trades: async () => {
        await sleep(clock, exchange.tradesMs);
        return [];
      },
    },
  });
  handle = effectHandler({
    ...modules,
    put: (output) => output.kind === "resyncWanted" && resyncs.wanted(output.accountId),
    foreignActivity: { foreign: () => {}, ended: () => {} } as never,
    view: () => ({}) as never,
    later: (record) => record(),
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

/** A start where no life sent anything lately: live after two rounds. */
async function live(): Promise<void> {
  resyncs.start(() => Number.NEGATIVE_INFINITY);
  await clock.advance(ROUNDS_MS);
  expect(resyncing()).toBe(null);
  massCancels = [];
  readCount = 0;
}

describe("a start", () => {
  test("adopts what both witnesses say in two rounds, what is ours canceled before, and says so", async () => {
    exchange.truth = { positions: [position(2n)] };
    expect(resyncing()).toBe("start");
    resyncs.start(() => Number.NEGATIVE_INFINITY);
    await clock.advance(ROUNDS_MS);
    expect([resyncing(), inventory(), massCancels, readCount]).toEqual([null, 2n * CONTRACT, [null], 6]);
    expect(lines.join("")).toContain("account 12 is live: two reads of account");
  });

  test("asks only once nothing that an earlier run sent may have changed anything within the lag of a read", async () => {
    await clock.advance(1000);
    resyncs.start(() => clock.monotonicMs() - 1000);
    await clock.advance(LAG_MS - 1000 - 1);
    expect(readCount).toBe(0);
    await clock.advance(1 + ROUNDS_MS);
    expect(resyncing()).toBe(null);
  });

  test("asks the trades of all markets at once", async () => {
    exchange.tradesMs = 1000;
    exchange.truth = { positions: [1, 2, 3, 4, 5].map((marketId) => position(2n, 200n, { marketId })) };
    resyncs.start(() => Number.NEGATIVE_INFINITY);
    await clock.advance(2 * exchange.tradesMs + ROUNDS_MS);
    expect(resyncing()).toBe(null);
  });

  test("waits while cancels are not confirmed", async () => {
    exchange.canceled = () => false;
    resyncs.start(() => Number.NEGATIVE_INFINITY);
    await clock.advance(20_000);
    expect([resyncing(), readCount]).toEqual(["start", 0]);
    exchange.canceled = () => true;
    await clock.advance(1000 + ROUNDS_MS);
    expect(resyncing()).toBe(null);
  });

  test("stopped, adopts nothing further", async () => {
    resyncs.start(() => Number.NEGATIVE_INFINITY);
    resyncs.stop();
    await clock.advance(10_000);
    expect(resyncing()).toBe("start");
  });
});

describe("what is not there is not canceled", () => {
  const wanted = async (reason: ResyncReason): Promise<boolean | undefined> => {
    blind = [];
    want(null, reason);
    await clock.advance(20);
    return blind[0];
  };

  test("but at a start, where orders of earlier runs may rest that nobody here can name", async () => {
    resyncs.start(() => Number.NEGATIVE_INFINITY);
    await clock.advance(ROUNDS_MS);
    expect(blind).toEqual([true]);
    expect(await wanted("gap")).toBe(false);
  });

  test("and where an order has no name yet", async () => {
    await live();
    const sent = { nonce: nonce(5n), command: placeCommand() };
    apply({ kind: "sent", ...sent, receivedMs: clock.monotonicMs() });
    expect(await wanted("gap")).toBe(true);
    await clock.advance(LAG_MS + ROUNDS_MS);
    const named = executedWith(placedEvent(9n));
    apply({ kind: "answered", ...sent, outcome: named, receivedMs: clock.monotonicMs() });
    expect(await wanted("gap")).toBe(false);
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
  ])("with %s", async (_, command, outcome) => {
    await live();
    await clock.advance(10_000);
    answer(command, outcome);
    want(1);
    await clock.advance(LAG_MS - 1);
    expect(readCount).toBe(0);
    await clock.advance(1 + ROUNDS_MS);
    expect(resyncing()).toBe(null);
  });

  test.each<readonly [string, Command, SubmitOutcome]>([
    ["a CancelAllOrders that named nothing", cancelAll, executedWith()],
    ["what was refused", cancel, refused],
    ["what was rejected", placeCommand(), rejected],
    ["what was not sent", placeCommand(), notSent],
    ["a transaction in another market", { ...cancelAll, marketId: 2 }, executedWith(canceledEvent(7n))],
  ])("edge: not with %s", async (_, command, outcome) => {
    await live();
    await clock.advance(10_000);
    answer(command, outcome);
    want(1);
    await clock.advance(ROUNDS_MS);
    expect(resyncing()).toBe(null);
  });

  test("with a change between the two rounds, which begin again", async () => {
    await live();
    await clock.advance(10_000);
    want(1);
    await clock.advance(20);
    answer(cancel, executedWith(canceledEvent(7n)));
    const before = readCount;
    await clock.advance(LAG_MS - 20);
    expect(readCount - before).toBeLessThanOrEqual(3);
    expect(resyncing()).toBe("position");
    await clock.advance(20 + ROUNDS_MS);
    expect(resyncing()).toBe(null);
  });
});

describe("witnesses", () => {
  beforeEach(live);

  test.each<readonly [string, () => void]>([
    ["one list shows an order more", () => (exchange.orders = () => ({ openOrders: [listed(99n)] }))],
    ["one list lacks a position", () => (exchange.account = () => ({ positions: [] }))],
    ["one list shows another position", () => (exchange.positions = () => ({ positions: [position(3n)] }))],
  ])("that differ are asked again until they agree: %s", async (_, lie) => {
    exchange.truth = { positions: [position(2n)] };
    const truth = { ...exchange };
    lie();
    want(null);
    await clock.advance(5000);
    expect([resyncing(), latches()]).toEqual(["position", []]);
    expect(lines.join("")).toMatch(/disagree about (orders|positions); reading again/);
    Object.assign(exchange, truth);
    await clock.advance(5000);
    expect([resyncing(), inventory()]).toEqual([null, 2n * CONTRACT]);
  });

  test("that agree with each other and not with the round before are asked again", async () => {
    const shown = [1n, 1n, 1n, 2n, 2n, 2n];
    const show = () => ({ positions: [position(shown.shift() ?? 3n)] });
    Object.assign(exchange, { account: show, orders: show, positions: show });
    want(null);
    await clock.advance(ROUNDS_MS);
    expect(resyncing()).toBe("position");
    await clock.advance(1000);
    expect([resyncing(), inventory()]).toEqual([null, 3n * CONTRACT]);
  });

  test("that do not answer leave the account closed, without a latch, for as long as it takes", async () => {
    exchange.answers = () => false;
    want(null);
    await clock.advance(600_000);
    expect([resyncing(), latches()]).toEqual(["position", []]);
    expect(lines.join()).toContain("account 12 cannot resynchronize yet: no answer");
    exchange.answers = () => true;
    await clock.advance(1000);
    expect(resyncing()).toBe(null);
  });

  test("that disagree in ten answered rounds for more than a minute latch a mismatch, and not before", async () => {
    exchange.positions = () => ({ positions: [position(3n)] });
    want(null);
    await clock.advance(59_000);
    expect(latches()).toEqual([]);
    await clock.advance(15_000);
    expect(latches()).toEqual(["mismatch halted"]);
    expect(world.desk().latches[0]?.reason).toContain("disagreed about positions for more than a minute");
  });

  test("disagreement in between of which the exchange did not answer counts by its answered rounds alone", async () => {
    exchange.positions = () => ({ positions: [position(3n)] });
    let asked = 0;
    // Nine of ten rounds fail.
    exchange.answers = () => {
      asked += 1;
      return asked % 30 < 3;
    };
    want(null);
    await clock.advance(30_000);
    expect(latches()).toEqual([]);
  });

  test("that list an order of ours have it canceled again", async () => {
    const openOrders = [listed(7n)];
    exchange.account = () => ({ openOrders });
    exchange.orders = () => ({ openOrders });
    want(null);
    await clock.advance(2000);
    expect(massCancels.length).toBeGreaterThan(1);
    expect(massCancels.length, "not as fast as the exchange answers").toBeLessThan(12);
    expect(resyncing()).toBe("position");
    exchange.account = () => ({});
    exchange.orders = () => ({});
    await clock.advance(5000);
    expect(resyncing()).toBe(null);
  });

  test("of one market are not asked about another", async () => {
    exchange.account = () => ({ openOrders: [listed(99n, { marketId: 2 })] });
    want(1);
    await clock.advance(ROUNDS_MS);
    expect([resyncing(), massCancels]).toEqual([null, [1]]);
  });
});

test("what is wanted meanwhile follows: one market after the other, and the account covers both", async () => {
  await live();
  want(1);
  want(2);
  await clock.advance(2 * ROUNDS_MS);
  expect([resyncing(1), resyncing(2), massCancels]).toEqual([null, null, [1, 2]]);
  want(1);
  want(null, "gap");
  await clock.advance(3 * ROUNDS_MS);
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
  const moved = async (shown: Shown): Promise<void> => {
    exchange.truth = { positions: [position(2n)], ...shown };
    want(1);
    await clock.advance(ROUNDS_MS);
  };
  beforeEach(live);

  test("are not believed, whatever both witnesses say: a trade pays a fee; after a minute a mismatch latches", async () => {
    schedule(-1, 1);
    await moved({});
    expect([resyncing(), inventory()]).toEqual(["position", 0n]);
    expect(lines.join("")).toContain("disagree about positions; reading again");
    await clock.advance(75_000);
    expect([inventory(), latches()]).toEqual([0n, ["mismatch halted"]]);
    exchange.truth = {};
    await clock.advance(15_000);
    expect([resyncing(), inventory()]).toEqual([null, 0n]);
  });

  test.each([
    ["the money moved with them", [-1], { collateral: usdc(99_999_999_999n) }],
    ["an order may fill without a fee", [-1, 0], {}],
    ["nobody has read what fees there are", null, {}],
  ] as const)("are booked where %s", async (_, feesBps, shown) => {
    if (feesBps !== null) schedule(...feesBps);
    await moved(shown);
    expect([resyncing(), inventory()]).toEqual([null, 2n * CONTRACT]);
  });
});

describe("contracts that no fill names", () => {
  const moveTo = async (contracts: bigint): Promise<void> => {
    exchange.truth = { positions: [position(contracts)] };
    want(1);
    await clock.advance(ROUNDS_MS);
    expect([resyncing(), inventory()]).toEqual([null, contracts * CONTRACT]);
  };

  test("are booked, reported and counted; the second time within ten minutes latches", async () => {
    await live();
    await moveTo(2n);
    expect(latches()).toEqual([]);
    expect(lines.join("")).toContain("from 0 to 2 contracts; no fill explains 2 of it");
    await clock.advance(599_000);
    await moveTo(1n);
    expect(latches()).toEqual(["mismatch halted"]);
  });

  test("edge: not after more than ten minutes", async () => {
    await live();
    await moveTo(2n);
    await clock.advance(600_001);
    await moveTo(1n);
    expect(latches()).toEqual([]);
  });

  test("may be a lost answer's: as many as it could have filled are no news", async () => {
    await live();
    const command = placeCommand({ size: size(2n * CONTRACT) });
    const times = { nonce: nonce(5n), command, receivedMs: clock.monotonicMs() };
    apply({ kind: "sent", ...times });
    apply({ kind: "answered", outcome: lost, ...times });
    apply({ kind: "resolved", verdict: "landed", ...times });
    exchange.truth = { positions: [position(2n)] };
    await clock.advance(ROUNDS_MS);
    expect([resyncing(), inventory()]).toEqual([null, 2n * CONTRACT]);
    expect(lines.join("")).not.toContain("no fill explains");
  });
});
