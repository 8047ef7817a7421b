// A shipped strategy beside the crowd: it rests on both sides, is filled by the crowd, and what it is said to have earned is what the
// exchange has on its account.

import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runStrategy } from "../../../../bench/strategies/run.ts";

const HOUR = 1 / 24;

const run = (name: string, seed: number) => {
  const file = fileURLToPath(new URL(`../../../../bench/strategies/${name}.yaml`, import.meta.url));
  return runStrategy({ file, settings: [], seed, days: HOUR });
};

test.each(["fixed-spread", "print-aware"])(
  "%s rests on both sides of the crowd and is filled; what it earned is what the exchange has; again the same from the same seed",
  async (name) => {
    const first = await run(name, 3);
    const { uptime, fills, daily, pnl, residual } = first;
    expect(uptime).toBeGreaterThan(0.5);
    expect(fills).toBeGreaterThan(5);
    expect(daily).toEqual([pnl.total]);
    expect(pnl.spread).toBeGreaterThan(0);
    expect(residual).toBe(0);
    expect(await run(name, 3)).toEqual(first);
    expect((await run(name, 4)).stateRoot).not.toBe(first.stateRoot);
  },
);
