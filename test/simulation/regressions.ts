// Seeds that broke a law since the bot resynchronizes, each with what was wrong, the newest last; `npm run test:long` runs them. What one
// taught has a test of its own; a seed leaves with the mechanism that it guarded.
// Those so far broke in worlds whose index had a drift; without it the same seed is another world.

import { expect, test } from "vitest";
import { faultLine } from "../../src/sim/faults/fault.ts";
import { runWorld } from "../../src/sim/run.ts";

type Regression = {
  readonly seed: bigint;
  /** Of the world, 10 unless said. */
  readonly minutes?: number;
  readonly wrong: string;
};

export const regressions: readonly Regression[] = [
  {
    seed: 349n,
    minutes: 5,
    wrong:
      "reads from before a fill that a frame had told were adopted, since no transaction of ours had changed anything",
  },
  {
    seed: 600159n,
    minutes: 4,
    wrong:
      "an order stamped ahead by a wrong clock, its answer lost beside the owner's stop: closed until that time had come",
  },
  {
    seed: 610002n,
    minutes: 4,
    wrong:
      "what a lost place might have become, long after its market was cleared, was an order of the owner's, and went with ours",
  },
  {
    seed: 610435n,
    minutes: 4,
    wrong: "pongs from forty minutes ahead outlived what could still land: it landed, and was taken for another's",
  },
  {
    seed: 612047n,
    minutes: 4,
    wrong: "the simulation: a read without lists, by one fault, was to be changed by another",
  },
  {
    seed: 32761n,
    minutes: 2,
    wrong: "a fill that its public trade told first did not hold an adoption back, and was booked beside it",
  },
];

const MINUTES = 10;
/** A world takes seconds of a core, and some a minute of a starved one. */
const WORLD_MS_MAX = 300_000;

/** One test a seed: no law is broken there. */
export function holdsInSeeds(seeds: readonly Regression[]): void {
  for (const { seed, minutes = MINUTES, wrong } of seeds) {
    test(`seed ${seed}: ${wrong}`, { timeout: WORLD_MS_MAX }, async () => {
      const { violation, faults, lines } = await runWorld({ seed, minutes });
      const story = [
        `npx quoin simulate --seeds 1 --seed ${seed} --minutes ${minutes}`,
        ...faults.map(faultLine),
        ...lines.slice(-20),
      ];
      expect(violation, story.join("\n")).toBeNull();
    });
  }
}
