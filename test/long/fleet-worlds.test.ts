// Thousands of failovers of a fleet in simulated worlds, counted.

import { expect, it } from "vitest";
import { campaign } from "../simulation/fleet/campaign.ts";

it.each([
  ["confirmed by a standby", false],
  ["that a standby may lack", true],
])("a thousand failovers break no law, over commits %s", async (_, isAsynchronous) => {
  const { violations, failovers, fills } = await campaign({ seeds: 60, minutes: 5, isAsynchronous });
  console.log(`${failovers} failovers, ${fills} fills, ${violations.length} laws broken`);
  expect(violations).toEqual([]);
  expect(failovers).toBeGreaterThan(1000);
});
