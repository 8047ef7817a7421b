// A shipped strategy beside the crowd: it rests on both sides, is filled by the crowd, and what it is said to have earned is what the
// exchange has on its account.

import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { runStrategy } from "../../../../bench/strategies/run.ts";

const HOUR = 1 / 24;

const run = (name: string, seed: number) => {
  const file = fileURLToPath(new URL(`../../../../bench/strategies/${name}.yaml`, import.meta.url));
  return runStrategy({ file, settings: [], seed, days: HOUR });
};

describe.each(["fixed-spread", "print-aware"])("%s beside the crowd", (name) => {
  test("rests on both sides and is filled, and its sources of profit are all that the exchange has on its account", async () => {
    const { uptime, fills, daily, pnl, residual } = await run(name, 3);
    expect(uptime).toBeGreaterThan(0.5);
    expect(fills).toBeGreaterThan(5);
    expect(daily).toEqual([pnl.total]);
    expect(pnl.spread).toBeGreaterThan(0);
    expect(residual).toBe(0);
  });

  test("does the same again from the same seed, and other things from another", async () => {
    const [first, second, other] = [await run(name, 3), await run(name, 3), await run(name, 4)];
    expect(second).toEqual(first);
    expect(other.stateRoot).not.toBe(first.stateRoot);
  });
});
