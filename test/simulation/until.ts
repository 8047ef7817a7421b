// Waiting for conditions in a world of virtual time.

import type { World } from "../../src/sim/world.ts";

/** Lets the world's time go on until `isSo`, and returns how long that took, ms. Throws, naming `what`, after `mostMs`. */
export const untilIn =
  ({ clock }: Pick<World, "clock">) =>
  async (what: string, isSo: () => boolean, mostMs: number): Promise<number> => {
    const startMs = clock.elapsedMs();
    while (!isSo()) {
      if (clock.elapsedMs() - startMs > mostMs) throw new Error(`not within ${mostMs} ms: ${what}`);
      await clock.advance(20);
    }
    return clock.elapsedMs() - startMs;
  };
