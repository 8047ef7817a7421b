// A whole search on made-up recordings, with the folds, picks and judgment that real ones go through.

import { expect, test } from "vitest";
import type { BacktestJob, BlockLine, Outcome } from "../../../../src/backtest/outcome.ts";
import { setOf } from "../../../../src/backtest/outcome.ts";
import { leadOf } from "../../../../src/backtest/tune/block-score.ts";
import { type RecordedPlan, tuneRecorded } from "../../../../src/backtest/tune/recorded.ts";
import type { RunJobs } from "../../../../src/backtest/tune/tune.ts";
import type { Setting } from "../../../../src/bot/config/setting.ts";
import { DAY_MS, HOUR_MS } from "../../../../src/kernel/clock.ts";
import { createPrng } from "../../../../src/kernel/prng.ts";
import { outcomeOf } from "../report/outcome.ts";

const HALF = "accounts.12.markets.1.params.halfSpreadBps";
const RECORDINGS = 2;
const settingOf = (value: number): readonly Setting[] => [{ path: HALF, value }];

const plan: RecordedPlan = {
  present: { file: "bot.yaml", name: null, settings: [], sources: [] },
  others: Array.from({ length: 12 }, (_, nth) => settingOf(nth + 1)),
  neighborsOf: async ([setting]) => [0.8, 1.2].map((factor) => settingOf(factor * Number(setting?.value))),
  markets: Array.from({ length: RECORDINGS }, (_, nth) => ({
    recording: { path: `${nth}.qrec`, name: `${nth}`, hash: `${nth}` },
    days: 20,
    warmUpDays: 0,
  })),
  seed: 1n,
  constraints: {},
  halfLifeMs: 6 * HOUR_MS,
};
const template = outcomeOf(1);

/** A print a day. `gain`: of a half-spread over the present configuration's 0, USDC a day; own noise is 1, that of the market 20. */
function market(world: bigint, gain: (half: number) => number, days = 20, fills = 1) {
  const seen: BacktestJob[] = [];
  const run: RunJobs = async (jobs) =>
    jobs.map((job): Outcome => {
      seen.push(job);
      const half = Number(job.settings[0]?.value ?? 0);
      const prng = createPrng(world);
      const start = Number(job.recording?.name) * 100;
      const blocks = Array.from({ length: days }, (_, nth): BlockLine => {
        const day = start + nth;
        const pnl = 20 * prng.fork(`${day}`).gaussian() + prng.fork(`${day} ${half}`).gaussian() + gain(half);
        const times = { fromMs: day * DAY_MS, toMs: (day + 1) * DAY_MS };
        return {
          ...times,
          pnl,
          closingCost: 0.5,
          markets: [{ quoteUptime: 0.9, positionMean: 1, positionStd: 2, actions: 50 }],
        };
      });
      const markets = template.line.markets.map((one) => ({ ...one, fills: half === 0 ? 1 : fills }));
      return { ...template, line: { ...template.line, set: setOf(job), markets, blocks } };
    });
  return { run, seen };
}

const searched = async (changes: Partial<RecordedPlan>, run: RunJobs) => {
  const tuned = await tuneRecorded({ ...plan, ...changes }, run, () => {});
  if (tuned === null) throw new Error("it was not stopped");
  return tuned;
};

test("where no setting is better, at most 6.5 % of searches call one better", async () => {
  const searches = 100;
  let better = 0;
  for (let nth = 0; nth < searches; nth += 1) {
    const { line, settings } = await searched({}, market(BigInt(nth), () => 0).run);
    expect(line.winner === null).toBe(settings === null);
    if (line.winner === null) expect(line.reason).toMatch(/^nothing found: /);
    else better += 1;
  }
  expect(better / searches).toBeLessThanOrEqual(0.065);
});

