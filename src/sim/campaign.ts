// Runs many simulated worlds in parallel: which laws they broke, what they covered, and whether the same seed gives the same world.

import { isSpread } from "../jobs/job-workers.ts";
import { type Coverage, createCoverage, mergeCoverage } from "./coverage.ts";
import type { Fault } from "./faults/fault.ts";
import type { Law } from "./invariants/law.ts";
import type { Uptime } from "./quote-uptime.ts";
import type { RunEnd, WorldJob } from "./run.ts";

export type RunOfWorld = (job: WorldJob) => Promise<RunEnd>;

export type CampaignOptions = {
  readonly firstSeed: bigint;
  readonly seeds: number;
  /** Simulated minutes of each world. */
  readonly minutes: number;
  /** One seed in this many runs twice; 0: none. */
  readonly repeatEvery: number;
};

export type CampaignModules = {
  /** Each runs one world at a time. */
  readonly runners: readonly RunOfWorld[];
  /** After it resolves, no world is started, and running ones are given up. */
  readonly stopped: Promise<unknown>;
  readonly onSeed: (campaign: Campaign) => void;
};

export type Failure = {
  readonly end: RunEnd;
  /** A smaller list of faults that breaks the same law. */
  readonly shrunk: readonly Fault[];
};

export type Campaign = {
  readonly seeds: number;
  readonly simulatedMs: number;
  readonly events: number;
  readonly fills: number;
  readonly uptime: Uptime;
  readonly coverage: Coverage;
  /** Ordered by seed. */
  readonly failures: readonly Failure[];
  /** Seeds whose second run gave another hash, in order. */
  readonly differing: readonly bigint[];
  readonly repeated: number;
};

/** A failing world is run at most this often again, to find the faults that matter. */
const SHRINK_RUNS_MAX = 40;
/** Most failures that are shrunk, because a person reads them. */
const SHRINK_FAILURES_MAX = 3;

/**
 * Spreads the worlds over the runners and calls `onSeed` after each. Resolves with all finished worlds, failures shrunk; if stopped, with
 * the results so far. Rejects with what a runner throws.
 */
export async function runCampaign(options: CampaignOptions, modules: CampaignModules): Promise<Campaign> {
  const { firstSeed, seeds, minutes, repeatEvery } = options;
  const { runners, stopped, onSeed } = modules;
  const coverage = createCoverage();
  const sums = { seeds: 0, simulatedMs: 0, events: 0, fills: 0, repeated: 0 };
  const uptime = { quotedMs: 0, marketMs: 0 };
  const failures: Failure[] = [];
  const differing: bigint[] = [];
  const campaign = (): Campaign => ({
    ...sums,
    uptime: { ...uptime },
    coverage,
    failures: failures.toSorted((a, b) => Number(a.end.seed - b.end.seed)),
    differing: differing.toSorted((a, b) => Number(a - b)),
  });

  const runSeed = async (nth: number, run: RunOfWorld): Promise<void> => {
    const seed = firstSeed + BigInt(nth);
    const end = await run({ seed, minutes });
    const isRepeated = repeatEvery > 0 && nth % repeatEvery === 0;
    if (isRepeated && (await run({ seed, minutes })).digest !== end.digest) differing.push(seed);
    mergeCoverage(coverage, end.coverage);
    if (end.violation !== null) failures.push({ end, shrunk: end.faults });
    sums.seeds += 1;
    sums.simulatedMs += end.simulatedMs;
    sums.events += end.events;
    sums.fills += end.fills;
    uptime.quotedMs += end.uptime.quotedMs;
    uptime.marketMs += end.uptime.marketMs;
    sums.repeated += isRepeated ? 1 : 0;
    onSeed(campaign());
  };
  const all = Array.from({ length: seeds }, (_, nth) => nth);
  if (await isSpread(all, runSeed, runners, stopped)) {
    const { failures: found } = campaign();
    const shrinkOne = async ({ end }: Failure, run: RunOfWorld): Promise<void> => {
      const at = failures.findIndex((failure) => failure.end === end);
      failures[at] = { end, shrunk: await shrunkOf(end, minutes, run) };
    };
    await isSpread(found.slice(0, SHRINK_FAILURES_MAX), shrinkOne, runners, stopped);
  }
  return campaign();
}

async function shrunkOf({ violation, seed, faults }: RunEnd, minutes: number, run: RunOfWorld) {
  if (violation === null) return faults;
  const breaks = async (some: readonly Fault[]) => (await run({ seed, minutes, faults: some })).violation?.law ?? null;
  return (await shrink(faults, violation.law, breaks, SHRINK_RUNS_MAX)).faults;
}

type Shrunk = { readonly faults: readonly Fault[]; readonly runs: number };

/**
 * Finds fewer faults that break the same law: delta debugging (Zeller and Hildebrandt, 2002) on the list. `breaks`: the law that a world
 * with these faults breaks; null: none. Runs at most `runsMax` worlds.
 */
export async function shrink(
  faults: readonly Fault[],
  law: Law,
  breaks: (faults: readonly Fault[]) => Promise<Law | null>,
  runsMax: number,
): Promise<Shrunk> {
  let left = faults;
  let runs = 0;
  let parts = 2;
  while (left.length > 0 && runs < runsMax) {
    const smaller = await smallerOf(left, parts);
    if (smaller !== undefined) {
      left = smaller;
      parts = Math.max(2, parts - 1);
    } else if (parts >= left.length) break;
    else parts = Math.min(left.length, parts * 2);
  }
  return { faults: left, runs };

  /** The list without one of its parts, if that still breaks the law. */
  async function smallerOf(list: readonly Fault[], into: number): Promise<readonly Fault[] | undefined> {
    const size = Math.ceil(list.length / into);
    for (let from = 0; from < list.length && runs < runsMax; from += size) {
      const rest = [...list.slice(0, from), ...list.slice(from + size)];
      runs += 1;
      if ((await breaks(rest)) === law) return rest;
    }
    return undefined;
  }
}
