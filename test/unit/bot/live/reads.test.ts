// What the machine wants read is asked, and what comes back is told under its number; so is what fails.

import { beforeEach, expect, test } from "vitest";
import type { InputBody } from "../../../../src/bot/decider/input.ts";
import type { Request } from "../../../../src/bot/decider/output.ts";
import { type ReadModules, reader } from "../../../../src/bot/live/reads.ts";
import { ReadError, type VenueReads } from "../../../../src/bot/venue/port.ts";
import { accountId as accountOf } from "../../../../src/domain/units.ts";
import { macrotask } from "../../../../src/kernel/clock.ts";
import { createVirtualClock, type VirtualClock } from "../../../../src/kernel/virtual-clock.ts";

const accountId = accountOf(12n);

let clock: VirtualClock;
let told: InputBody[];
let failures: { request: Request; error: unknown }[];
/** Why a read fails; null: none does. */
let failure: Error | null;
/** Answers wait here until the test lets them come. */
let answers: (() => void)[];

const NAMES = [
  ...["market", "oracle", "oracleHistory", "book", "funding", "trades", "feeTiers", "openOrderCap"],
  ...["account", "orders", "positions", "rateLimit"],
];

beforeEach(() => {
  clock = createVirtualClock({ startMs: 1_790_000_000_000 });
  told = [];
  failures = [];
  failure = null;
  answers = [];
});

function ask(request: Request, feed: ReadModules["feed"] = (one) => void told.push(one)): void {
  const answer = (what: string) => (of: unknown) =>
    new Promise((resolve, reject) => {
      answers.push(() => (failure === null ? resolve({ what, of }) : reject(failure)));
    });
  const reads = Object.fromEntries(NAMES.map((name) => [name, answer(name)])) as unknown as VenueReads;
  const onFailure = (of: Request, error: unknown): void => void failures.push({ request: of, error });
  reader({ reads, clock, feed, onFailure })({ kind: "read", read: 7, request });
}

async function answerAll(): Promise<void> {
  for (const come of answers.splice(0)) come();
  await macrotask();
}

const fact = (what: string, of?: unknown) => ({ what, of });

test.each<readonly [Request, object]>([
  [
    { kind: "market", marketId: 1 },
    { kind: "marketRead", market: fact("market", 1) },
  ],
  [
    { kind: "oracle", marketId: 1 },
    { kind: "oracleRead", oracle: fact("oracle", 1) },
  ],
  [
    { kind: "oracleHistory", marketId: 1 },
    { kind: "oracleHistoryRead", history: fact("oracleHistory", 1) },
  ],
  [
    { kind: "book", marketId: 1 },
    { kind: "bookRead", book: fact("book", 1) },
  ],
  [
    { kind: "funding", marketId: 1 },
    { kind: "fundingRead", funding: fact("funding", 1) },
  ],
  [
    { kind: "trades", marketId: 1 },
    { kind: "tradesRead", marketId: 1, trades: fact("trades", 1) },
  ],
  [
    { kind: "account", accountId },
    { kind: "accountRead", account: fact("account", accountId) },
  ],
  [
    { kind: "orders", accountId },
    { kind: "ordersRead", accountId, orders: fact("orders", accountId) },
  ],
  [
    { kind: "rateLimit", accountId },
    { kind: "rateLimitRead", accountId, rateLimit: fact("rateLimit", accountId) },
  ],
  [{ kind: "feeTiers" }, { kind: "feeTiersRead", feeTiers: fact("feeTiers") }],
  [{ kind: "openOrderCap" }, { kind: "openOrderCapRead", openOrderCap: fact("openOrderCap") }],
])("a fact is told as an event, with when it was asked and when it came: %o", async (request, event) => {
  ask(request);
  const askedMs = clock.monotonicMs();
  clock.advanceSync(40);
  await answerAll();
  expect(told).toEqual([{ kind: "event", read: 7, event: { ...event, askedMs, receivedMs: askedMs + 40 } }]);
  expect(failures).toEqual([]);
});

test.each([
  ["ordersAlone", "orders"],
  ["positions", "positions"],
] as const)("a list that is read alone is told as one: %s", async (kind, of) => {
  ask({ kind, accountId });
  await answerAll();
  expect(told).toEqual([{ kind: "listed", read: 7, listed: { of, list: fact(of, accountId) } }]);
});

test.each([
  [new Error("unreachable"), false],
  [new ReadError("implausible", "marginTiers: must begin with a row at 0"), true],
] as const)("what fails is told with why, and reported: %s", async (error, isImplausible) => {
  failure = error;
  ask({ kind: "market", marketId: 1 });
  await answerAll();
  expect(told).toEqual([{ kind: "unread", read: 7, unread: { why: error.message, isImplausible } }]);
  expect(failures).toEqual([{ request: { kind: "market", marketId: 1 }, error }]);
});

test("what throws while an answer is folded is a fault of ours, and no failed read", async () => {
  const fault = new Error("of ours");
  const listeners = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  try {
    const unhandled = new Promise((resolve) => process.once("unhandledRejection", resolve));
    ask({ kind: "market", marketId: 1 }, () => {
      throw fault;
    });
    await answerAll();
    expect(await unhandled).toBe(fault);
    expect(failures).toEqual([]);
  } finally {
    process.removeAllListeners("unhandledRejection");
    for (const listener of listeners) process.on("unhandledRejection", listener);
  }
});
