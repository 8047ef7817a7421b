// Prints of made indices: one a day, their log returns drawn by a law from a seed.

import type { SteppedPrint } from "../../src/bot/strategy/walk-forward.ts";
import { createPrng, type Prng } from "../../src/kernel/prng.ts";
import { exp } from "../../src/kernel/real.ts";

/** A law's knowledge of the days before: returns and shocks, oldest first. */
type Past = { readonly returns: readonly number[]; readonly shocks: readonly number[] };

/** The log return of a day from its shock; `day` counts from 0. */
export type Law = (past: Past, shock: number, prng: Prng, day: number) => number;

/** The newest but `by` - 1; 0 before the first. */
export const lag = (past: readonly number[], by: number): number => past[past.length - by] ?? 0;

/** Standard deviation of a shock, log price. */
export const SHOCK = 0.001;
/** Days before the first print, for averages of the longest windows. */
const RUN_IN = 40;

export const randomWalk: Law = (_, shock) => shock;

/** Each coefficient times the return so many days before. */
export const autoregression =
  (...coefficients: readonly number[]): Law =>
  ({ returns }, shock) =>
    coefficients.reduce((sum, share, at) => sum + share * lag(returns, at + 1), shock);

/** An index that is the average of a value over so many days; the value is a random walk. */
export const averageOf =
  (days: number): Law =>
  ({ shocks }, shock) =>
    shocks.slice(1 - days).reduce((sum, each) => sum + each, shock) / days;

export type SeriesOptions = {
  readonly prints?: number;
  /** Shocks are four times as large for 20 days now and then. */
  readonly hasSpells?: boolean;
};

export function printsOf(
  law: Law,
  seed: number,
  { prints = 520, hasSpells = false }: SeriesOptions = {},
): readonly SteppedPrint[] {
  const [prng, spells] = [createPrng(BigInt(seed)), createPrng(BigInt(seed))];
  const [returns, shocks]: [number[], number[]] = [[], []];
  let [usd, spell] = [200, 0];
  const all = Array.from({ length: RUN_IN + prints }, (_, day) => {
    spell = spell > 0 ? spell - 1 : hasSpells && spells.chance(0.02) ? 20 : 0;
    const shock = (spell > 0 ? 4 : 1) * SHOCK * prng.gaussian();
    const moved = law({ returns, shocks }, shock, prng, day - RUN_IN);
    returns.push(moved);
    shocks.push(shock);
    usd *= exp(moved);
    return usd;
  });
  return all.slice(RUN_IN).map((each, step) => ({ usd: each, step }));
}

export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, each) => sum + each, 0) / values.length;
