// Waiting for conditions instead of sleeping.

import { setTimeout as pause } from "node:timers/promises";

/** Pause between two checks: a tenth of the time waited so far, within these bounds, so that slow conditions are checked rarely. */
const PAUSE_MS_MIN = 10;
const PAUSE_MS_MAX = 50;

/** Output of the programs that a test runs, for the message of a failed wait. */
const witnesses: (() => Promise<string>)[] = [];
export const whenInVain = (witness: () => Promise<string>): unknown => witnesses.push(witness);

/**
 * Resolves with the first truthy value of `probe`. Throws, naming `what`, after `limitMs`: how long a loaded machine may take, not how long
 * it should.
 */
export async function until<T>(
  what: string,
  probe: () => T | Promise<T>,
  limitMs = 120_000,
): Promise<Exclude<T, undefined | null | false | 0 | "">> {
  const startedMs = performance.now();
  for (;;) {
    const value = await probe();
    if (value) return value as Exclude<T, undefined | null | false | 0 | "">;
    const waitedMs = performance.now() - startedMs;
    if (waitedMs > limitMs) {
      const said = await Promise.all(witnesses.map((witness) => witness()));
      throw new Error([`waited ${limitMs} ms in vain for: ${what}`, ...said].join("\n"));
    }
    await pause(Math.min(Math.max(waitedMs / 10, PAUSE_MS_MIN), PAUSE_MS_MAX));
  }
}
