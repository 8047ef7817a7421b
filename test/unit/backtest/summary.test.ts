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

test("runs in a recording are one world: more seeds make their interval no narrower", () => {
  const { line } = outcomeOf(1);
  const recorded = { ...line, pnl: "10", pnlCi95: [4, 16] as const };
  expect(cellLine([recorded]).pnlCi95).toEqual([4, 16]);
  expect(cellLine([recorded, recorded, recorded]).pnlCi95).toEqual([4, 16]);
  expect(cellLine([{ ...line, pnlCi95: null }]).pnlCi95).toEqual([null, null]);
});
