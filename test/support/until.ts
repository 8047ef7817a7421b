// Waiting for conditions instead of sleeping.

import { setTimeout as pause } from "node:timers/promises";

/**
 * Resolves with the first truthy value of `probe`, asked every 10 ms. Throws, naming `what`, after `limitMs`: how long a loaded machine
 * may take, not how long it should.
 */
export async function until<T>(
  what: string,
  probe: () => T | Promise<T>,
  limitMs = 120_000,
): Promise<Exclude<T, undefined | null | false | 0 | "">> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const value = await probe();
    if (value) return value as Exclude<T, undefined | null | false | 0 | "">;
    if (performance.now() > deadline) throw new Error(`waited ${limitMs} ms in vain for: ${what}`);
    await pause(10);
  }
}
