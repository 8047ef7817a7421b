// The report: whole HTML that refers to nothing outside itself, shows what the table shows, and stays small.

import { expect, test } from "vitest";
import { reportHtml } from "../../../../src/backtest/report/page.ts";
import { tableRows } from "../../../../src/backtest/table.ts";
import { outcomeOf } from "./outcome.ts";

const COMMAND = "npx quoin backtest --config demo.yaml --days 3";
const seeds = (count: number, set = {}, points = 60) =>
  Array.from({ length: count }, (_, nth) => outcomeOf(nth + 1, set, points));

/** Elements that stand open in order; throws where one is closed that another stands in. */
function openElements(html: string): readonly string[] {
  const open: string[] = [];
  for (const [, slash, name = "", rest = ""] of html.matchAll(/<(\/?)([a-z][a-z0-9]*)\b([^<>]*)>/g)) {
    if (/^(meta|link|br|img|input|hr)$/.test(name) || rest.endsWith("/")) continue;
    if (slash === "") open.push(name);
    else if (open.pop() !== name) throw new Error(`</${name}> closes another element`);
  }
  return open;
}

test("every element is closed, whatever the shape of the grid", () => {
  const grids = [
    seeds(1),
    seeds(3),
    [1, 2, 3].flatMap((a) => seeds(2, { "x.size": a })),
    [1, 2].flatMap((a) => ["p", "q", "r"].flatMap((b) => seeds(2, { "x.size": a, "x.center": b }))),
  ];
  for (const outcomes of grids) expect(openElements(reportHtml(COMMAND, outcomes))).toEqual([]);
});

test("nothing is fetched and nothing runs: no script, no address, no import", () => {
  const html = reportHtml(COMMAND, seeds(3));
  expect(html).not.toMatch(/<script|<link|<img|<iframe|@import|url\(|\bsrc=|\bhref=|https?:|\bon[a-z]+=/i);
});

test("every number of the table is in it, and the exact PnL of each seed", () => {
  const outcomes = seeds(4);
  const html = reportHtml(COMMAND, outcomes);
  for (const text of tableRows(outcomes.map(({ line }) => line)).flat()) expect(html).toContain(text);
  for (const { line } of outcomes) expect(html).toContain(`<td>${line.pnl}</td>`);
});

test("what the spread alone earned has a line, beside fees and all sources together", () => {
  // Two markets of 30.5 and 1.5 each; 61 less two of the four seeds' mean, 2.5.
  const says = "Spread alone: 61.00 USDC a run, 64.00 with fees and rebates; all sources together: 54.75.";
  expect(reportHtml(COMMAND, seeds(4))).toContain(says);
});

test("what the user wrote is shown as text", () => {
  const html = reportHtml(`x --set "a=<b>"`, seeds(1, { "p.<script>": '"&<' }));
  expect(html).not.toContain("<script>");
  expect(html).toContain("&#60;b&#62;");
});

test("200 runs of 2,000 points stay below 3 MB", () => {
  const outcomes = Array.from({ length: 10 }, (_, a) => seeds(20, { "x.size": a }, 2000)).flat();
  expect(reportHtml(COMMAND, outcomes).length).toBeLessThan(3_000_000);
});

test("it follows the reader's light or dark, and is light on paper", () => {
  const html = reportHtml(COMMAND, seeds(1));
  expect(html).toContain("prefers-color-scheme: dark");
  expect(html).toContain("@media print");
});

test("the same outcomes give the same bytes", () => {
  expect(reportHtml(COMMAND, seeds(3))).toBe(reportHtml(COMMAND, seeds(3)));
});

test("doubts come first: few days, one seed, gains against the price", () => {
  const html = reportHtml(COMMAND, seeds(1));
  expect(html).toMatch(/3 days are fewer than 30/);
  expect(html).toMatch(/One seed says nothing/);
  expect(html).toMatch(/gains although the price moves against its fills/);
});
