// Figures of two states: what is asked for wrongly is said, and a ratio above 1 is better whatever the unit.

import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { commitOf, ratioOf } from "../../../bench/against.ts";

const bench = (...words: readonly string[]) =>
  spawnSync(process.execPath, ["bench/main.ts", ...words], {
    cwd: resolve(import.meta.dirname, "../../.."),
    encoding: "utf8",
  });

test.each([
  [["--only", "turn", "--against", "no-such-commit"], /no commit is named no-such-commit/],
  [["--only", "turn,nothing,none"], /no bench is named nothing, none; there are matching/],
  [["--against"], /usage: npm run bench/],
])("exit 2 and a sentence: %j", (words, sentence) => {
  const { status, stderr, stdout } = bench(...words);
  expect([status, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(sentence);
});

test("a name that looks like an option is no commit", async () => {
  expect(await commitOf("--all")).toBe(null);
});

test.each([
  ["actions/s", 2],
  ["x real time", 2],
  ["us", 0.5],
  ["ms to the page", 0.5],
  ["% of what the loop does a turn", 0.5],
])("twice as much %s is a ratio of %d", (unit, ratio) => {
  expect(ratioOf(20, 10, unit)).toBe(ratio);
});
