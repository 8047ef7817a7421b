// The shipped strategies in the experiments of the papers, held against exact values. test/long runs the full number of paths.

import { describe, expect, test } from "vitest";
import { createPrng } from "../../../src/kernel/prng.ts";
import { closedForm, gammaForInventory, inventoryTarget } from "../../../strategies/glft.ts";
import { formulaOf, glftFigures, glftRows, paperRows, shippedOf } from "../../support/paper-rows.ts";
import { type Depths, exactDepths, exactMoments, simulateMoments } from "../../support/papers.ts";
import { avellanedaStoikov, glft } from "../../support/shipped-quotes.ts";

describe("Avellaneda and Stoikov, table 1", () => {
  test.each(paperRows)("gamma $gamma, $strategy: the exact recursion gives the known values", (row) => {
    const { profit, profitStd, inventory, inventoryStd } = exactMoments(formulaOf(row));
    expect(profit).toBeCloseTo(row.known.profit, 2.5);
    expect(profitStd).toBeCloseTo(row.known.profitStd, 2.5);
    expect(inventoryStd).toBeCloseTo(row.known.inventoryStd, 2.5);
    expect(inventory).toBeCloseTo(0, 9);
  });

  const PATHS = 2000;
  test.each(paperRows)(
    `gamma $gamma, $strategy: ${PATHS} paths of what is shipped are within four standard errors`,
    (row) => {
      const exact = exactMoments(formulaOf(row));
      const ours = simulateMoments(shippedOf(row), PATHS, createPrng(5n));
      const errors = (seen: number, wanted: number, error: number) => Math.abs(seen - wanted) / error;
      expect(errors(ours.profit, exact.profit, exact.profitStd / Math.sqrt(PATHS))).toBeLessThan(4);
      expect(errors(ours.inventory, 0, exact.inventoryStd / Math.sqrt(PATHS))).toBeLessThan(4);
      // The deviation of a deviation, for laws with tails no heavier than the normal one's.
      for (const key of ["profitStd", "inventoryStd"] as const)
        expect(errors(ours[key], exact[key], exact[key] / Math.sqrt(2 * PATHS))).toBeLessThan(4);
    },
  );

  test("against holding the inventory in check: at most 0.4 of its deviation, at least 0.93 of the profit at gamma 0.1", () => {
    for (const gamma of [0.1, 0.5, 1]) {
      const [inventory, symmetric] = (["inventory", "symmetric"] as const).map((strategy) =>
        exactMoments(formulaOf(paperRows.find((row) => row.gamma === gamma && row.strategy === strategy)!)),
      );
      expect((inventory?.inventoryStd ?? 1) / (symmetric?.inventoryStd ?? 1)).toBeLessThan(0.4);
      if (gamma === 0.1) expect((inventory?.profit ?? 0) / (symmetric?.profit ?? 1)).toBeGreaterThan(0.93);
    }
  });
});

describe("Guéant, Lehalle and Fernandez-Tapia", () => {
  const { gamma, intensityK, horizonSec } = glftFigures;
  const exact = new Map<string, (inventory: number) => Depths>();

  test.each(glftRows)("sigma $sigma, A $intensityA, inventory $inventory: equations and closed form", (row) => {
    const { sigma, intensityA, inventory } = row;
    const model = { sigma, intensityA, intensityK };
    const key = `${sigma} ${intensityA}`;
    const depths = exact.get(key) ?? exactDepths(model, gamma, horizonSec, 40);
    exact.set(key, depths);
    const { bid, ask } = depths(inventory);
    expect(Math.abs(bid - row.exact[0])).toBeLessThan(2e-4);
    expect(Math.abs(ask - row.exact[1])).toBeLessThan(2e-4);
    const { halfSpreadUsd, skewUsd } = closedForm(model, gamma);
    expect(halfSpreadUsd + skewUsd * inventory).toBeCloseTo(row.closed[0], 3.5);
    expect(halfSpreadUsd - skewUsd * inventory).toBeCloseTo(row.closed[1], 3.5);
    if (sigma === 0.3 && inventory <= 10)
      for (const [closed, true_] of [
        [halfSpreadUsd + skewUsd * inventory, bid],
        [halfSpreadUsd - skewUsd * inventory, ask],
      ] as const)
        expect(Math.abs(closed / true_ - 1)).toBeLessThan(0.005);
  });

  test("its certainty equivalent in the experiment: 65.19 at gamma 0.1 against 62.79, 49.87 at 1 against 22.43", () => {
    for (const [aversion, ours, theirs] of [
      [0.1, 65.19, 62.79],
      [1, 49.87, 22.43],
    ] as const) {
      expect(exactMoments(glft(aversion), aversion).certaintyEquivalent).toBeCloseTo(ours, 2);
      expect(exactMoments(avellanedaStoikov(aversion), aversion).certaintyEquivalent).toBeCloseTo(theirs, 2);
    }
  });
});

