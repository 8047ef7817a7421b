// The normal distribution against published tables.

import { expect, test } from "vitest";
import { normalCdf, normalQuantile } from "../../../src/kernel/normal.ts";

test.each([
  [0, 0.5],
  [1, 0.841_344_746_068_543],
  [-1.959_963_984_540_054, 0.025],
  [3, 0.998_650_101_968_37],
  [-5, 2.866_515_718_791_94e-7],
])("below %d lies %d", (x, probability) => {
  expect(normalCdf(x)).toBeCloseTo(probability, 13);
  expect(normalCdf(-x)).toBeCloseTo(1 - probability, 13);
  expect(normalQuantile(probability)).toBeCloseTo(x, 7);
});

test("far out it is 0 and 1, never beyond", () => {
  expect([-1e6, -9, 9, 1e6].map(normalCdf)).toEqual([0, 0, 1, 1]);
});
