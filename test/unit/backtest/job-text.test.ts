// A run as text: nothing of it is lost on the way, and no path depends on the folder that the other machine works in.

import { resolve } from "node:path";
import { expect, test } from "vitest";
import { backtestJobs, readBacktestJob } from "../../../src/backtest/job-text.ts";
import { systemFiles } from "../../../src/kernel/yaml/files.ts";

const settings = [
  { path: "a", value: 2n ** 64n },
  { path: "b", value: { c: [1.5, "1.5", null, 9_007_199_254_740_993n] } },
];
const sources = [
  { path: "bot.yaml", text: "a \u0000 and a \ud800", hash: "1" },
  { path: "/etc/devnet.yaml", text: "", hash: "2" },
];
const job = {
  file: "bot.yaml",
  sources,
  settings,
  seed: 2n ** 63n,
  days: 0.1,
  warmUpDays: 0.05,
  world: "fixed" as const,
  shortcuts: false,
  name: "a.yaml",
  keepsFills: true,
};
const { text, reads } = backtestJobs(systemFiles).write(job);

test("a job comes back with its long integers, with its texts by their hash, and with its paths absolute", () => {
  const texts = new Map(reads.map((read) => [read.hash, read.text]));
  expect(readBacktestJob(text, texts)).toEqual({
    ...job,
    file: resolve("bot.yaml"),
    sources: sources.map((source) => ({ ...source, path: resolve(source.path) })),
  });
});

test("a text that is missing is said by its path", () => {
  expect(() => readBacktestJob(text, new Map([["1", ""]]))).toThrow("the queue has lost the text of /etc/devnet.yaml");
});
