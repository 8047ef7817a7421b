// The experiment of Avellaneda and Stoikov 2008, twice: by an exact recursion over its moments, and by paths that any quotes can be run
// through. And the exact strategy of Guéant, Lehalle and Fernandez-Tapia 2013, by integrating its equations.

import type { Prng } from "../../src/kernel/prng.ts";

/** Distances from the mid to our bid and ask; either may be negative. */
export type Depths = { readonly bid: number; readonly ask: number };

/** `mid` starts at 100 and moves by sigma sqrt(dt) up or down; `step` counts from 0. */
export type Quoting = (inventory: number, step: number, mid: number) => Depths;

export const paper = { mid: 100, sigma: 2, intensityA: 140, k: 1.5, steps: 200, dt: 0.005 } as const;

export type Moments = {
  readonly profit: number;
  readonly profitStd: number;
  readonly inventory: number;
  readonly inventoryStd: number;
  readonly fills: number;
};

const INVENTORY_MAX = 120;

/** Fill probability of a step, capped as in the paper. */
const chanceOf = (depth: number): number => Math.min(1, paper.intensityA * Math.exp(-paper.k * depth) * paper.dt);

/**
 * Exact moments of the final profit x + q S and of the inventory, for quotes that do not depend on the mid. Carries, by inventory, the
 * probability and the first two moments of the profit: after each step's fills (ask alone, bid alone, both, none) the price moves. With
 * `gamma` the certainty equivalent -ln E[exp(-gamma W)] / gamma too.
 */
export function exactMoments(quoting: Quoting, gamma = 0): Moments & { readonly certaintyEquivalent: number } {
  const size = 2 * INVENTORY_MAX + 1;
  const zero = () => new Float64Array(size);
  let [chance, first, second, utility] = [zero(), zero(), zero(), zero()];
  chance[INVENTORY_MAX] = 1;
  utility[INVENTORY_MAX] = 1;
  let fills = 0;
  for (let step = 0; step < paper.steps; step += 1) {
    const next = [zero(), zero(), zero(), zero()] as const;
    for (let index = 0; index < size; index += 1) {
      const [p, m1, m2, u] = [chance[index]!, first[index]!, second[index]!, utility[index]!];
      if (p === 0) continue;
      const { bid, ask } = quoting(index - INVENTORY_MAX, step, paper.mid);
      const [sold, bought] = [chanceOf(ask), chanceOf(bid)];
      fills += p * (sold + bought);
      for (const [weight, change, edge] of [
        [sold * (1 - bought), -1, ask],
        [bought * (1 - sold), 1, bid],
        [sold * bought, 0, ask + bid],
        [(1 - sold) * (1 - bought), 0, 0],
      ] as const) {
        const to = Math.min(Math.max(index + change, 0), size - 1);
        next[0][to]! += weight * p;
        next[1][to]! += weight * (m1 + edge * p);
        next[2][to]! += weight * (m2 + 2 * edge * m1 + edge ** 2 * p);
        next[3][to]! += weight * u * Math.exp(-gamma * edge);
      }
    }
    [chance, first, second, utility] = next;
    const move = paper.sigma * Math.sqrt(paper.dt);
    for (let index = 0; index < size; index += 1) {
      const moved = (index - INVENTORY_MAX) * move;
      second[index]! += moved ** 2 * chance[index]!;
      utility[index]! *= Math.cosh(gamma * moved);
    }
  }
  const sum = (values: Float64Array, weigh = (_inventory: number) => 1) =>
    values.reduce((total, value, index) => total + value * weigh(index - INVENTORY_MAX), 0);
  const [profit, inventory] = [sum(first), sum(chance, (lots) => lots)];
  return {
    profit,
    profitStd: Math.sqrt(sum(second) - profit ** 2),
    inventory,
    inventoryStd: Math.sqrt(sum(chance, (lots) => lots ** 2) - inventory ** 2),
    fills,
    certaintyEquivalent: gamma === 0 ? profit : -Math.log(sum(utility)) / gamma,
  };
}

