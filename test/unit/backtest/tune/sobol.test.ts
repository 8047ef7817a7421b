// Sobol points, against the published sequence and against what makes them even.

import { expect, test } from "vitest";
import { SOBOL_DIMENSIONS_MAX, sobolPoints } from "../../../../src/backtest/tune/sobol.ts";

test("the first points are those that Joe and Kuo publish", () => {
  expect([...sobolPoints(10).take(4)]).toEqual([
    [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5],
    [0.75, 0.25, 0.25, 0.25, 0.75, 0.75, 0.25, 0.75, 0.75, 0.75],
    [0.25, 0.75, 0.75, 0.75, 0.25, 0.25, 0.75, 0.25, 0.25, 0.25],
    [0.375, 0.375, 0.625, 0.875, 0.375, 0.125, 0.375, 0.875, 0.875, 0.625],
  ]);
});

test("of 1,023 points and the corner, each 1,024th of each dimension has one", () => {
  const points = [...sobolPoints(SOBOL_DIMENSIONS_MAX).take(1023)];
  for (let dimension = 0; dimension < SOBOL_DIMENSIONS_MAX; dimension += 1) {
    const places = points.map((point) => Math.floor((point[dimension] ?? 0) * 1024));
    expect(new Set([0, ...places]).size).toBe(1024);
  }
});
