// What a person who waits for a backtest sees: a bar at once, how long the whole takes after the first stretch, and nothing left of either.

import { expect, test } from "vitest";
import { usualWarmUpDays } from "../../../src/backtest/backtest.ts";
import { durationSentence, openProgressLine, stageProgress, type Whole } from "../../../src/cli/backtest-progress.ts";
import { processHost } from "../../../src/host/process.ts";

const HOUR = 3_600_000;
const MINUTE = 60_000;

function watched(isTerminal: boolean) {
  let nowMs = 0;
  const written: string[] = [];
  const host = {
    terminal: { stdout: false, stderr: isTerminal },
    stderr: (data: string | Uint8Array) => void written.push(Buffer.from(data as string).toString()),
    clock: { ...processHost.clock, monotonicMs: () => nowMs },
  };
  const line = openProgressLine(host);
  const told: number[] = [];
  const announce = (runMs: number): string => {
    told.push(runMs);
    return "it takes long";
  };
  const report = stageProgress({ runs: 20, atOnce: 2, announce }, line, host);
  return {
    told,
    line,
    written: () => written.splice(0),
    at(ms: number, done: number) {
      nowMs = ms;
      report(done);
    },
  };
}

test("a terminal has an empty bar before anything is prepared, and at the end none", () => {
  const { line, written, at } = watched(true);
  expect(written()).toEqual([`\r[${".".repeat(30)}] 0 %`]);
  at(1000, 0.5);
  expect(written()).toEqual([`\r[${"#".repeat(15)}${".".repeat(15)}] 50 % of 20 runs`]);
  line.clear();
  line.clear();
  expect(written()).toEqual([`\r${" ".repeat(48)}\r`]);
});

test("a sentence is written above the line, which comes back", () => {
  const { line, written } = watched(true);
  const [bar] = written();
  line.say("here it is");
  expect(written()).toEqual([`\r${" ".repeat(36)}\r`, "quoin: here it is\n", bar]);
});

test("a shorter line covers the longer one before it", () => {
  const { written, at } = watched(true);
  at(0, 0);
  at(10, 0.1);
  const long = written().at(-1)!;
  at(10, 1);
  expect(long).toMatch(/, about \S+ s left$/);
  expect(written().at(-1)).toHaveLength(long.length);
});

test("the whole is announced once, when three seconds are measured, with the time that a run takes", () => {
  const { told, written, at } = watched(false);
  at(5000, 0.1);
  at(7999, 0.11);
  expect(told).toEqual([]);
  at(9000, 0.12);
  at(20_000, 0.13);
  // Two threads have done 0.02 of 20 runs in 4 s: 0.2 runs each.
  expect(told).toEqual([expect.closeTo(20_000, 3)]);
  expect(written(), "without a terminal there is no bar").toEqual(["quoin: it takes long\n"]);
});

test("what stands still is not measured", () => {
  const { told, at } = watched(true);
  at(0, 0.1);
  at(9000, 0.1);
  expect(told).toEqual([]);
});

const whole: Whole = {
  rounds: 10,
  threads: 2,
  cores: 2,
  length: { days: 7, shareOf: (days) => (days + usualWarmUpDays(days)) / (7 + usualWarmUpDays(7)) },
};

test.each([
  ["many hours", whole, 30 * MINUTE, "this takes about 5 h on 2 cores; --days 0.05 takes about 2 min 40 s"],
  ["a day and more", whole, 3 * HOUR, "this takes about 1 d 6 h on 2 cores; --days 0.01 takes about 3 min 10 s"],
  ["a minute and a half", { ...whole, rounds: 1 }, 90_000, "this takes about 1 min 30 s on 2 cores"],
  ["less than a minute", { ...whole, rounds: 1 }, 59_000, null],
  ["a recording, whose length is given", { ...whole, length: null }, MINUTE, "this takes about 10 min on 2 cores"],
  [
    "a warm-up that takes all of the time",
    { ...whole, length: { days: 7, shareOf: () => 1 } },
    HOUR,
    "this takes about 10 h on 2 cores",
  ],
  ["one run", { ...whole, rounds: 1, threads: 1, length: null }, HOUR, "this takes about 1 h on 1 core"],
  ["more threads than cores", { ...whole, threads: 8, length: null }, HOUR, "this takes about 10 h on 8 threads"],
] as const)("%s", (_, given, runMs, sentence) => {
  expect(durationSentence(given, runMs)).toBe(sentence);
});
