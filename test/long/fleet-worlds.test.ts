// A thousand failovers of a fleet in simulated worlds, counted.

import { expect, it } from "vitest";
import { campaign } from "../simulation/fleet/campaign.ts";

it("a thousand failovers break no law", async () => {
  const { violations, failovers, fills } = await campaign({ seeds: 60, minutes: 5 });
  console.log(`${failovers} failovers, ${fills} fills, ${violations.length} laws broken`);
  expect(violations).toEqual([]);
  expect(failovers).toBeGreaterThan(1000);
});