test("the top of a known surface is found with little regret; each setting runs once in every recording", async () => {
  const gain = (half: number) => (half === 0 ? 0 : 4 - 0.4 * Math.abs(half - 8));
  let [regret, found] = [0, 0];
  for (let world = 0; world < 20; world += 1) {
    const { run, seen } = market(BigInt(world), gain);
    const { line, settings, candidates } = await searched({}, run);
    if (settings !== null) found += 1;
    regret += gain(8) - (settings === null ? 0 : gain(Number(settings[0]?.value)));
    expect(line.runs).toBe(seen.length);
    expect(seen.length).toBe(RECORDINGS * (1 + 12 + 2));
    expect(new Set(candidates.map(({ set }) => JSON.stringify(set))).size).toBe(13);
    expect(line.winner?.verdict ?? "better").toBe("better");
    expect(line.walkForward?.folds).toHaveLength(4);
  }
  expect(found).toBeGreaterThanOrEqual(18);
  expect(regret / 20).toBeLessThan(0.6);
});

test("a peak whose neighbors lose is not found, nor what breaks a limit", async () => {
  const { run } = market(3n, (half) => (half === 5 ? 8 : half === 4 || half === 6 ? -9 : 0));
  const peak = await searched({}, run);
  expect(peak.line).toMatchObject({ winner: null, reason: expect.stringMatching(/is a peak: /) });
  const { run: plateau } = market(3n, (half) => (half >= 4 && half <= 6 ? 8 : 0));
  expect((await searched({}, plateau)).settings).not.toBeNull();
  const limited = await searched({ constraints: { uptimeMin: 0.95 } }, plateau);
  expect(limited.line).toMatchObject({
    winner: null,
    reason: expect.stringMatching(/^nothing found: no setting that keeps all limits/),
  });
});

test("a setting without a fill in the recordings is not found, however much the present configuration loses", async () => {
  const { run } = market(3n, (half) => (half === 0 ? 0 : 8), 20, 0);
  expect((await searched({}, run)).line).toMatchObject({
    winner: null,
    reason: expect.stringMatching(/^nothing found: halfSpreadBps=\d+ never trades in the recordings, /),
  });
});

test("too few blocks: only the present configuration runs, and the reason says so", async () => {
  for (const [days, halfLifeMs, why] of [
    [9, 6 * HOUR_MS, /^nothing found: 18 blocks from print to print leave/],
    [20, null, /^nothing found: the recordings are too short/],
  ] as const) {
    const { run, seen } = market(1n, () => 5, days);
    const { line, candidates } = await searched({ halfLifeMs }, run);
    expect(line).toMatchObject({
      winner: null,
      walkForward: null,
      runs: RECORDINGS,
      reason: expect.stringMatching(why),
    });
    expect([candidates.length, seen.length]).toEqual([1, RECORDINGS]);
  }
});

test("stopped anywhere, it has no result", async () => {
  for (let calls = 0; calls < 3; calls += 1) {
    const { run } = market(1n, (half) => half);
    let left = calls;
    const until: RunJobs = async (jobs) => (left-- > 0 ? run(jobs) : null);
    expect(await tuneRecorded(plan, until, () => {})).toBeNull();
  }
});

test("the interval of a lead without one holds zero in 92 to 98 of 100, and p is below 0.05 where it does not", () => {
  const prng = createPrng(4n);
  const blocksOf = (count: number, spread: number) =>
    Array.from({ length: count }, (_, nth): BlockLine => {
      const times = { fromMs: nth * DAY_MS, toMs: (nth + 1) * DAY_MS };
      return { ...times, pnl: spread * prng.gaussian(), closingCost: 0, markets: [] };
    });
  for (const count of [8, 30]) {
    let held = 0;
    for (let nth = 0; nth < 200; nth += 1) {
      const base = blocksOf(count, 0).map((block) => ({ ...block, pnl: 50 }));
      const { ci95, p } = leadOf(
        blocksOf(count, 1).map((block) => ({ ...block, pnl: block.pnl + 50 })),
        base,
      );
      const holds = ci95[0] <= 0 && ci95[1] >= 0;
      if (holds) held += 1;
      if (p < 0.04) expect(holds).toBe(false);
      if (p > 0.06) expect(holds).toBe(true);
    }
    expect(held / 200).toBeGreaterThan(0.92);
    expect(held / 200).toBeLessThan(0.985);
  }
});
