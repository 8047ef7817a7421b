// docs/benchmarks.md: one run's page, with a row for every bench.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { benches } from "../../../bench/benches.ts";
import type { BenchResult } from "../../../bench/measure.ts";
import { pageOf } from "../../../bench/page.ts";
import { PROJECT } from "../../support/quoin.ts";

const page = readFileSync(join(PROJECT, "docs/benchmarks.md"), "utf8");

test("every bench has its row, in the order of the run, and no row is of another", () => {
  const rows = [...page.matchAll(/^\| `([^`]+)` \|/gm)];
  expect(rows.map(([, name]) => name)).toEqual(benches.map(({ name }) => name));
});

test("the page names its command, its day and its machine", () => {
  expect(page).toMatch(
    /`npm run -s bench -- --markdown(?: --quick)? > docs\/benchmarks\.md` wrote this page on \d{4}-\d\d-\d\d, on .+ cores, Node v\d/,
  );
  const { scripts } = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8")) as { scripts: { bench: string } };
  expect(scripts.bench).toBe("node bench/main.ts");
});

test("its statistics and peers are those that the next run writes", () => {
  const endOf = (text: string): string => text.slice(text.indexOf("## Statistics"));
  expect(endOf(page)).toBe(endOf(pageOf([], facts)));
});

const facts = { machine: "a machine", date: "2026-01-02", isQuick: false };
const base = { name: "one", value: 1234.5, unit: "us", reference: "a peer", referenceValue: 2469, ratio: 0.5 };
const rowsOf = (result: BenchResult): readonly string[] =>
  pageOf([result], facts)
    .split("\n")
    .filter((line) => line.startsWith("| `"));

test("a peer stands beside ours with the ratio, and a goal beside both", () => {
  const peer = "| `one` | 1,230 us | a peer: 2,470 | 0.5 x |";
  expect(rowsOf(base)).toEqual([`${peer}  |  |`]);
  expect(rowsOf({ ...base, goal: { goal: 1000, wanted: "atMost" } })).toEqual([`${peer} at most 1,000 | no |`]);
});

test.each([
  ["more is better, and it is not enough", 90, 0.9, "at least 100 | no"],
  ["more is better, and it is enough", 110, 1.1, "at least 100 | yes"],
  ["less is better, and it is too much", 110, 0.9, "at most 100 | no"],
  ["less is better, and it is little enough", 90, 1.1, "at most 100 | yes"],
] as const)("a goal alone is the reference, %s", (_, value, ratio, cells) => {
  const [row] = rowsOf({ ...base, value, reference: "the goal", referenceValue: 100, ratio });
  expect(row).toContain(`|  | ${ratio} x | ${cells} |`);
});

test.each([
  ["atMost", 5, "at most 5", "yes"],
  ["atMost", 5.1, "at most 5", "no"],
  ["atLeast", 5, "at least 5", "yes"],
  ["atLeast", 4.9, "at least 5", "no"],
] as const)("a further figure that is wanted %s its goal: %f of %s: %s", (wanted, value, bound, reached) => {
  const goals = [{ figure: "more", value, unit: "ms", goal: 5, wanted }];
  expect(rowsOf({ ...base, goals })[1]).toBe(`| \`one\`: more | ${value} ms |  |  | ${bound} | ${reached} |`);
});
