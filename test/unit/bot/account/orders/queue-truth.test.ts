// What the bot says of the place of its orders, against the engine's own queue. `bench/queue.ts` measures the same over hours.

import { expect, test } from "vitest";
import { looksOf } from "../../../../../bench/queue-looks.ts";
import { loadConfiguration } from "../../../../../src/configuration.ts";
import { systemFiles } from "../../../../../src/kernel/yaml/files.ts";

test("law: an order stands where the exchange has it, within a tenth of what rests at its price", async () => {
  const configuration = await loadConfiguration("config/demo.yaml", systemFiles);
  const { looks, unknown } = await looksOf(configuration, { hours: 0.05, seed: 1n });
  const shared = looks.filter((look) => look.true > 0 || look.said > 0);
  expect(shared.length).toBeGreaterThan(50);
  expect(unknown / looks.length).toBeLessThan(0.05);
  const errors = shared.map((look) => Math.abs(look.said - look.true));
  expect(errors.reduce((sum, error) => sum + error, 0) / errors.length).toBeLessThan(0.1);
});
