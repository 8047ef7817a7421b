// A campaign over runners that answer at once, in any order: what it adds up, in which order it tells it, and what a stop leaves of it.

import { expect, test } from "vitest";
import { stringifyQuoted } from "../../src/kernel/json.ts";
import { type CampaignModules, type RunOfWorld, runCampaign } from "../../src/sim/campaign.ts";
import { cover, coverageRecord, createCoverage } from "../../src/sim/coverage.ts";
import type { Fault } from "../../src/sim/faults/fault.ts";
import type { RunEnd, WorldJob } from "../../src/sim/run.ts";

const fault = (id: number): Fault => ({ id, kind: "stall", how: "short", atMs: id, forMs: 0, amount: 100 });

const endOf = ({ seed, faults = [fault(0), fault(1)] }: WorldJob, isBroken = false): RunEnd => ({
  seed,
  violation: isBroken && faults.some(({ id }) => id === 1) ? { law: "S2", atMs: 0, text: "" } : null,
  faults,
  digest: `${seed}`,
  events: 1,
  simulatedMs: 10,
  fills: 2,
  uptime: { quotedMs: 3, marketMs: 4 },
  coverage: createCoverage(),
  lines: [],
});

const never = new Promise<void>(() => {});
const options = { firstSeed: 1n, seeds: 8, minutes: 10, repeatEvery: 4 };

function campaignOf(runners: readonly RunOfWorld[], changes: Partial<CampaignModules> = {}) {
  return runCampaign(options, { runners, stopped: never, onSeed: () => {}, ...changes });
}

test("every seed is run once, and one in so many twice, whatever the number of runners", async () => {
  for (const count of [1, 3, 20]) {
    const seeds: bigint[] = [];
    const run: RunOfWorld = async (world) => {
      seeds.push(world.seed);
      return endOf(world);
    };
    const campaign = await campaignOf(Array.from({ length: count }, () => run));
    expect(seeds.toSorted((a, b) => Number(a - b))).toEqual([1n, 1n, 2n, 3n, 4n, 5n, 5n, 6n, 7n, 8n]);
    expect(campaign).toMatchObject({
      seeds: 8,
      repeated: 2,
      events: 8,
      fills: 16,
      uptime: { quotedMs: 24, marketMs: 32 },
      simulatedMs: 80,
      differing: [],
    });
  }
});

test("failures are told by seed, each with the faults that are enough", async () => {
  const waits = new Map([
    [2n, 5],
    [7n, 0],
  ]);
  const run: RunOfWorld = async (world) => {
    for (let turn = 0; turn < (waits.get(world.seed) ?? 1); turn += 1) await Promise.resolve();
    return endOf(world, waits.has(world.seed));
  };
  const { failures } = await campaignOf([run, run]);
  expect(failures.map(({ end, shrunk }) => [end.seed, shrunk.map(({ id }) => id)])).toEqual([
    [2n, [1]],
    [7n, [1]],
  ]);
});

test("a seed whose second run differs is named", async () => {
  let runs = 0;
  const run: RunOfWorld = async (world) => {
    runs += 1;
    return { ...endOf(world), digest: `${world.seed} ${world.seed === 5n ? runs : 0}` };
  };
  expect((await campaignOf([run])).differing).toEqual([5n]);
});

test("the order in which worlds end changes nothing, not even the order of keys", async () => {
  const states = ["unknown", "none", "resting"] as const;
  const told = async (turnsOf: (nth: number) => number) => {
    const seen = new Set<bigint>();
    const run: RunOfWorld = async (world) => {
      const nth = Number(world.seed) - 1;
      const digest = seen.has(world.seed) ? "another" : "first";
      seen.add(world.seed);
      for (let turn = 0; turn < turnsOf(nth); turn += 1) await Promise.resolve();
      const coverage = createCoverage();
      cover(coverage, "crash", [states[nth % 3] ?? "none"]);
      return { ...endOf(world, nth % 2 === 0), coverage, digest };
    };
    const campaign = await campaignOf(Array.from({ length: 8 }, () => run));
    expect(campaign.differing).toEqual([1n, 5n]);
    return stringifyQuoted({ ...campaign, coverage: coverageRecord(campaign.coverage) });
  };
  expect(await told((nth) => 80 - 10 * nth)).toBe(await told((nth) => 10 * nth));
});

test("a stop leaves what has ended, and waits for no world", async () => {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const run: RunOfWorld = (world) => (world.seed === 3n ? new Promise(() => {}) : Promise.resolve(endOf(world)));
  const campaign = await campaignOf([run], {
    stopped,
    onSeed: ({ seeds }) => {
      if (seeds === 2) stop();
    },
  });
  expect(campaign.seeds).toBe(2);
});

test("what ends a runner ends the campaign", async () => {
  const run: RunOfWorld = () => Promise.reject(new Error("out of memory"));
  await expect(campaignOf([run])).rejects.toThrow("out of memory");
});
