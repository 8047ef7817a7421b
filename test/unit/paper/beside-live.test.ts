// A day in small: the demo's strategies live and on paper beside each other, in virtual time.

import { expect, test } from "vitest";
import { runBeside } from "../../../bench/paper-beside.ts";
import { loadConfiguration } from "../../../src/configuration.ts";
import { systemFiles } from "../../../src/kernel/yaml/files.ts";

test("paper accounts trade what a live one could have, without a disagreement, and nothing of them goes to the exchange", async () => {
  const configuration = await loadConfiguration("config/demo.yaml", systemFiles);
  const { traded, leaked, warnings } = await runBeside(configuration, { hours: 0.05, seed: 1n });
  expect(leaked).toEqual([]);
  expect(warnings).toEqual([]);
  const [live, averse, optimistic] = traded.map(({ volume }) => volume);
  expect(traded.map(({ model }) => model)).toEqual([null, "riskAverse", "optimistic"]);
  expect(averse).toBeGreaterThan(0);
  expect(averse).toBeLessThanOrEqual((optimistic ?? 0) * 1.05);
  expect(optimistic).toBeLessThanOrEqual((live ?? 0) * 1.2);
});
