// A question that is asked again: how often, when, and which answer counts.

import { beforeEach, expect, test } from "vitest";
import { macrotask } from "../../../src/kernel/clock.ts";
import { defaultHedge, hedged } from "../../../src/kernel/hedged.ts";
import { createVirtualClock, type VirtualClock } from "../../../src/kernel/virtual-clock.ts";

let clock: VirtualClock;
/** When each question left, and how to answer it. */
let asked: { readonly atMs: number; readonly answer: (text: string) => void; readonly fail: (why: string) => void }[];
let end: string | undefined;

const times = () => asked.map(({ atMs }) => atMs);

beforeEach(() => {
  clock = createVirtualClock({ startMs: 1_790_000_000_000, settle: macrotask });
  asked = [];
  end = undefined;
  const ask = () =>
    new Promise<string>((resolve, reject) => {
      asked.push({ atMs: clock.elapsedMs(), answer: resolve, fail: (why) => reject(new Error(why)) });
    });
  void hedged(ask, { asksMax: 3, silentMs: 500, failedMs: 100 }, { clock }).then(
    (answer) => {
      end = answer;
    },
    (error: Error) => {
      end = `failed: ${error.message}`;
    },
  );
});

test("an answer in time is all there is", async () => {
  await clock.advance(499);
  asked[0]?.answer("first");
  await clock.advance(10_000);
  expect([end, times()]).toEqual(["first", [0]]);
});

test("a silent question is asked again, and the earlier one may still be answered", async () => {
  await clock.advance(700);
  expect(times()).toEqual([0, 500]);
  asked[0]?.answer("late");
  await clock.advance(10_000);
  expect([end, times()]).toEqual(["late", [0, 500]]);
  asked[1]?.fail("too late to matter");
  await clock.advance(1);
  expect(end).toBe("late");
});

test("every answer after the first goes to onLate", async () => {
  const late: string[] = [];
  const answers: ((text: string) => void)[] = [];
  const first = hedged(() => new Promise<string>((answer) => answers.push(answer)), defaultHedge, {
    clock,
    onLate: (answer) => late.push(answer),
  });
  await clock.advance(500);
  answers[1]?.("second");
  expect(await first).toBe("second");
  answers[0]?.("first");
  await clock.advance(1);
  expect(late).toEqual(["first"]);
});

test("after a failure the next one leaves soon, and its own silence counts anew", async () => {
  await clock.advance(20);
  asked[0]?.fail("reset");
  await clock.advance(10_000);
  expect(times()).toEqual([0, 120, 620]);
});

test("when all have failed the newest failure is told, and nothing is asked any more", async () => {
  for (const why of ["one", "two", "three"]) {
    asked.at(-1)?.fail(why);
    await clock.advance(100);
  }
  await clock.advance(10_000);
  expect([end, times()]).toEqual(["failed: three", [0, 100, 200]]);
});

test("the last question is waited for as long as it takes", async () => {
  await clock.advance(60_000);
  expect([end, times()]).toEqual([undefined, [0, 500, 1000]]);
  asked[0]?.fail("one");
  asked[1]?.fail("two");
  await clock.advance(10_000);
  expect([end, asked.length]).toEqual([undefined, 3]);
  asked[2]?.answer("third");
  await clock.advance(1);
  expect(end).toBe("third");
});

test("the usual patience: five questions within two seconds of silence", async () => {
  let count = 0;
  void hedged(() => new Promise(() => (count += 1)), defaultHedge, { clock });
  await clock.advance(2000);
  expect(count).toBe(5);
});
