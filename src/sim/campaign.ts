// Many worlds one after the other: what they broke, what they covered, and whether the same seed gives the same world.

import { type Coverage, createCoverage, mergeCoverage } from "./coverage.ts";
import type { Fault } from "./faults/fault.ts";
import type { Law } from "./invariants/law.ts";
import { type RunEnd, type RunOptions, runWorld } from "./run.ts";

export type CampaignOptions = {
  readonly firstSeed: bigint;
  readonly seeds: number;
  /** Simulated, each. */
  readonly minutes: number;
  /** Every how many seeds one runs twice; 0: never. */
  readonly repeatEvery: number;
  readonly swaps?: RunOptions["swaps"];
};

export type Failure = {
  readonly end: RunEnd;
  /** A list of faults that is enough. */
  readonly shrunk: readonly Fault[];
};

export type Campaign = {
  readonly seeds: number;
  readonly simulatedMs: number;
  readonly events: number;
  readonly fills: number;
  readonly coverage: Coverage;
  readonly failures: readonly Failure[];
  /** Seeds that gave another hash the second time. */
  readonly differing: readonly bigint[];
  readonly repeated: number;
};

/** A failing world is run this often again, at most, to find the faults that matter. */
const SHRINK_RUNS_MAX = 40;
/** Somebody reads the shrunk failures, and reads only a few. */
const SHRINK_FAILURES_MAX = 3;

/** Calls `onSeed` after each world. */
export async function runCampaign(options: CampaignOptions, onSeed: (campaign: Campaign) => void): Promise<Campaign> {
  const { firstSeed, seeds, minutes, repeatEvery, swaps = {} } = options;
  const coverage = createCoverage();
  const failures: Failure[] = [];
  const differing: bigint[] = [];
  let sums = { seeds: 0, simulatedMs: 0, events: 0, fills: 0, repeated: 0 };
  for (let nth = 0; nth < seeds; nth += 1) {
    const seed = firstSeed + BigInt(nth);
    const end = await runWorld({ seed, minutes, swaps });
    mergeCoverage(coverage, end.coverage);
    if (end.violation !== null) failures.push(await failureOf(end, minutes, swaps, failures.length));
    const repeats = repeatEvery > 0 && nth % repeatEvery === 0;
    if (repeats && (await runWorld({ seed, minutes, swaps })).digest !== end.digest) differing.push(seed);
    sums = {
      seeds: sums.seeds + 1,
      simulatedMs: sums.simulatedMs + end.simulatedMs,
      events: sums.events + end.events,
      fills: sums.fills + end.fills,
      repeated: sums.repeated + (repeats ? 1 : 0),
    };
    onSeed({ ...sums, coverage, failures, differing });
  }
  return { ...sums, coverage, failures, differing };
}

async function failureOf(
  end: RunEnd,
  minutes: number,
  swaps: NonNullable<RunOptions["swaps"]>,
  before: number,
): Promise<Failure> {
  const { seed, violation, faults } = end;
  if (violation === null || before >= SHRINK_FAILURES_MAX) return { end, shrunk: faults };
  const breaks = async (some: readonly Fault[]) =>
    (await runWorld({ seed, minutes, swaps, faults: some })).violation?.law ?? null;
  return { end, shrunk: (await shrink(faults, violation.law, breaks, SHRINK_RUNS_MAX)).faults };
}

type Shrunk = { readonly faults: readonly Fault[]; readonly runs: number };

/**
 * Fewer faults that break the same law: delta debugging (Zeller and Hildebrandt, 2002) on the list. `breaks`: which law a world with
 * these faults breaks; null: none. Runs at most `runsMax` worlds.
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

  /** The list without one of its parts, when that still breaks the law. */
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
