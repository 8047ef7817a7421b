// Who races is chosen by the screened scores, on equal seeds, and the present configuration is screened beside them.

import { expect, test } from "vitest";
import type { BacktestJob, Outcome } from "../../../../src/backtest/outcome.ts";
import type { Tried } from "../../../../src/backtest/tune/prepare.ts";
import { PRESENT, screened } from "../../../../src/backtest/tune/screening.ts";
import type { RunJobs } from "../../../../src/backtest/tune/tune.ts";
import type { Setting } from "../../../../src/bot/config/setting.ts";
import { outcomeOf } from "../report/outcome.ts";

const HALF = "accounts.12.markets.1.params.halfSpreadBps";
const settings = Array.from({ length: 8 }, (_, nth): readonly Setting[] => [{ path: HALF, value: nth }]);
const more: readonly Setting[] = [{ path: HALF, value: 5.5 }];
const template = outcomeOf(1);

/** A half-spread of 5 earns most. */
const earning =
  (seen: BacktestJob[]): RunJobs =>
  async (jobs) =>
    jobs.map((job): Outcome => {
      seen.push(job);
      const half = Number(job.settings[0]?.value ?? 1);
      const line = { ...template.line, days: 1, pnlAtClose: `${10 - (half - 5) ** 2 + Number(job.seed)}` };
      return { ...template, line, curves: { ...template.curves, days: [] } };
    });

const plan = {
  present: { file: "bot.yaml", name: null, settings: [], sources: [] },
  settings,
  // The scores of the first, the present configuration's aside, lead to one more.
  further: async (tried: readonly Tried[]) =>
    tried.length === settings.length && tried[5]?.score === 16 ? [more] : [],
  racing: 3,
  firstSeed: 4n,
  market: { days: 1, warmUpDays: 0 },
  approximate: { folder: "tapes", program: "program" },
};

test("the best of them race, best first, all screened on the same first seeds", async () => {
  const seen: BacktestJob[] = [];
  const found = await screened(plan, earning(seen));
  expect(found?.racing.map(([setting]) => setting?.value)).toEqual([5, 5.5, 4]);
  expect(found?.scores.get(PRESENT)).toBe(10 - 16 + 6);
  expect(seen.every(({ approximate }) => approximate === plan.approximate)).toBe(true);
  for (const of of [PRESENT, ...settings, more])
    expect(seen.filter(({ settings: own }) => own === of).map(({ seed }) => seed)).toEqual([4n, 5n, 6n, 7n, 8n]);
});

test("it may be stopped", async () => {
  expect(await screened(plan, async () => null)).toBeNull();
});
