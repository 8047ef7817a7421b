// Orders at one price form a queue: first come, first filled. Of others' orders only the sum is shown; if it shrinks without a trade, a
// model decides who left.

import { exp } from "../kernel/real.ts";
import { countText } from "../kernel/text.ts";

/** Whether orders that leave without a trade were behind our order, or ahead: the two bounds. */
export const queueBounds = ["riskAverse", "optimistic"] as const;
export const queueModels = [...queueBounds, "fitted"] as const;
export type QueueModelName = (typeof queueModels)[number];

/**
 * An order that leaves a queue was at place u of it, from 0 (the first to trade) to 1 (the last), with a density in proportion to
 * e^(-exponent u): with large exponents orders leave from the front, with 0 from anywhere, below 0 from the back. `fills`: how many fills
 * of ours it was fitted to. `ci95` holds 95 % of the fits to parts of the session drawn again: how much the fit varies, null of one that was
 * not fitted. It is no interval of the law by which others leave, since sizes show who left and several exponents predict nearly as well.
 */
export type QueueFit = {
  readonly exponent: number;
  readonly ci95: readonly [low: number, high: number] | null;
  readonly fills: number;
};

/** Not the prior, which nothing was seen of. */
export type FittedQueue = QueueFit & { readonly ci95: NonNullable<QueueFit["ci95"]> };
export const isFitted = (fit: QueueFit): fit is FittedQueue => fit.ci95 !== null;

/** At this exponent all leave from the front, at the negative one from the back. */
export const EXPONENT_MAX = 64;
/** A fit to fewer fills of ours is not used. */
export const FITTED_FILLS_MIN = 200;
/** The model before so many fills: leaving orders were anywhere. */
export const queuePrior: QueueFit = { exponent: 0, ci95: null, fills: 0 };

export type QueueModel = (typeof queueBounds)[number] | { readonly fitted: QueueFit };

export const queueModelName = (model: QueueModel): QueueModelName => (typeof model === "string" ? model : "fitted");

/** The model where none is named. `tooFewFills`: those of a fit that is not used; left out: there is none such. */
export type UsualQueueModel = { readonly queueModel: QueueModel; readonly tooFewFills?: number };

/** One of the bounds, or a fit to enough fills. */
export function usualQueueModel(said: QueueModel = "riskAverse"): UsualQueueModel {
  if (typeof said === "string" || said.fitted.fills >= FITTED_FILLS_MIN) return { queueModel: said };
  return { queueModel: "riskAverse", tooFewFills: said.fitted.fills };
}

/** `riskAverse: 37 fills, fitted needs 200`. */
export const queueModelText = (name: QueueModelName, tooFewFills?: number): string =>
  `${name}${tooFewFills === undefined ? "" : `: ${countText(tooFewFills, "fill")}, fitted needs ${FITTED_FILLS_MIN}`}`;

/** The amount taken from one piece of a queue. */
export type Leaving<P> = { readonly piece: P; readonly amount: bigint };

/**
 * Neighboring orders, `count` of them. `left`: their expected contracts; `staying`: the size of one order if it has not left, so left /
 * staying is its chance of staying.
 */
export type QueuePiece = { readonly left: bigint; readonly staying: bigint; readonly count: number };

/** The expected number of these orders: one that has likely left counts for little. */
export const expectedOrders = (queue: readonly QueuePiece[]): number =>
  Math.round(
    queue.reduce((sum, { left, staying, count }) => sum + (count > 1 ? count : Number(left) / Number(staying)), 0),
  );

/**
 * Removes `excess` from a queue, whose first entry trades first. `gone`: by how many orders, where known; the fitted model assumes that a
 * single leaver is an order of exactly that size, where there is one.
 */
export function leaving<P extends QueuePiece>(
  queue: readonly P[],
  excess: bigint,
  model: QueueModel,
  { gone = 0, draw }: { readonly gone?: number; readonly draw?: () => number } = {},
): readonly Leaving<P>[] {
  if (typeof model !== "string") return leavingByPlace(queue, excess, model.fitted.exponent, { gone, draw });
  const leavers: Leaving<P>[] = [];
  let open = excess;
  for (const piece of model === "riskAverse" ? queue.toReversed() : queue) {
    if (open <= 0n) break;
    const amount = piece.left < open ? piece.left : open;
    leavers.push({ piece, amount });
    open -= amount;
  }
  return leavers;
}

