// A world and its end as text: nothing of them is lost on the way to another machine and back.

import { expect, test } from "vitest";
import { cover, createCoverage } from "../../src/sim/coverage.ts";
import type { RunEnd } from "../../src/sim/run.ts";
import { readWorldJob, worldEndText, worldJobs } from "../../src/sim/world-text.ts";

const faults = [{ id: 3, kind: "crash", how: "power", atMs: 0.1 + 0.2, forMs: 0, amount: 1e-7 }] as const;

test("a world comes back with its seed beyond 2^53, and with the faults that shrinking has left", () => {
  for (const job of [
    { seed: 2n ** 63n, minutes: 2.5 },
    { seed: 1n, minutes: 10, faults },
    { seed: 1n, minutes: 10, faults: [] },
  ])
    expect(readWorldJob(worldJobs.write(job).text)).toEqual(job);
});

test("the end of a world that broke a law comes back as it was", () => {
  const coverage = createCoverage();
  cover(coverage, "crash", ["unknown", "none", "unknown"]);
  const end: RunEnd = {
    seed: 2n ** 63n,
    violation: { law: "S2", atMs: 0.1 + 0.2, text: "a \u0000 and a \ud800" },
    faults,
    digest: "d",
    events: 5,
    simulatedMs: 120_000,
    fills: 1,
    uptime: { quotedMs: 0.5, marketMs: 1 },
    coverage,
    lines: ["one", ""],
  };
  expect(worldJobs.readEnd(worldEndText(end))).toEqual(end);
});