describe("closed forms of the inventory under GLFT quotes", () => {
  const model = { sigma: 2, intensityA: 140, intensityK: 1.5 };
  const LOTS = 60;

  /** Rates of bids and asks around a target, by inventory from -LOTS. */
  function chainOf(aversion: number, target: number) {
    const { halfSpreadUsd, skewUsd } = closedForm(model, aversion);
    const rate = (depth: number) => model.intensityA * Math.exp(-model.intensityK * depth);
    const lots = Array.from({ length: 2 * LOTS + 1 }, (_, index) => index - LOTS);
    const up = lots.map((held) => (held === LOTS ? 0 : rate(halfSpreadUsd + skewUsd * (held - target))));
    const down = lots.map((held) => (held === -LOTS ? 0 : rate(halfSpreadUsd - skewUsd * (held - target))));
    // In logarithms: from the edge to the middle it grows beyond what a number holds.
    const logs = [0];
    for (let index = 1; index < lots.length; index += 1)
      logs.push(logs[index - 1]! + Math.log(up[index - 1]!) - Math.log(down[index]!));
    const top = Math.max(...logs);
    const law = logs.map((weight) => Math.exp(weight - top));
    const total = law.reduce((sum, weight) => sum + weight, 0);
    return { lots, up, down, law: law.map((weight) => weight / total), skewUsd, halfSpreadUsd };
  }
  const mean = (law: readonly number[], values: readonly number[]) =>
    law.reduce((sum, weight, index) => sum + weight * values[index]!, 0);

  test.each([-3, -0.5, 0, 1, 4.25])("its mean is the target of a drift: %d lots", (target) => {
    const aversion = 0.1;
    const drift = target * aversion * model.sigma ** 2;
    expect(inventoryTarget(drift, model.sigma, aversion)).toBeCloseTo(target, 12);
    const { law, lots } = chainOf(aversion, target);
    expect(mean(law, lots)).toBeCloseTo(target, 3);
  });

  test("its deviation is 1 / sqrt(2 k c): 2.539 lots at gamma 0.1, and what was asked for", () => {
    const deviation = (aversion: number) => {
      const { law, lots } = chainOf(aversion, 0);
      return Math.sqrt(
        mean(
          law,
          lots.map((held) => held ** 2),
        ),
      );
    };
    expect(deviation(0.1)).toBeCloseTo(2.539, 3);
    for (const wanted of [1, 3, 8]) expect(deviation(gammaForInventory(model, wanted)) / wanted).toBeCloseTo(1, 1.6);
  });

  test("its half-life is ln 2 / (2 k c A exp(-k depth)): 0.0873, 5 % off the chain of fills at most", () => {
    const { lots, up, down, law, skewUsd, halfSpreadUsd } = chainOf(0.1, 0);
    const formula =
      Math.LN2 / (2 * model.intensityK * skewUsd * model.intensityA * Math.exp(-model.intensityK * halfSpreadUsd));
    expect(formula).toBeCloseTo(0.0873, 4);
    // The autocovariance of the inventory, forward in time.
    let carried = law.map((weight, index) => weight * lots[index]!);
    const start = mean(carried, lots);
    const step = formula / 1000;
    let time = 0;
    for (; mean(carried, lots) > start / 2; time += step)
      carried = carried.map(
        (value, index) =>
          value +
          step *
            ((carried[index - 1] ?? 0) * (up[index - 1] ?? 0) +
              (carried[index + 1] ?? 0) * (down[index + 1] ?? 0) -
              value * (up[index]! + down[index]!)),
      );
    expect(Math.abs(formula / time - 1)).toBeLessThan(0.05);
  });
});
