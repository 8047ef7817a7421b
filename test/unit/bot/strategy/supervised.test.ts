// A strategy that is watched: what marks a call, and which processor time is too much.

import { expect, test } from "vitest";
import { checkedQuotes, QuoteFault } from "../../../../src/bot/strategy/checked-quotes.ts";
import { type CallMeter, supervise } from "../../../../src/bot/strategy/supervised.ts";
import { noQuotes } from "../../../../src/domain/quotes.ts";

/** Calls take `nowMs` by the clock and `cpuMs` of the processor. */
function scene(takes: (turn: number) => { readonly nowMs: number; readonly cpuMs: number }) {
  const at = { nowMs: 0, cpuMs: 0, marks: 0, cpuReads: 0, turn: 0 };
  const mark = (): void => {
    at.marks += 1;
  };
  const meter: CallMeter = {
    begins: mark,
    ended: mark,
    nowMs: () => at.nowMs,
    cpuMs: () => {
      at.cpuReads += 1;
      return at.cpuMs;
    },
  };
  const running = supervise(meter)(() => ({
    memory: at,
    quote() {
      expect(at.marks % 2).toBe(1);
      const { nowMs, cpuMs } = takes(at.turn++);
      at.nowMs += nowMs;
      at.cpuMs += cpuMs;
      return noQuotes("none");
    },
  }));
  return { at, turn: () => checkedQuotes(() => running.quote({} as never)) };
}

test("law: a call is marked while it lasts, a throw's too, and the start", () => {
  const { at, turn } = scene(() => {
    throw new Error("no");
  });
  expect(at.marks).toBe(2);
  expect(turn).toThrow("threw: no");
  expect(at.marks).toBe(4);
});

test("law: more than 5 ms of processor time in most of 20 turns ends the calls", () => {
  const { at, turn } = scene(() => ({ nowMs: 6, cpuMs: 6 }));
  for (let calls = 0; calls < 12; calls += 1) turn();
  expect(turn).toThrow(/takes .* ms of processor time a turn, the median of 20/);
  expect(turn).toThrow(QuoteFault);
  expect(at.turn).toBe(12);
});

test("edge: as many slow turns as quick ones are borne", () => {
  const { turn } = scene((nth) => (nth % 2 === 0 ? { nowMs: 50, cpuMs: 50 } : { nowMs: 1, cpuMs: 1 }));
  for (let calls = 0; calls < 200; calls += 1) turn();
});

test("edge: a machine that is slow, rather than the strategy, ends nothing", () => {
  const { turn } = scene(() => ({ nowMs: 500, cpuMs: 4 }));
  for (let calls = 0; calls < 200; calls += 1) turn();
});

test("law: processor time is not read while the clock shows that little is taken", () => {
  const { at, turn } = scene(() => ({ nowMs: 0.1, cpuMs: 0.1 }));
  for (let calls = 0; calls < 200; calls += 1) turn();
  expect(at.cpuReads).toBe(0);
});
