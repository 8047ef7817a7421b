// When the noise comes and which side it takes: clustered, persistent, near flat, and a function of the seed alone.
import { describe, expect, it } from "vitest";
import { type ArrivalState, arriveUntil, BRANCHING, newArrivals } from "../../../../src/devnet/crowd/arrivals.ts";
import { drawsOf } from "../../../../src/devnet/crowd/draws.ts";

const GAPS_PER_BLOCK = 0.1;
const BLOCKS = 200_000;
const rate = { draw: drawsOf(7n, 1), gapsPerBlock: GAPS_PER_BLOCK };

function simulated() {
  const state = newArrivals();
  const counts: number[] = [];
  const sides: number[] = [];
  for (let height = 1; height <= BLOCKS; height += 1) {
    arriveUntil(state, height, rate);
    counts.push(state.sides.length);
    sides.push(...state.sides);
  }
  return { counts, sides, state };
}

const { counts, sides, state: last } = simulated();
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const signMemory = (lag: number) => mean(sides.slice(lag).map((side, at) => side * (sides[at] ?? 0)));

describe("noise arrivals", () => {
  it("come once a mean gap", () => {
    expect(sides.length / (BLOCKS * GAPS_PER_BLOCK)).toBeGreaterThan(0.8);
    expect(sides.length / (BLOCKS * GAPS_PER_BLOCK)).toBeLessThan(1.25);
  });

  it("cause others: counts over 20 gaps vary by more than 1 / (1 - branching)^2 of a Poisson's, and not without bound", () => {
    const window = 200;
    const windows = [...Array(BLOCKS / window).keys()].map((at) =>
      counts.slice(at * window, (at + 1) * window).reduce((sum, count) => sum + count, 0),
    );
    const center = mean(windows);
    const dispersion = mean(windows.map((count) => (count - center) ** 2)) / center;
    // A window of eight memories holds most of a cluster; what is left over makes room for busy and quiet times.
    expect(dispersion).toBeGreaterThan(0.7 / (1 - BRANCHING) ** 2);
    expect(dispersion).toBeLessThan(8 / (1 - BRANCHING) ** 2);
  });

  it("keep their side for long, the less the longer", () => {
    expect(signMemory(1)).toBeGreaterThan(0.3);
    expect(signMemory(1)).toBeLessThan(0.9);
    expect(signMemory(20)).toBeGreaterThan(0.05);
    expect(signMemory(20)).toBeLessThan(signMemory(2));
  });

  it("are near flat in the end", () => {
    expect(Math.abs(last.net)).toBeLessThan(1500);
    expect(last.net).toBe(sides.reduce((sum, side) => sum + side, 0));
  });

  it("do not depend on how often the state was asked, saved and loaded", () => {
    let state = newArrivals();
    for (const height of [3, 3, 500, 501, 20_000]) {
      arriveUntil(state, height, rate);
      state = JSON.parse(JSON.stringify(state)) as ArrivalState;
    }
    const direct = newArrivals();
    arriveUntil(direct, 20_000, rate);
    expect(state).toEqual(direct);
  });

  it("never come where the rate is zero", () => {
    const state = newArrivals();
    arriveUntil(state, 1000, { ...rate, gapsPerBlock: 0 });
    expect(state.count).toBe(0);
  });
});
