// Reads that are due leave, once each, and what comes back is folded; what fails changes nothing and is asked again.

import { beforeEach, expect, test } from "vitest";
import { createBotState } from "../../../../src/bot/account/account-state.ts";
import { createAccountBook } from "../../../../src/bot/accounting/account-book.ts";
import { createReadLoop, type ReadLoop, type ReadModules, readAccount } from "../../../../src/bot/live/reads.ts";
import type { ReadRequest } from "../../../../src/bot/market/schedule.ts";
import { VenueError, type VenueReads } from "../../../../src/bot/venue/port.ts";
import type { ReadEvent } from "../../../../src/domain/event.ts";
import { accountId } from "../../../../src/domain/units.ts";
import { macrotask } from "../../../../src/kernel/clock.ts";
import { createVirtualClock, type VirtualClock } from "../../../../src/kernel/virtual-clock.ts";

const account = accountId(12n);

let clock: VirtualClock;
let asked: string[];
let folded: ReadEvent[];
let failures: { request: ReadRequest; error: unknown }[];
/** Answers wait here until the test lets them come. */
let answers: (() => void)[];
let fails: boolean;
let loop: ReadLoop;
let reads: VenueReads;

beforeEach(() => {
  clock = createVirtualClock({ startMs: 1_790_000_000_000, settle: macrotask });
  asked = [];
  folded = [];
  failures = [];
  answers = [];
  fails = false;
  const answer = (what: string) => (): Promise<never> => {
    asked.push(what);
    return new Promise((resolve, reject) => {
      answers.push(() => (fails ? reject(new Error("unreachable")) : resolve({ what } as never)));
    });
  };
  const names = [
    "market",
    "oracle",
    "oracleHistory",
    "book",
    "funding",
    "trades",
    "feeTiers",
    "openOrderCap",
    "account",
    "rateLimit",
  ];
  reads = Object.fromEntries(names.map((name) => [name, answer(name)])) as unknown as VenueReads;
  loop = createReadLoop(modules());
});

const modules = (): ReadModules => ({
  state: createBotState({
    readLagMaxMs: 3000,
    markets: [1],
    accounts: [{ accountId: account, agentPubkey: "ab", knownOrders: [], book: createAccountBook() }],
  }),
  reads,
  clock,
  apply: (event) => folded.push(event),
  onFailure: (request, error) => failures.push({ request, error }),
});

async function answerAll(): Promise<void> {
  for (const come of answers.splice(0)) come();
  await macrotask();
}

test("at the start everything is read once", async () => {
  loop.run();
  loop.run();
  expect(asked.toSorted()).toEqual(
    ["account", "book", "feeTiers", "funding", "market", "openOrderCap", "oracle", "rateLimit", "trades"].toSorted(),
  );
});

test("an answer is folded with when it was asked and when it came", async () => {
  loop.run();
  await clock.advance(40);
  await answerAll();
  expect(folded).toContainEqual({
    kind: "marketRead",
    market: { what: "market" },
    askedMs: folded[0]?.askedMs,
    receivedMs: (folded[0]?.askedMs ?? 0) + 40,
  });
  expect(folded.find(({ kind }) => kind === "rateLimitRead")).toMatchObject({ accountId: account });
  expect(folded.find(({ kind }) => kind === "tradesRead")).toMatchObject({ marketId: 1 });
  expect(failures).toEqual([]);
});

test("what fails is told, folded never, and asked again soon", async () => {
  fails = true;
  loop.run();
  const first = asked.length;
  await answerAll();
  expect(folded).toEqual([]);
  expect(failures).toHaveLength(first);
  expect(failures[0]?.error).toEqual(new Error("unreachable"));
  const market = () => asked.filter((what) => what === "market").length;
  loop.run();
  expect(market(), "not at once").toBe(1);
  await clock.advance(600);
  loop.run();
  expect(market()).toBe(2);
});

test("an implausible answer is told, and makes what it was about stale", async () => {
  reads = {
    ...reads,
    market: () => Promise.reject(new VenueError("implausible", "marginTiers: must begin with a row at 0")),
  };
  loop = createReadLoop({ ...modules(), reads });
  loop.run();
  await macrotask();
  const times = { askedMs: expect.any(Number), receivedMs: expect.any(Number) };
  expect(folded).toEqual([{ kind: "implausibleRead", what: "market", marketId: 1, ...times }]);
  expect(failures).toHaveLength(1);
});

test("what throws while an answer is folded is a fault of ours, and no failed read", async () => {
  const fault = new Error("of ours");
  const apply = ({ kind }: ReadEvent): void => {
    if (kind === "marketRead") throw fault;
  };
  loop = createReadLoop({ ...modules(), apply });
  const listeners = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  try {
    const unhandled = new Promise((resolve) => process.once("unhandledRejection", resolve));
    loop.run();
    await answerAll();
    expect(await unhandled).toBe(fault);
    expect(failures).toEqual([]);
  } finally {
    process.removeAllListeners("unhandledRejection");
    for (const listener of listeners) process.on("unhandledRejection", listener);
  }
});

test("stopped, nothing leaves, and what was on its way changes nothing", async () => {
  loop.run();
  const left = asked.length;
  loop.stop();
  await answerAll();
  await clock.advance(60_000);
  loop.run();
  expect([asked.length, folded, failures]).toEqual([left, [], []]);
});

test("an account read for somebody who waits for it is folded, with the time of its question; one that failed rejects", async () => {
  const read = () => readAccount(account, { reads, clock, apply: (event) => folded.push(event) });
  const reading = read();
  await clock.advance(600);
  await answerAll();
  expect(await reading).toMatchObject({ what: "account" });
  expect(folded.map(({ askedMs, receivedMs }) => receivedMs - askedMs)).toEqual([600]);
  fails = true;
  const failing = expect(read()).rejects.toThrow("unreachable");
  await answerAll();
  await failing;
  expect([asked.length, folded.length]).toEqual([2, 1]);
});
