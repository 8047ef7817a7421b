// How the marks of several markets move together between prints: covariances of their moves over half an hour, sampled each minute in all
// of them at once. Prints come rarely, and a position held for an hour bears the moves in between.

import { exp, ln } from "../../kernel/real.ts";
import { deskTiming, estimateTiming } from "../timing.ts";

export type Mark<Id> = {
  readonly id: Id;
  /** The market's mid in USD; null while it has none, and around a print. */
  readonly usd: number | null;
  /** A move spans so many looks, 1 or more; 0: its prints leave no room for one. */
  readonly reach: number;
};

export type MarkMoves<Id> = {
  readonly ids: readonly Id[];
  /** Log prices of the looks since the last one without a price, newest last. */
  readonly logs: readonly (readonly number[])[];
  /** Weighted sums of the products of moves: positive semidefinite, since each look adds a product of one vector with itself. */
  readonly products: readonly (readonly number[])[];
  /** Weighted looks at which each had moved. */
  readonly looks: readonly number[];
  readonly lastMs: number | null;
};

export const noMarkMoves: MarkMoves<never> = { ids: [], logs: [], products: [], looks: [], lastMs: null };

/** A move counts at most as so many deviations, once an hour of data has shown those. */
const MOST_DEVIATIONS = 4;
const SHOWN_LOOKS = 60;
/** Looks further apart than so many of their intervals start over. */
const GAP_INTERVALS = 2;

/** Takes a look at all markets, at monotonic `nowMs`. A new market joins, a missing one is forgotten. */
export function observeMarks<Id>(state: MarkMoves<Id>, marks: readonly Mark<Id>[], nowMs: number): MarkMoves<Id> {
  const { ids, logs, products, looks, lastMs } = ofMarkets(
    state,
    marks.map(({ id }) => id),
  );
  const elapsedMs = nowMs - (lastMs ?? nowMs);
  const isGap = elapsedMs > GAP_INTERVALS * deskTiming.correlationEveryMs;
  const followed = marks.map(({ usd, reach }, at) =>
    usd === null || reach < 1 ? [] : [...(isGap ? [] : (logs[at] ?? [])), ln(usd)].slice(-reach - 1),
  );
  const moves = followed.map((of, at) => {
    const { reach } = marks[at] ?? { reach: 0 };
    if (reach < 1 || of.length <= reach) return null;
    // Per root look, so that markets of different reach compare.
    const move = ((of.at(-1) ?? 0) - (of[0] ?? 0)) / Math.sqrt(reach);
    const weight = looks[at] ?? 0;
    const most =
      weight < SHOWN_LOOKS ? Number.POSITIVE_INFINITY : MOST_DEVIATIONS * Math.sqrt((products[at]?.[at] ?? 0) / weight);
    return Math.min(most, Math.max(-most, move));
  });
  const kept = exp((-ln(2) * elapsedMs) / estimateTiming.marksHalfLifeMs);
  return {
    ids,
    logs: followed,
    products: products.map((row, i) => row.map((sum, j) => kept * sum + (moves[i] ?? 0) * (moves[j] ?? 0))),
    looks: looks.map((sum, at) => kept * sum + (moves[at] === null ? 0 : 1)),
    lastMs: nowMs,
  };
}

/** Forgets the market. */
export const withoutMarket = <Id>(state: MarkMoves<Id>, gone: Id): MarkMoves<Id> =>
  ofMarkets(
    state,
    state.ids.filter((id) => id !== gone),
  );

function ofMarkets<Id>(state: MarkMoves<Id>, ids: readonly Id[]): MarkMoves<Id> {
  if (ids.length === state.ids.length && ids.every((id, at) => id === state.ids[at])) return state;
  const before = ids.map((id) => state.ids.indexOf(id));
  return {
    ids,
    logs: before.map((at) => state.logs[at] ?? []),
    products: before.map((i) => before.map((j) => state.products[i]?.[j] ?? 0)),
    looks: before.map((at) => state.looks[at] ?? 0),
    lastMs: state.lastMs,
  };
}

/** The prior, in the order of the markets: correlations, and deviations in a unit of their own. */
export type PriorMoves = {
  readonly correlations: readonly (readonly number[])[];
  readonly deviations: readonly number[];
};

/** The prior weighs as a day of looks; since overlapping looks are hardly independent, that is some fifty moves. */
const PRIOR_LOOKS = 1440;

/**
 * Returns covariances of a contract's moves, up to one factor; `usd`: prices of contracts. Correlations are a mean of those seen and the
 * prior's, by the looks of the market seen least, so they stay positive semidefinite; deviations, which share no unit, likewise by their
 * logarithms.
 */
export function moveCovariances<Id>(
  { products, looks }: MarkMoves<Id>,
  usd: readonly number[],
  prior: PriorMoves,
): readonly (readonly number[])[] {
  const squares = products.map((row, at) => row[at] ?? 0);
  const isSeen = looks.length === usd.length && squares.every((square) => square > 0);
  const least = isSeen ? Math.min(...looks) : 0;
  const share = least / (least + PRIOR_LOOKS);
  const deviations = prior.deviations.map((assumed, at) => {
    const seen = Math.sqrt((squares[at] ?? 0) / (looks[at] ?? 1)) * (usd[at] ?? 0);
    return share === 0 ? assumed : exp(share * ln(seen) + (1 - share) * ln(assumed));
  });
  return prior.correlations.map((row, i) =>
    row.map((assumed, j) => {
      const both = Math.sqrt((squares[i] ?? 0) * (squares[j] ?? 0));
      const seen = share === 0 ? 0 : (products[i]?.[j] ?? 0) / both;
      return (share * seen + (1 - share) * assumed) * (deviations[i] ?? 0) * (deviations[j] ?? 0);
    }),
  );
}
