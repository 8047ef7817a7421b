// What blocks of a run say of its sum.

import { expect, test } from "vitest";
import { cellLine, sumInterval } from "../../../src/backtest/summary.ts";
import { createPrng } from "../../../src/kernel/prng.ts";
import { outcomeOf } from "./report/outcome.ts";

test.each([6, 10, 30])(
  "the interval over %d blocks holds what they sum to on average in 93 to 97 of 100 runs",
  (count) => {
    const prng = createPrng(9n);
    let held = 0;
    for (let run = 0; run < 2000; run += 1) {
      const [low, high] = sumInterval(Array.from({ length: count }, () => 1 + 3 * prng.gaussian())) ?? [0, 0];
      if (low <= count && count <= high) held += 1;
    }
    expect(held / 2000).toBeGreaterThan(0.93);
    expect(held / 2000).toBeLessThan(0.97);
  },
);

test("fewer than six blocks have none", () => {
  expect(sumInterval([1, 2, 3, 4, 5])).toBeNull();
  expect(sumInterval([])).toBeNull();
});

test("runs in recordings have the interval of all their blocks, whatever recording holds them", () => {
  const { line } = outcomeOf(1);
  const runOf = (...pnls: readonly number[]) => ({
    ...line,
    pnl: `${pnls.reduce((sum, pnl) => sum + pnl, 0)}`,
    blocks: pnls.map((pnl, nth) => ({ fromMs: nth, toMs: nth + 1, pnl, closingCost: 0, markets: [] })),
  });
  const all = [1, 4, 2, -3, 5, 2, 0, 3];
  expect(cellLine([runOf(...all)]).pnlCi95).toEqual(sumInterval(all));
  const [low = 0, high = 0] = sumInterval(all) ?? [];
  const { pnlMean, pnlCi95 } = cellLine([runOf(...all.slice(0, 3)), runOf(...all.slice(3))]);
  expect(pnlMean).toBe(7);
  expect(pnlCi95).toEqual([expect.closeTo(low / 2, 5), expect.closeTo(high / 2, 5)]);
  expect(cellLine([runOf(1, 2, 3, 4, 5)]).pnlCi95).toEqual([null, null]);
});
