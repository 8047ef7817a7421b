// Worlds as tests: what a broken law prints is enough to run it again.

import { expect, test } from "vitest";
import { faultLine } from "../../src/sim/faults/fault.ts";
import { type RunEnd, runWorld } from "../../src/sim/run.ts";

const MINUTES = 10;
/** A world takes a second or two of a core. */
const WORLD_MS_MAX = 20_000;

/** What a failing world says of itself; empty when every law held. */
function faultOf({ seed, violation, faults, lines }: RunEnd): readonly string[] {
  if (violation === null) return [];
  return [
    `seed ${seed}: ${violation.law} at ${violation.atMs} ms: ${violation.text}`,
    `again: npx quoin simulate --seeds 1 --seed ${seed} --minutes ${MINUTES}`,
    ...faults.map(faultLine),
    ...lines.slice(-20),
  ];
}

/** One test over worlds of ten simulated minutes each; one in a hundred is run twice. */
export function holdsInWorlds(name: string, firstSeed: number, seeds: number): void {
  test(name, { timeout: seeds * WORLD_MS_MAX }, async () => {
    for (let seed = BigInt(firstSeed); seed < BigInt(firstSeed + seeds); seed += 1n) {
      const end = await runWorld({ seed, minutes: MINUTES });
      expect(faultOf(end)).toEqual([]);
      if (seed % 100n === 0n) expect((await runWorld({ seed, minutes: MINUTES })).digest).toBe(end.digest);
    }
  });
}
