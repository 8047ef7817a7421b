// A whole search over made-up runs, with the race and the judgment that real ones go through: what it calls better, what it finds, what it
// may spend, and that it can be stopped.

import { expect, test } from "vitest";
import type { BacktestJob, Outcome } from "../../../../src/backtest/outcome.ts";
import { setOf } from "../../../../src/backtest/outcome.ts";
import { scoreOf } from "../../../../src/backtest/tune/judge.ts";
import { racePlan } from "../../../../src/backtest/tune/race.ts";
import { type RunJobs, type TunePlan, tune } from "../../../../src/backtest/tune/tune.ts";
import type { Setting } from "../../../../src/bot/config/setting.ts";
import { createPrng } from "../../../../src/kernel/prng.ts";
import { outcomeOf } from "../report/outcome.ts";

const HALF = "accounts.12.markets.1.params.halfSpreadBps";
const RUNS = 160;
const SEEDS = 10;
const OTHERS = 15;

const plan: TunePlan = {
  present: { file: "bot.yaml", name: null, settings: [], sources: [] },
  others: Array.from({ length: OTHERS }, (_, nth): readonly Setting[] => [{ path: HALF, value: nth + 1 }]),
  race: racePlan(RUNS, SEEDS),
  firstSeed: 1n,
  seeds: SEEDS,
  days: 1,
  warmUpDays: 0,
  constraints: {},
};

const template = outcomeOf(1);

/**
 * `gain`: of a half-spread, over the present configuration's 0, in USDC; the noise of a run is 1, that of a seed 20. From `idleFrom` on, half-spreads
 * are too wide for a fill in market 1; market 2 trades all the same.
 */
function market(world: bigint, gain: (half: number) => number, idleFrom = Number.POSITIVE_INFINITY) {
  const seen: BacktestJob[] = [];
  const run: RunJobs = async (jobs) =>
    jobs.map((job): Outcome => {
      seen.push(job);
      const [setting] = job.settings;
      const half = setting === undefined ? 0 : Number(setting.value);
      const prng = createPrng(world);
      const pnl = 20 * prng.fork(`${job.seed}`).gaussian() + prng.fork(`${job.seed} ${half}`).gaussian() + gain(half);
      const line = {
        ...template.line,
        seed: Number(job.seed),
        set: setOf(job),
        days: 1,
        markets: template.line.markets.map((one) =>
          one.marketId === 1 && half >= idleFrom ? { ...one, fills: 0 } : one,
        ),
        pnlAtClose: `${pnl.toFixed(6)}`,
      };
      return { ...template, line, curves: { ...template.curves, days: [] } };
    });
  return { run, seen };
}

const searched = async (changes: Partial<TunePlan>, run: RunJobs) => {
  const tuned = await tune({ ...plan, ...changes }, run, () => {});
  if (tuned === null) throw new Error("it was not stopped");
  return tuned;
};

test("where no setting is better, at most 6.5 % of searches call one better", async () => {
  const searches = 400;
  let better = 0;
  for (let nth = 0; nth < searches; nth += 1) {
    const { run } = market(BigInt(nth), () => 0);
    const { line, settings } = await searched({}, run);
    expect(line.winner === null).toBe(settings === null);
    if (line.winner !== null) better += 1;
    else expect(line.reason).toMatch(/^nothing found: no setting is clearly better/);
  }
  expect(better).toBeGreaterThan(0);
  expect(better / searches).toBeLessThanOrEqual(0.065);
});

test("the top of a known surface is found, with little regret, and never on seeds of the search", async () => {
  const gain = (half: number) => (half === 0 ? 0 : 6 - 0.5 * Math.abs(half - 9));
  let regret = 0;
  for (let world = 0; world < 40; world += 1) {
    const { run, seen } = market(BigInt(world), gain);
    const { line, settings, candidates } = await searched({}, run);
    regret += gain(9) - gain(Number(settings?.[0]?.value ?? 0));
    expect(line.runs).toBe(seen.length);
    expect(seen.length).toBeLessThanOrEqual(RUNS);
    const confirmed = candidates.filter((candidate) => candidate.confirmed);
    expect(confirmed.map(({ runs }) => runs)).toEqual(confirmed.map(() => SEEDS));
    expect(line.winner?.difference?.seeds).toBe(SEEDS);
    const last = seen.slice(-SEEDS * confirmed.length);
    expect(new Set(last.map(({ seed }) => Number(seed)))).toEqual(
      new Set(Array.from({ length: SEEDS }, (_, nth) => nth + 11)),
    );
    expect(seen.slice(0, -last.length).every(({ seed }) => seed <= 10n)).toBe(true);
  }
  // Of a surface that spans 6 USDC.
  expect(regret / 40).toBeLessThan(0.3);
});