/** The same moments from paths. */
export function simulateMoments(quoting: Quoting, paths: number, prng: Prng): Moments {
  const move = paper.sigma * Math.sqrt(paper.dt);
  let [profit, profit2, inventory, inventory2, fills] = [0, 0, 0, 0, 0];
  for (let path = 0; path < paths; path += 1) {
    let [cash, lots, moved] = [0, 0, 0];
    for (let step = 0; step < paper.steps; step += 1) {
      const mid = paper.mid + moved * move;
      const { bid, ask } = quoting(lots, step, mid);
      const [sells, buys] = [prng.float() < chanceOf(ask), prng.float() < chanceOf(bid)];
      if (sells) {
        cash += mid + ask;
        lots -= 1;
        fills += 1;
      }
      if (buys) {
        cash -= mid - bid;
        lots += 1;
        fills += 1;
      }
      moved += prng.float() < 0.5 ? 1 : -1;
    }
    const worth = cash + lots * (paper.mid + moved * move);
    profit += worth;
    profit2 += worth ** 2;
    inventory += lots;
    inventory2 += lots ** 2;
  }
  return {
    profit: profit / paths,
    profitStd: Math.sqrt(profit2 / paths - (profit / paths) ** 2),
    inventory: inventory / paths,
    inventoryStd: Math.sqrt(inventory2 / paths - (inventory / paths) ** 2),
    fills: fills / paths,
  };
}

/** The paper's own quotes: equation 30 around the price of equation 8, which leans against the inventory. */
export const paperQuotes =
  (gamma: number): Quoting =>
  (inventory, step) => {
    const risk = gamma * paper.sigma ** 2 * (1 - step * paper.dt);
    const half = risk / 2 + Math.log(1 + gamma / paper.k) / gamma;
    return { bid: half + inventory * risk, ask: half - inventory * risk };
  };

/** The time average of the spread of equation 30. */
export const averageSpread = (gamma: number): number =>
  (gamma * paper.sigma ** 2) / 2 + (2 / gamma) * Math.log(1 + gamma / paper.k);

/** One lot's model of fills and prices, in any unit of price and time. */
type Model = { readonly sigma: number; readonly intensityA: number; readonly intensityK: number };

/**
 * Exact depths far from the end: dv_q/dt = alpha q^2 v_q - eta (v_{q-1} + v_{q+1}) backward from 1, by small explicit steps, |q| <= `cap`.
 */
export function exactDepths(
  { sigma, intensityA, intensityK: k }: Model,
  gamma: number,
  horizonSec: number,
  cap: number,
): (inventory: number) => Depths {
  const alpha = (k * gamma * sigma ** 2) / 2;
  const eta = intensityA * (1 + gamma / k) ** -(1 + k / gamma);
  // Two more at the ends stay 0.
  let values = new Float64Array(2 * cap + 3).fill(1, 1, -1);
  let next = values.slice();
  const stepSec = Math.min(0.05, 0.5 / (alpha * cap ** 2 + 2 * eta), horizonSec / 1000);
  for (let time = 0; time < horizonSec; time += stepSec) {
    let top = 0;
    for (let index = 1; index < values.length - 1; index += 1) {
      const slope = eta * (values[index - 1]! + values[index + 1]!) - alpha * (index - cap - 1) ** 2 * values[index]!;
      next[index] = values[index]! + stepSec * slope;
      top = Math.max(top, next[index]!);
    }
    for (let index = 1; index < next.length - 1; index += 1) next[index]! /= top;
    [values, next] = [next, values];
  }
  const constant = Math.log(1 + gamma / k) / gamma;
  return (inventory) => {
    const at = (lots: number) => values[lots + cap + 1]!;
    return {
      bid: Math.log(at(inventory) / at(inventory + 1)) / k + constant,
      ask: Math.log(at(inventory) / at(inventory - 1)) / k + constant,
    };
  };
}
