// What makes a good result doubtful is said in a sentence, and only then.

import { expect, test } from "vitest";
import type { MarketLine, Outcome } from "../../../../src/backtest/outcome.ts";
import { redFlags } from "../../../../src/backtest/report/flags.ts";
import { outcomeOf } from "./outcome.ts";

const runs = (markoutBps: MarketLine["markoutBps"]): readonly Outcome[] =>
  [1, 2].map((seed) => {
    const outcome = outcomeOf(seed);
    const markets = outcome.line.markets.map((market) => ({ ...market, markoutBps }));
    return { ...outcome, line: { ...outcome.line, markets } };
  });

const kinder = expect.stringContaining("This crowd is kinder");

test("fills that gain with time are a sign of a crowd that is kinder than a market", () => {
  const flags = redFlags(runs({ "1s": 1.2, "10s": 2, "60s": 3, "300s": 6 }), 1);
  expect(flags).toContainEqual(expect.stringContaining("1.2 bps after 1 s and 6.0 bps after 5 min"));
  expect(flags).toContainEqual(kinder);
});

test.each([
  ["decays", { "1s": 2, "10s": 1.5, "60s": 1, "300s": 0.8 }],
  ["falls below zero", { "1s": -2, "10s": -2, "60s": -1, "300s": -0.5 }],
  ["is not known that late", { "1s": 2, "10s": 1.5, "60s": 1, "300s": null }],
])("a markout that %s is none", (_, markoutBps) => {
  expect(redFlags(runs(markoutBps), 1)).not.toContainEqual(kinder);
});

const earning = (sources: Partial<MarketLine["pnl"]>, total: string): readonly Outcome[] =>
  [1, 2].map((seed) => {
    const outcome = outcomeOf(seed);
    const none = { inventory: "0", jump: "0", funding: "0" };
    const markets = outcome.line.markets.map((market) => ({
      ...market,
      pnl: { ...market.pnl, ...none, ...sources, total },
    }));
    return { ...outcome, line: { ...outcome.line, markets } };
  });

const noSpread = expect.stringContaining("is no spread");

test.each([
  ["inventory", { spread: "4", inventory: "6" }],
  ["the jump", { spread: "4", jump: "6" }],
  ["funding", { spread: "4", funding: "6" }],
  ["all of them together", { spread: "4", inventory: "2", jump: "2", funding: "2" }],
  ["one of them, which another takes back", { spread: "10", inventory: "6", jump: "-6" }],
])("more than half of a gain from %s is no maker's", (_, sources) => {
  expect(redFlags(earning(sources, "10"), 1)).toContainEqual(noSpread);
});

test.each([
  ["half of it at most is not the spread's", { spread: "5", inventory: "5" }, "10"],
  ["the whole is a loss", { spread: "4", inventory: "-6", funding: "1" }, "-1"],
])("%s: no such flag", (_, sources, total) => {
  expect(redFlags(earning(sources, total), 1)).not.toContainEqual(noSpread);
});

const seedsOf = (pnls: readonly number[]): readonly Outcome[] =>
  pnls.map((pnl, nth) => {
    const outcome = outcomeOf(nth + 1);
    return { ...outcome, line: { ...outcome.line, pnl: `${pnl}` } };
  });
const fewLarge = expect.stringContaining("losses are few and large");

test("one seed that lost most of how seeds differ says that losses are few and large", () => {
  expect(redFlags(seedsOf([10, 11, 9, 10, 12, -60]), 1)).toContainEqual(fewLarge);
});

test.each([
  ["a large gain", [10, 11, 9, 10, 12, 80]],
  ["seeds that differ alike", [10, 14, 6, 8, 12, 3]],
  ["too few seeds", [10, 11, 9, -60]],
])("%s is no such flag", (_, pnls) => {
  expect(redFlags(seedsOf(pnls), 1)).not.toContainEqual(fewLarge);
});

test("a strategy that failed is the first flag of its market, with the turns of all runs and its line", () => {
  const runs = [1, 2].map((seed) => {
    const outcome = outcomeOf(seed);
    const [first, ...others] = outcome.line.markets;
    if (first === undefined) throw new Error("there is a market");
    const faults = { turns: 20, words: ["threw: no data at own.ts:10"] };
    return { ...outcome, line: { ...outcome.line, markets: [{ ...first, faults }, ...others] } };
  });
  expect(redFlags(runs, 1).filter((flag) => flag.includes("failed"))).toEqual([
    "Market 1 of account 12: its strategy failed in 40 turns and had no quotes then: it threw: no data at own.ts:10.",
  ]);
});

test("one seed, whatever the number of settings, has no flag of what only several can tell", () => {
  const quiet = (seed: number): Outcome => {
    const outcome = outcomeOf(seed);
    const markets = outcome.line.markets.map((market) => ({
      ...market,
      markoutBps: { "1s": 2, "10s": 2, "60s": 1, "300s": 1 },
    }));
    return { ...outcome, line: { ...outcome.line, markets } };
  };
  const selection = "The best of 3 settings looks better than it is";
  expect(redFlags([quiet(1)], 1)).toEqual([]);
  expect(redFlags([quiet(1)], 3)).toEqual([]);
  expect(redFlags([quiet(1), quiet(2)], 3)).toEqual([expect.stringContaining(selection)]);
  const recorded = { ...quiet(1), line: { ...quiet(1).line, recording: "day", blocks: [] } };
  expect(redFlags([recorded], 3)).toEqual([expect.stringContaining(selection)]);
});
