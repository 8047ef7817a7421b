// The distributions that the crowd draws from, against their own formulas.
import { describe, expect, it } from "vitest";
import { drawsOf, exponentialOf, paretoOf, sizeFactor, studentOf, times } from "../../../../src/devnet/crowd/draws.ts";
import { size } from "../../../../src/domain/units.ts";

const draw = drawsOf(11n, 1);
const COUNT = 50_000;
const drawn = (of: (counter: number) => number) => [...Array(COUNT).keys()].map(of);
const share = (values: readonly number[], is: (value: number) => boolean) => values.filter(is).length / values.length;
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe("a draw", () => {
  it("is exponential with mean 1: above 2 with probability exp(-2)", () => {
    const values = drawn((counter) => exponentialOf(draw(1, counter)));
    expect(mean(values)).toBeCloseTo(1, 1);
    expect(share(values, (value) => value > 2)).toBeCloseTo(Math.exp(-2), 2);
  });

  it("is Pareto: at least 1, above 4 with probability 1/8 for exponent 1.5", () => {
    const values = drawn((counter) => paretoOf(draw(2, counter), 1.5));
    expect(Math.min(...values)).toBeGreaterThanOrEqual(1);
    expect(share(values, (value) => value > 4)).toBeCloseTo(1 / 8, 2);
  });

  it("is Student's t of four degrees with variance 1: beyond 3 deviations with probability 0.0132", () => {
    const values = drawn((counter) => studentOf(draw, 3, counter));
    expect(mean(values.map((value) => Math.min(value * value, 400)))).toBeCloseTo(1, 0);
    expect(share(values, (value) => Math.abs(value) > 3)).toBeGreaterThan(0.0115);
    expect(share(values, (value) => Math.abs(value) > 3)).toBeLessThan(0.015);
  });
});

describe("a size", () => {
  const factors = drawn((counter) => sizeFactor(draw, 10, counter));

  it("is around one typical order, with a tail of exponent 1.5 that ends at a hundred", () => {
    expect(share(factors, (factor) => factor < 1.2)).toBeGreaterThan(0.45);
    expect(share(factors, (factor) => factor < 1)).toBeLessThan(0.5);
    expect(Math.max(...factors)).toBeLessThanOrEqual(100);
    // One in eight is at least three typical ones; of those 4^-1.5 are at least twelve. The body adds next to nothing there.
    expect(share(factors, (factor) => factor >= 12)).toBeCloseTo(1 / 64, 2);
  });

  it("is at least one unit of size, whatever it multiplies", () => {
    for (const factor of factors.slice(0, 1000)) expect(times(size(1n), factor / 1000)).toBeGreaterThanOrEqual(1n);
  });
});
