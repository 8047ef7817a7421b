// Beside the crowd the position of a strategy has the standard deviation that it was given, once a day has shown what the skew comes to.

import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runStrategy } from "../../bench/strategies/run.ts";

const file = fileURLToPath(new URL("../../bench/strategies/print-aware.yaml", import.meta.url));
const MARKET = "accounts.12.markets.1";
const WANTED = 5 / 3;

test.each([
  ["glft", 101],
  ["glft", 104],
  ["avellaneda-stoikov", 101],
  ["avellaneda-stoikov", 104],
])(
  "%s, seed %d: within 0.15 of the wanted one over four days",
  async (strategy, seed) => {
    const settings = [
      { path: `${MARKET}.strategy`, value: strategy },
      { path: `${MARKET}.params`, value: { size: 0.5, maxInventory: 5, inventoryStd: 1.666_667 } },
    ];
    const { positionStd } = await runStrategy({ file, settings, seed, days: 4, warmUpDays: 1 });
    expect(Math.abs(positionStd / WANTED - 1)).toBeLessThan(0.15);
  },
  300_000,
);