test("every setting is told once, the confirmed ones first, and one far behind the present configuration is worse", async () => {
  const { run } = market(7n, (half) => (half === 4 ? -30 : 0));
  const { candidates } = await searched({}, run);
  expect(candidates).toHaveLength(OTHERS + 1);
  expect(new Set(candidates.map(({ set }) => JSON.stringify(set))).size).toBe(candidates.length);
  expect(candidates.map((candidate) => candidate.confirmed)).toEqual(
    candidates.map((candidate) => candidate.confirmed).toSorted((a, b) => Number(b) - Number(a)),
  );
  expect(candidates.find(({ set }) => set[HALF] === 4)).toMatchObject({ confirmed: false, verdict: "worse", runs: 3 });
  expect(candidates.filter(({ set }) => Object.keys(set).length === 0)).toMatchObject([
    { confirmed: true, difference: null },
  ]);
});

test("what breaks a limit does not win", async () => {
  const { run } = market(3n, (half) => (half === 5 ? 10 : 0));
  expect((await searched({}, run)).settings).toEqual([{ path: HALF, value: 5 }]);
  const limited = await searched({ constraints: { uptimeMin: 0.99 } }, run);
  expect(limited.line).toMatchObject({
    winner: null,
    reason: expect.stringMatching(/^nothing found: no setting that reached/),
  });
  expect(limited.candidates.every(({ keeps }) => !keeps)).toBe(true);
});

test("a setting that never trades is no winner, though it is better; one that scores more and trades is", async () => {
  const { run } = market(5n, (half) => (half >= 14 ? 10 : half === 3 ? 4 : 0), 14);
  const { line, settings, candidates } = await searched({}, run);
  expect([line.winner, settings]).toEqual([null, null]);
  expect(line.reason).toMatch(
    /^nothing found: halfSpreadBps=1[45] never trades on 10 seeds that the search did not use, and no better setting scores as much/,
  );
  expect(candidates.filter(({ trades }) => !trades).map(({ set }) => set[HALF])).toEqual(
    expect.arrayContaining([14, 15]),
  );
  expect(candidates.find(({ set }) => set[HALF] === 14)).toMatchObject({ verdict: "better", trades: false });
  const { run: paying } = market(5n, (half) => (half >= 14 ? 4 : half === 3 ? 10 : 0), 14);
  expect((await searched({}, paying)).settings).toEqual([{ path: HALF, value: 3 }]);
});

test("a run of several days counts once in the race and in the difference, by its seed", async () => {
  const { run, seen } = market(2n, (half) => (half === 6 ? 8 : 0));
  const ofDays: RunJobs = async (jobs) =>
    ((await run(jobs)) ?? []).map((outcome) => ({
      ...outcome,
      line: { ...outcome.line, days: 4 },
      curves: { ...outcome.curves, days: [1, 2, 3, 4] },
    }));
  const { race, candidates } = await searched({ days: 4 }, ofDays);
  expect(race.reduce((sum, { scores }) => sum + scores.length, 0)).toBe(seen.filter(({ seed }) => seed <= 10n).length);
  for (const { difference } of candidates) expect(difference?.seeds ?? SEEDS).toBe(SEEDS);
});

test("stopped anywhere, it has no result", async () => {
  for (let calls = 0; calls < 4; calls += 1) {
    const { run } = market(1n, () => 0);
    let left = calls;
    const until: RunJobs = async (jobs) => (left-- > 0 ? run(jobs) : null);
    expect(await tune(plan, until, () => {})).toBeNull();
  }
});

test("the score takes half of what the worst tenth of days lose", () => {
  const of = (days: readonly number[], pnlAtClose: string, counted: number) =>
    scoreOf({ line: { ...template.line, pnlAtClose, days: counted }, curves: { ...template.curves, days } });
  expect(of([5, 5, -4, 6, 5, 5, 5, 5, 5, 3, 5], "45", 11)).toBeCloseTo(45 / 11 - 0.5 * 0.5);
  expect(of([5, 5], "10", 2)).toBe(5);
  expect(of([-2], "-2", 0.5), "half a day that goes on").toBe(-4 - 0.5 * 4);
});