/** Takes from each the amount that the model expects at its place. */
function leavingByPlace<P extends QueuePiece>(
  queue: readonly P[],
  excess: bigint,
  exponent: number,
  { gone, draw }: { readonly gone: number; readonly draw: (() => number) | undefined },
): readonly Leaving<P>[] {
  const whole = Number(queue.reduce((sum, { left }) => sum + left, 0n));
  let before = 0;
  const placed = queue.map((piece): Placed<P> => {
    const from = before / whole;
    before += Number(piece.left);
    return { piece, weight: massOf(from, before / whole, exponent), taken: 0n };
  });
  const fitting = gone === 1 ? fittingOf(placed, excess) : [];
  const take = draw === undefined ? share : (among: readonly Placed<P>[], wanted: bigint) => pick(among, wanted, draw);
  take(placed, excess - take(fitting, excess));
  return placed.flatMap(({ piece, taken }) => (taken > 0n ? [{ piece, amount: taken }] : []));
}

type Placed<P> = { readonly piece: P; weight: number; taken: bigint };

/**
 * Orders that one leaver of this size may have been, or been part of. How many orders of a sum have that size is unknown: assumed to be the
 * share among the other single ones after the first that has it.
 */
function fittingOf<P extends QueuePiece>(placed: readonly Placed<P>[], amount: bigint): readonly Placed<P>[] {
  const singles = placed.filter(({ piece: { count } }) => count === 1);
  const same = singles.filter(({ piece }) => isOf(piece, amount));
  const sums = placed.filter(({ piece: { left, count } }) => count > 1 && left > amount);
  if (same.length === 0) return sums;
  const alike = (same.length - 1) / Math.max(1, singles.length - 1);
  for (const sum of sums) sum.weight *= alike;
  return [...same, ...sums];
}

/** Expected sizes of others are not exact to the last unit. */
const isOf = ({ staying }: QueuePiece, amount: bigint): boolean => {
  const off = staying > amount ? staying - amount : amount - staying;
  return off * SIZE_TOLERANCE <= amount;
};
const SIZE_TOLERANCE = 1000n;

/** The integral of e^(-exponent u) between two places. */
const massOf = (from: number, to: number, exponent: number): number =>
  exponent === 0 ? to - from : (exp(-exponent * from) - exp(-exponent * to)) / exponent;

/** Takes `wanted` from them in proportion to their weights, and any excess of one from the others; returns how much they had. */
function share<P extends QueuePiece>(among: readonly Placed<P>[], wanted: bigint): bigint {
  let open = wanted;
  for (;;) {
    const rest = among.filter(({ piece, taken }) => piece.left > taken);
    const last = rest.at(-1);
    if (open <= 0n || last === undefined) return wanted - open;
    const total = rest.reduce((sum, { weight }) => sum + weight, 0);
    const asked = open;
    for (const placed of rest) {
      const part =
        placed === last ? open : total > 0 ? BigInt(Math.floor((Number(asked) * placed.weight) / total)) : 0n;
      const amount = [part, open, placed.piece.left - placed.taken].reduce((a, b) => (a < b ? a : b));
      placed.taken += amount;
      open -= amount;
    }
  }
}

/** Takes `wanted` from one after the other, each drawn by its weight; returns how much they had. */
function pick<P extends QueuePiece>(among: readonly Placed<P>[], wanted: bigint, draw: () => number): bigint {
  let open = wanted;
  for (;;) {
    const rest = among.filter(({ piece, taken }) => piece.left > taken);
    const last = rest.at(-1);
    if (open <= 0n || last === undefined) return wanted - open;
    const point = draw() * rest.reduce((sum, { weight }) => sum + weight, 0);
    let passed = 0;
    const drawn =
      rest.find(({ weight }) => {
        passed += weight;
        return passed > point;
      }) ?? last;
    const left = drawn.piece.left - drawn.taken;
    const amount = left < open ? left : open;
    drawn.taken += amount;
    open -= amount;
  }
}
