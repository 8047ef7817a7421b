// Worlds as tests, run by the command itself in a process of its own: what it prints of a broken law is enough to run it again.

import { expect, test } from "vitest";
import { quoinDone } from "../support/quoin.ts";

const MINUTES = 10;
/** A world takes a second of a core, ten and more of a starved one; one that breaks a law runs again and again until its faults are few. */
const WORLD_MS_MAX = 60_000;
const SHRINKING_MS_MAX = 120_000;

/** One test over worlds of ten simulated minutes each; one in a hundred is run twice and must come out the same. */
export function holdsInWorlds(name: string, firstSeed: bigint, seeds: number): void {
  test(name, { timeout: seeds * WORLD_MS_MAX + SHRINKING_MS_MAX }, async () => {
    const options = { seeds: `${seeds}`, seed: `${firstSeed}`, minutes: `${MINUTES}` };
    const { code, stdout, stderr } = await quoinDone([
      "simulate",
      ...Object.entries(options).flatMap(([option, value]) => [`--${option}`, value]),
    ]);
    expect(code, `${stdout}${stderr}`).toBe(0);
  });
}
