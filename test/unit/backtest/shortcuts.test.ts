// A run with its shortcuts is the run without them, to the byte.

import { expect, test } from "vitest";
import { runConfigured } from "../../../src/backtest/run.ts";
import { loadConfiguration } from "../../../src/configuration.ts";
import { systemFiles } from "../../../src/kernel/yaml/files.ts";
import { DEMO, demoMarket } from "../../support/demo-market.ts";
import { backtestFiles } from "./scene.ts";

const scenes = [
  { name: "a market of the demo", load: () => demoMarket("demo"), days: 0.002, seed: 1n },
  { name: "a thin market that prints once a day", load: () => demoMarket("daily"), days: 0.01, seed: 3n },
  {
    name: "two markets that print each half minute",
    load: () => loadConfiguration(backtestFiles(), systemFiles),
    days: 0.002,
    seed: 3n,
  },
];

test.each(scenes)("shortcuts change nothing of $name", async ({ load, days, seed }) => {
  const configuration = await load();
  const run = (shortcuts: boolean) =>
    runConfigured(configuration, {
      file: DEMO,
      name: null,
      keepsFills: false,
      settings: [],
      seed,
      days,
      warmUpDays: days / 4,
      world: "drawn",
      shortcuts,
    });
  const plain = await run(false);
  expect(await run(true)).toStrictEqual(plain);
  expect(plain.line.markets.every(({ fills }) => fills > 0)).toBe(true);
});
