// Questions to the ledger over HTTP: one after the other, in a thread that is started again after it has failed, and never too many.

import { EventEmitter } from "node:events";
import { beforeEach, expect, test } from "vitest";
import { type LedgerQuestions, ledgerQuestions } from "../../../../src/daemon/ledger/questions.ts";
import type { Thread } from "../../../../src/host/host.ts";
import { microtasks } from "../../../../src/kernel/clock.ts";
import { createVirtualClock } from "../../../../src/kernel/virtual-clock.ts";

let clock: ReturnType<typeof createVirtualClock>;
/** Each started thread with what it was asked. */
let threads: (EventEmitter & { readonly asked: unknown[]; isOver: boolean })[];
let questions: LedgerQuestions;
let cannotStart: boolean;

beforeEach(() => {
  clock = createVirtualClock({ startMs: 0, settle: microtasks });
  threads = [];
  cannotStart = false;
  const startThread = (): Thread => {
    if (cannotStart) throw new Error("no memory");
    const thread = Object.assign(new EventEmitter(), {
      asked: [] as unknown[],
      isOver: false,
      postMessage: (message: unknown) => void thread.asked.push(message),
      cpuUsage: () => Promise.reject(new Error("not asked here")),
      unref: () => undefined,
      terminate: async () => {
        thread.isOver = true;
      },
    });
    threads.push(thread);
    return thread;
  };
  questions = ledgerQuestions("quoin.sqlite", [], { clock, startThread });
});

const ask = async (query = "", kind = "trades") => {
  const route = questions.routes.get(`GET /${kind}.json`);
  const request = { path: "", query: new URLSearchParams(query), body: "", isAdmin: false, token: null };
  const answer = await route?.(request);
  return [answer?.status, JSON.parse(answer?.body ?? "null")] as const;
};

test("a malformed question starts no thread", async () => {
  expect(await ask("limit=0")).toEqual([400, { error: expect.stringContaining("limit") }]);
  expect(threads).toEqual([]);
});

test("the second waits for the first, in one thread", async () => {
  const [first, second] = [ask("limit=1"), ask("limit=2")];
  await microtasks();
  expect(threads.map(({ asked }) => asked.length)).toEqual([1]);
  threads[0]?.emit("message", { answer: { trades: [] } });
  expect(await first).toEqual([200, { trades: [] }]);
  await microtasks();
  expect(threads.map(({ asked }) => asked.length)).toEqual([2]);
  threads[0]?.emit("message", { fault: "it is damaged" });
  expect(await second).toEqual([503, { error: "the ledger: it is damaged" }]);
});

test("a thread that does not answer, or fails, is ended, and the next question starts another", async () => {
  const slow = ask();
  await clock.advance(30_000);
  expect(await slow).toEqual([503, { error: expect.stringContaining("30 s") }]);
  const broken = ask();
  await microtasks();
  threads[0]?.emit("message", { answer: { trades: ["late"] } });
  threads[1]?.emit("error", new Error("out of memory"));
  expect(await broken).toEqual([503, { error: "the ledger: out of memory" }]);
  expect(threads.map(({ isOver }) => isOver)).toEqual([true, true]);
  cannotStart = true;
  expect(await ask()).toEqual([503, { error: "the ledger: no memory" }]);
  cannotStart = false;
  const last = ask();
  await microtasks();
  threads[2]?.emit("message", { answer: { trades: [1] } });
  expect(await last).toEqual([200, { trades: [1] }]);
});

test("a ninth is refused at once", async () => {
  const waiting = Array.from({ length: 8 }, () => ask());
  expect(await ask()).toEqual([503, { error: expect.stringContaining("too many") }]);
  for (let count = 0; count < 8; count += 1) {
    await microtasks();
    threads[0]?.emit("message", { answer: { trades: [] } });
  }
  expect((await Promise.all(waiting)).map(([status]) => status)).toEqual(Array.from({ length: 8 }, () => 200));
});
