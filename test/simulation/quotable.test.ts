// A world in which the bot cannot trade would hold every law for nothing: without faults a market with a maker is quoted on both sides.

import { expect, test } from "vitest";
import { runWorld } from "../../src/sim/run.ts";

/** It has a maker, who quotes around what prints are expected to add, and an index that moves much. */
const SEED = 107n;

test("without faults a world with a maker is quoted on both sides for most of the time, and filled", async () => {
  const { violation, uptime, fills } = await runWorld({ seed: SEED, minutes: 4, faults: [] });
  expect(violation).toBeNull();
  expect(uptime.quotedMs / uptime.marketMs).toBeGreaterThan(0.5);
  expect(fills).toBeGreaterThan(20);
});
