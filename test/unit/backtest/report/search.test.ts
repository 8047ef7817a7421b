// The report's cards of a search: every setting that raced is drawn, in what it is ahead of the present configuration on equal seeds.

import { expect, test } from "vitest";
import { reportHtml } from "../../../../src/backtest/report/page.ts";
import { searchCards } from "../../../../src/backtest/report/search.ts";
import type { CandidateLine, Tuned } from "../../../../src/backtest/tune/tune.ts";
import { aboutOf, outcomeOf } from "./outcome.ts";

const SIZE = "accounts.12.markets.1.params.size";
const CENTER = "accounts.12.markets.1.params.center";
const candidate = (set: CandidateLine["set"], changes: Partial<CandidateLine> = {}): CandidateLine => ({
  kind: "candidate",
  set,
  runs: 3,
  pnlMean: 1,
  ci95: [0, 2],
  scoreMean: 1,
  worstDay: -2,
  positionStd: 1,
  quoteUptime: 0.9,
  actionsPerDay: 100,
  confirmed: true,
  keeps: true,
  trades: true,
  pareto: false,
  difference: null,
  verdict: "unclear",
  ...changes,
});

const winner = candidate({ [SIZE]: 2, [CENTER]: "mid" }, { verdict: "better", pareto: true });
const tuned: Tuned = {
  candidates: [winner, candidate({}), candidate({ [SIZE]: 0.5, [CENTER]: "<print>" }, { confirmed: false })],
  line: { kind: "tune", runs: 12, winner, reason: "it scores more" },
  settings: [{ path: SIZE, value: 2 }],
  confirmed: [],
  // The present configuration stopped after two seeds.
  race: [
    { set: {}, scores: [10, -10] },
    { set: winner.set, scores: [13, -9, 50] },
    { set: { [SIZE]: 0.5, [CENTER]: "<print>" }, scores: [9, -13] },
  ],
};

test("leads are on the seeds that both ran on, and text from outside stays text", () => {
  const html = searchCards(tuned);
  expect(html).toContain("size=2 center=mid: 2<");
  expect(html).toContain("size=0.5 center=&#60;print&#62;: −2<");
  expect(html).not.toContain("<print>");
  expect(html).toContain("Lead by size");
  expect(html).toContain("Lead by center");
  expect(html).toContain("The race");
  expect(html).toMatch(/<th scope="row">3<\/th><td>1<\/td>/);
});

test("on the page it stands before the runs, and the page is a search", () => {
  const page = reportHtml({ ...aboutOf(), search: searchCards(tuned) }, [outcomeOf(1), outcomeOf(2)]);
  expect(page).toContain("<h1>Search for parameters</h1>");
  expect(page).toContain("<title>Search for parameters: demo.yaml</title>");
  expect(page.indexOf("Lead by size")).toBeLessThan(page.indexOf("The runs behind it"));
  expect(reportHtml(aboutOf(), [outcomeOf(1)])).toContain("<h1>Backtest</h1>");
});

test("on recordings it tells picks, neighbors and the deflated Sharpe ratio; without a winner it says so", () => {
  const difference = { seeds: 2, blocks: 30, mean: 1, ci95: [-1, 3] as const, p: 0.3 };
  const fold = { fromMs: 0, toMs: 1, trainBlocks: 10, testBlocks: 9, set: winner.set, lead: 1.5 };
  const walkForward = {
    halfLifeHours: 6,
    folds: [fold],
    difference,
    trials: 12,
    deflatedSharpe: 0.61,
    neighbors: [{ set: { [SIZE]: 2.4 }, lead: -0.25 }],
  };
  const line = { ...tuned.line, winner: null, reason: "nothing found: too little", walkForward };
  const html = searchCards({ ...tuned, line });
  expect(html).toContain("<b>Nothing found</b>: too little.");
  expect(html).toContain("deflated Sharpe ratio is 0.610 for 12 trials");
  expect(html).toContain("Lead in each stretch");
  expect(html).toContain("−0.25");
  const short = searchCards({ ...tuned, race: [], line: { ...line, walkForward: null } });
  expect(short).not.toContain("Lead in each stretch");
});
