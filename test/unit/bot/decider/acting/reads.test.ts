// Reads that are due leave, once each, under a number; what fails changes nothing and is asked again; those of many markets leave in slices.

import { beforeEach, describe, expect, test } from "vitest";
import { createBotState } from "../../../../../src/bot/account/account-state.ts";
import { createAccountBook } from "../../../../../src/bot/accounting/account-book.ts";
import { Reads, SLICE } from "../../../../../src/bot/decider/acting/reads.ts";
import type { Output, Request } from "../../../../../src/bot/decider/output.ts";
import type { Answer, Work } from "../../../../../src/bot/decider/work.ts";
import { loopTiming } from "../../../../../src/bot/timing.ts";
import type { ReadEvent, VenueEvent } from "../../../../../src/domain/event.ts";
import { createVirtualClock, type VirtualClock } from "../../../../../src/kernel/virtual-clock.ts";
import { AGENT, account as accountAs, ME } from "../../scene.ts";

type Wanted = { readonly atMs: number; readonly read: number; readonly request: Request };

let clock: VirtualClock;
let wanted: Wanted[];
let folded: VenueEvent[];
let reads: Reads;

function begin(marketCount: number, after?: Work["after"]): void {
  clock = createVirtualClock({ startMs: 1_790_000_000_000 });
  wanted = [];
  folded = [];
  const put = (output: Output): void => {
    if (output.kind === "read") wanted.push({ atMs: clock.elapsedMs(), ...output });
  };
  const state = createBotState({
    readLagMaxMs: 3000,
    markets: Array.from({ length: marketCount }, (_, at) => at + 1),
    accounts: [{ accountId: ME, agentPubkey: AGENT, knownOrders: [], book: createAccountBook() }],
  });
  reads = new Reads({ state, clock, after: after ?? clock.after, put, fold: (event) => folded.push(event) });
}
beforeEach(() => begin(1));

const kinds = (): readonly string[] => wanted.map(({ request }) => request.kind);
const numberOf = (kind: Request["kind"]): number => wanted.findLast(({ request }) => request.kind === kind)?.read ?? 0;
const failed = { why: "unreachable", isImplausible: false };
const implausible = { why: "marginTiers: must begin with a row at 0", isImplausible: true };

describe("by the schedule", () => {
  test("at the start everything is read once, each under a number of its own", () => {
    reads.run();
    reads.run();
    const all = ["account", "book", "feeTiers", "funding", "market", "openOrderCap", "oracle", "rateLimit", "trades"];
    expect(kinds().toSorted()).toEqual(all.toSorted());
    expect(new Set(wanted.map(({ read }) => read)).size).toBe(all.length);
  });

  test("what came back is to be folded", () => {
    reads.run();
    expect(reads.takes(numberOf("market"))).toBe(true);
    expect(folded).toEqual([]);
  });

  test("what failed is folded never, and asked again soon", () => {
    reads.run();
    for (const { read } of [...wanted]) reads.unread(read, failed);
    expect(folded).toEqual([]);
    const markets = () => kinds().filter((kind) => kind === "market").length;
    reads.run();
    expect(markets(), "not at once").toBe(1);
    clock.advanceSync(600);
    reads.run();
    expect(markets()).toBe(2);
  });

  test("an implausible answer makes what it was about stale", () => {
    reads.run();
    const askedMs = clock.monotonicMs();
    clock.advanceSync(40);
    for (const { read } of [...wanted]) reads.unread(read, implausible);
    const times = { marketId: 1, askedMs, receivedMs: askedMs + 40 };
    const about = folded.map((event) => (event.kind === "implausibleRead" ? event.what : event.kind));
    expect(new Set(about)).toEqual(new Set(["funding", "market", "oracle"]));
    expect(folded).toContainEqual({ kind: "implausibleRead", what: "market", ...times });
  });

  test("stopped, nothing leaves, and what was on its way changes nothing", () => {
    reads.run();
    const left = wanted.length;
    reads.stop();
    const [first, ...others] = wanted.map(({ read }) => read);
    expect(reads.takes(first ?? 0)).toBe(false);
    for (const read of others) reads.unread(read, implausible);
    clock.advanceSync(60_000);
    reads.run();
    reads.tick();
    expect([wanted.length, folded]).toEqual([left, []]);
  });
});

