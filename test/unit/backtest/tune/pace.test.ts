// How many runs fit into a time: the start of a thread and its compilation count for little, and what was timed is kept.

import { expect, test } from "vitest";
import type { BacktestJob, Outcome } from "../../../../src/backtest/outcome.ts";
import { type PaceModules, runsWithin } from "../../../../src/backtest/tune/pace.ts";
import { microtasks } from "../../../../src/kernel/clock.ts";
import { createVirtualClock } from "../../../../src/kernel/virtual-clock.ts";
import { outcomeOf } from "../report/outcome.ts";

const never = new Promise<never>(() => {});
const jobs = [1n, 2n, 3n].map((seed) => ({ seed, days: 1 }) as unknown as BacktestJob);

/** `runMs`: of a thread's runs, by how many it had before. */
async function within(
  limitMs: number,
  runMs: (before: number, job: BacktestJob) => number,
  changes: Partial<PaceModules> = {},
  of = jobs,
) {
  const clock = createVirtualClock({ startMs: 0, settle: microtasks });
  const kept = new Map<BacktestJob, Outcome>();
  const ran: bigint[] = [];
  const runnerOf = () => {
    let before = 0;
    return (job: BacktestJob): Promise<Outcome> => {
      ran.push(job.seed);
      return new Promise((resolve) => {
        clock.after(runMs(before, job), () => resolve(outcomeOf(1)));
        before += 1;
      });
    };
  };
  const journal: PaceModules["journal"] = {
    finished: (job) => kept.get(job),
    add(job, outcome) {
      expect(kept.has(job), "each run is kept once").toBe(false);
      kept.set(job, outcome);
    },
  };
  let runs: number | null | undefined;
  const modules = { runners: [runnerOf(), runnerOf()], stopped: never, journal, clock, ...changes };
  void runsWithin(limitMs, of, modules).then((count) => {
    runs = count;
  });
  await clock.advance(limitMs);
  return { runs, ran, kept };
}

test("runs that take 20 times as long on a cold thread are counted as warm ones", async () => {
  const { runs, kept } = await within(100_000, (before) => (before === 0 ? 2000 : before < 4 ? 400 : 100));
  // Two threads, 10 runs a second each, for the 90 s that are left.
  expect(runs).toBe(1800);
  expect(kept.size).toBe(jobs.length);
});

test("a long run is timed once on each thread, on seeds of the search, and its time is taken off the limit", async () => {
  const { runs, ran } = await within(600_000, () => 60_000);
  expect(ran).toEqual([1n, 2n]);
  expect(runs).toBe(18);
});

test("where the first runs alone take ten seconds, others follow until a thread has made four", async () => {
  const { runs, ran } = await within(1_000_000, (before) => (before < 2 ? 12_000 : 2000));
  expect(ran).toHaveLength(8);
  expect(runs).toBe(972);
});

test("timing takes a tenth of a short limit", async () => {
  const { runs, ran } = await within(10_000, () => 500);
  expect(ran).toHaveLength(4);
  expect(runs).toBe(36);
});

test("recordings of other lengths count by their days", async () => {
  const long = [1, 2, 9].map((days, nth) => ({ seed: BigInt(nth), days }) as unknown as BacktestJob);
  const { runs } = await within(100_000, (_, { days }) => days * 10_000, {}, long);
  // The first two take 10 s and 20 s; a run takes 40 s on average.
  expect(runs).toBe(4);
});

test("where one run takes the whole limit, none is left", async () => {
  expect((await within(5000, () => 5000)).runs).toBe(0);
});

test("it may be stopped", async () => {
  expect((await within(100_000, () => 1000, { stopped: Promise.resolve() })).runs).toBeNull();
});
