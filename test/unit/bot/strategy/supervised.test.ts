// A strategy that is watched: what marks a call, which processor time is too much, and which waiting.

import { expect, test } from "vitest";
import { checkedQuotes } from "../../../../src/bot/strategy/checked-quotes.ts";
import { type CallMeter, supervise, type Usage } from "../../../../src/bot/strategy/supervised.ts";
import { noQuotes } from "../../../../src/domain/quotes.ts";

/** What a call takes by the clock and of the processor; of the rest it had none, or the process ran so long. */
type Takes = { readonly nowMs: number; readonly cpuMs: number } & Partial<Omit<Usage, "cpuMs">>;

function scene(takes: (turn: number) => Takes) {
  const at = { nowMs: 0, cpuMs: 0, queuedMs: 0, besideMs: 0, marks: 0, reads: 0, turn: 0 };
  const mark = (): void => {
    at.marks += 1;
  };
  const meter: CallMeter = {
    begins: mark,
    ended: mark,
    nowMs: () => at.nowMs,
    usage: () => {
      at.reads += 1;
      const { cpuMs, queuedMs, besideMs } = at;
      return { cpuMs, queuedMs, besideMs };
    },
  };
  /** Why it is too slow, once a slow call. */
  const slow: string[] = [];
  const start = () => ({
    memory: at,
    quote() {
      expect(at.marks % 2).toBe(1);
      const { nowMs, cpuMs, queuedMs = 0, besideMs = nowMs } = takes(at.turn++);
      at.nowMs += nowMs;
      at.cpuMs += cpuMs;
      at.queuedMs += queuedMs;
      at.besideMs += besideMs;
      return noQuotes("none");
    },
  });
  const running = supervise(meter)(start, (why) => slow.push(why));
  return { at, slow, turn: () => checkedQuotes(() => running.quote({} as never)) };
}

test("law: a call is marked while it lasts, a throw's too, and the start", () => {
  const { at, turn } = scene(() => {
    throw new Error("no");
  });
  expect(at.marks).toBe(2);
  expect(turn).toThrow("threw: no");
  expect(at.marks).toBe(4);
});

test("law: more than 5 ms of processor time in most of 20 turns is too slow", () => {
  const { slow, turn } = scene(() => ({ nowMs: 6, cpuMs: 6 }));
  for (let calls = 0; calls < 11; calls += 1) turn();
  expect(slow).toEqual([]);
  turn();
  expect(slow).toEqual([expect.stringMatching(/takes .* ms of processor time a turn, the median of 20/)]);
});

test("edge: as many slow turns as quick ones are borne", () => {
  const { slow, turn } = scene((nth) => (nth % 2 === 0 ? { nowMs: 50, cpuMs: 50 } : { nowMs: 1, cpuMs: 1 }));
  for (let calls = 0; calls < 200; calls += 1) turn();
  expect(slow).toEqual([]);
});

test("law: waiting for more than 50 ms, three times in ten, is too slow, and the line says how long", () => {
  const { slow, turn } = scene((nth) => (nth % 3 === 0 ? { nowMs: 701, cpuMs: 1 } : { nowMs: 0.1, cpuMs: 0.1 }));
  // The first long one is only a reason to look.
  for (let calls = 0; calls < 9; calls += 1) turn();
  expect(slow).toEqual([]);
  turn();
  expect(slow).toEqual([
    expect.stringMatching(/waits without using the processor, 700 ms and more in 3 of its last 7 turns, and 50 ms are/),
  ]);
});

test.each<[string, (nth: number) => Takes]>([
  ["two in ten", (nth) => (nth % 5 === 0 ? { nowMs: 700, cpuMs: 0 } : { nowMs: 0.1, cpuMs: 0.1 })],
  ["50 ms and no more", () => ({ nowMs: 51, cpuMs: 1 })],
  ["for a processor, on a machine that is busy", () => ({ nowMs: 500, cpuMs: 4, queuedMs: 450 })],
  ["with the whole process, which was stopped", () => ({ nowMs: 500, cpuMs: 4, besideMs: 20 })],
])("edge: waiting, %s, is borne", (_, takes) => {
  const { slow, turn } = scene(takes);
  for (let calls = 0; calls < 200; calls += 1) turn();
  expect(slow).toEqual([]);
});

test("law: usage is not read while the clock shows that little is taken", () => {
  const { at, turn } = scene(() => ({ nowMs: 0.1, cpuMs: 0.1 }));
  for (let calls = 0; calls < 200; calls += 1) turn();
  expect(at.reads).toBe(0);
});