describe("for somebody who waits", () => {
  const account = accountAs();
  const event = (): ReadEvent => ({ kind: "accountRead", account, askedMs: 0, receivedMs: clock.monotonicMs() });
  let answers: Answer<unknown>[];
  const onEnd = (answer: Answer<unknown>): void => void answers.push(answer);
  beforeEach(() => {
    answers = [];
  });

  test("a fact is told once it is folded, and once", () => {
    reads.readAccount(ME, onEnd);
    const read = numberOf("account");
    expect([reads.takes(read), answers]).toEqual([true, []]);
    reads.folded(read, event());
    reads.folded(read, event());
    expect(answers).toEqual([{ value: account }]);
  });

  test.each([
    ["orders", "ordersAlone", () => reads.listOrders(ME, onEnd)],
    ["positions", "positions", () => reads.listPositions(ME, onEnd)],
  ] as const)("a list of %s is told, and folded never", (of, kind, ask) => {
    ask();
    reads.listed(numberOf(kind), { of, list: account } as never);
    expect([answers, folded]).toEqual([[{ value: account }], []]);
  });

  test.each<readonly [Request["kind"], () => void]>([
    ["account", () => reads.readAccount(ME, onEnd)],
    ["trades", () => reads.readTrades(1, onEnd)],
    ["ordersAlone", () => reads.listOrders(ME, onEnd)],
    ["positions", () => reads.listPositions(ME, onEnd)],
  ])("what failed is told with why, whatever it was: %s", (kind, ask) => {
    ask();
    reads.unread(numberOf(kind), implausible);
    expect([answers, folded]).toEqual([[{ why: implausible.why }], []]);
  });

  test("forbidden: an answer of another kind", () => {
    reads.readTrades(1, onEnd);
    reads.folded(numberOf("trades"), event());
    reads.listOrders(ME, onEnd);
    reads.listed(numberOf("ordersAlone"), { of: "positions", list: account });
    expect(answers).toEqual(Array(2).fill({ why: "the answer is another read's" }));
  });

  test("edge: also once the schedule is stopped", () => {
    reads.stop();
    reads.readAccount(ME, onEnd);
    expect(reads.takes(numberOf("account"))).toBe(true);
    reads.folded(numberOf("account"), event());
    expect(answers).toHaveLength(1);
  });
});

describe("of many markets", () => {
  const COUNT = 3 * SLICE + 1;
  const books = (): readonly { readonly atMs: number; readonly marketId: number }[] =>
    wanted.flatMap(({ atMs, request }) => (request.kind === "book" ? { atMs, marketId: request.marketId } : []));
  const marketsOf = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at + 1);

  test("what fits in one slice leaves before the call returns, and the next round follows", () => {
    begin(SLICE);
    reads.tick();
    expect(books().map(({ marketId }) => marketId)).toEqual(marketsOf(SLICE));
    for (const { read } of [...wanted]) reads.unread(read, failed);
    clock.advanceSync(60_000);
    reads.tick();
    expect(books()).toHaveLength(2 * SLICE);
  });

  test("edge: without any market the accounts are read", () => {
    begin(0);
    reads.tick();
    expect(kinds()).toContain("account");
  });

  test("a longer round is spread over the period, in its order, and the next one follows it", () => {
    begin(COUNT);
    clock.every(loopTiming.tickMs, () => {
      for (const { read } of [...wanted]) reads.unread(read, failed);
      reads.tick();
    });
    clock.advanceSync(10_000);
    expect(
      books()
        .slice(0, COUNT)
        .map(({ marketId }) => marketId),
    ).toEqual(marketsOf(COUNT));
    const first = new Set(
      books()
        .slice(0, COUNT)
        .map(({ atMs }) => atMs),
    );
    expect([...first]).toEqual([100, 125, 150, 175]);
    for (const marketId of marketsOf(COUNT)) {
      const own = books().filter((book) => book.marketId === marketId);
      expect(own.length).toBeGreaterThan(1);
      expect(new Set(own.map(({ atMs }) => atMs % loopTiming.tickMs)).size).toBe(1);
    }
  });

  /** Slices that have not left, in their order. */
  let timers: (() => void)[];
  const collect: Work["after"] = (_, run) => {
    timers.push(run);
    return { cancel: () => {} };
  };
  beforeEach(() => {
    timers = [];
    begin(COUNT, collect);
    reads.tick();
  });

  test("edge: while a round is late the next is left out", () => {
    const [, second = () => {}, last = () => {}] = timers;
    timers[0]?.();
    second();
    reads.tick();
    expect(timers).toHaveLength(3);
    last();
    reads.tick();
    expect(timers).toHaveLength(6);
  });

  test("edge: slices whose timers run in another order are all of the round", () => {
    for (const run of timers.splice(0).reverse()) run();
    expect(
      books()
        .map(({ marketId }) => marketId)
        .toSorted((a, b) => a - b),
    ).toEqual(marketsOf(COUNT));
    reads.tick();
    expect(timers).toHaveLength(3);
  });
});
