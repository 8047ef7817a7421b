// What we do about fills that the price moves against, per side and phase of the market: first the side stands further away, then it is
// smaller, then it stops. Each step goes by what is surely lost, so that few fills do little and many do much; time and good fills undo it.

import { type Side, sides } from "../../domain/units.ts";
import { type ExpectedPrint, lastKnown, type View } from "../../domain/view.ts";
import { exp, ln } from "../../kernel/real.ts";
import { estimateTiming, riskTiming } from "../timing.ts";
import type { MarketLimits } from "./limits/limits.ts";

/** Whoever knows a print trades around it: what is learned there says nothing of the hours between, nor they of it. */
export const phases = ["open", "beforePrint", "afterPrint"] as const;
export type Phase = (typeof phases)[number];

/** `open` too while nobody knows when the next print is due. A print that is late is still to come. */
export function phaseOf({ signals: { nextPrint }, chain }: Pick<View, "signals" | "chain">): Phase {
  const clock = lastKnown(chain);
  if (nextPrint === null || clock === undefined) return "open";
  const { beginsMs, endsMs } = aroundPrint(nextPrint);
  if (clock.timeMs >= beginsMs) return "beforePrint";
  return clock.timeMs < endsMs ? "afterPrint" : "open";
}

/** For so long the phase stays the same, ms; infinity: until a print, or until more is known. */
export function phaseHoldsForMs({ signals: { nextPrint }, chain }: Pick<View, "signals" | "chain">): number {
  const clock = lastKnown(chain);
  if (nextPrint === null || clock === undefined) return Number.POSITIVE_INFINITY;
  const { beginsMs, endsMs } = aroundPrint(nextPrint);
  return Math.min(...[beginsMs, endsMs].map((atMs) => atMs - clock.timeMs).filter((leftMs) => leftMs > 0));
}

/** When the time before the next print begins, and the time after the last one ends, chain time. */
function aroundPrint({ earliestMs, lastMs, everyMs }: ExpectedPrint): {
  readonly beginsMs: number;
  readonly endsMs: number;
} {
  const { beforePrintMs, afterPrintMs, aroundPrintShare } = estimateTiming;
  const most = aroundPrintShare * everyMs;
  return { beginsMs: earliestMs - Math.min(beforePrintMs, most), endsMs: lastMs + Math.min(afterPrintMs, most) };
}

/** How far the price had moved in our favor some time after a fill, and how its side was quoted then. */
export type JudgedFill = {
  readonly side: Side;
  readonly phase: Phase;
  readonly atMs: number;
  readonly contracts: number;
  readonly markoutBps: number;
  /** As the strategy wanted it, basis points. */
  readonly halfSpreadBps: number;
  /** How much further away it stood, half-spreads. */
  readonly widened: number;
};

/** Markouts are in half-spreads, as they would have been at the strategy's own distance. */
type Sums = {
  /** Weighted: a fill as large as the largest of late counts as one. */
  readonly fills: number;
  readonly markouts: number;
  /** Fills, without the weight that newer ones take from older ones. */
  readonly count: number;
};

/** Fills of a side within a second are one; the newest one may still grow. */
type Burst = {
  readonly atMs: number;
  readonly contracts: number;
  readonly product: number;
  readonly largest: number;
  /** What time has left of it, 0 to 1. */
  readonly left: number;
};

type Cell = { readonly before: Sums; readonly largest: number; readonly burst: Burst | null; readonly atMs: number };

/** By side, phase and horizon. */
export type AdverseFills = Readonly<Record<string, Cell>>;

export const noAdverseFills: AdverseFills = {};

type AdverseLimits = Pick<MarketLimits, "maxAdverseHalfSpreads" | "adverseFillsMin" | "adverseFillsCoolDownMs">;

/** A markout counts for at most so many half-spreads: one fill beside a wrong book must not speak for all. */
export const MARKOUT_MAX = 3;
/** The prior: so many fills that neither won nor lost, and the deviation of one. */
const PRIOR = { fills: 3, deviation: 1.5 } as const;
/** Newer fills take half of the weight of those that lie so many back; more where more are asked for. */
const HALF_LIFE_FILLS = 40;
/** At all other horizons fills may lose twice as much: at once takers move the price by what comes back in part, and later chance weighs more. */
const USUAL_HORIZON = "60s";

const noSums: Sums = { fills: 0, markouts: 0, count: 0 };

const keyOf = (side: Side, phase: Phase, horizon: string): string => `${side} ${phase} ${horizon}`;

/** All that may be in AdverseFills. */
export const adverseKeys = (horizons: readonly string[]): readonly string[] =>
  sides.flatMap((side) => phases.flatMap((phase) => horizons.map((horizon) => keyOf(side, phase, horizon))));

/** Takes in the markout of a fill at one horizon. */
export function judgeFill(
  state: AdverseFills,
  horizon: string,
  fill: JudgedFill,
  limits: AdverseLimits,
  nowMs: number,
): AdverseFills {
  const key = keyOf(fill.side, fill.phase, horizon);
  const cell = faded(state[key] ?? { before: noSums, largest: 0, burst: null, atMs: nowMs }, limits, nowMs);
  const { contracts, atMs } = fill;
  const product = contracts * worthOf(fill, horizon);
  const { burst } = cell;
  if (burst === null || Math.abs(atMs - burst.atMs) >= riskTiming.oneFillMs) {
    const begun = { atMs, contracts, product, largest: contracts, left: 1 };
    return { ...state, [key]: { ...cell, ...settled(cell, limits), burst: begun } };
  }
  const grown = {
    ...burst,
    contracts: burst.contracts + contracts,
    product: burst.product + product,
    largest: Math.max(burst.largest, contracts),
    left: 1,
  };
  return { ...state, [key]: { ...cell, burst: grown } };
}

/** In half-spreads; what is no number counts as the worst. */
function worthOf({ markoutBps, halfSpreadBps, widened }: JudgedFill, horizon: string): number {
  const markout = (markoutBps / halfSpreadBps - widened) / leniencyOf(horizon);
  return Number.isNaN(markout) ? -MARKOUT_MAX : Math.min(MARKOUT_MAX, Math.max(-MARKOUT_MAX, markout));
}

const leniencyOf = (horizon: string): number => (horizon === USUAL_HORIZON ? 1 : 2);

/** Time takes half of what was learned in each `adverseFillsCoolDownMs`. */
function faded(cell: Cell, limits: AdverseLimits, nowMs: number): Cell {
  const left = leftOf(cell, limits, nowMs);
  if (left === 1) return cell;
  return {
    ...cell,
    before: scaled(cell.before, left),
    burst: cell.burst && { ...cell.burst, left: left * cell.burst.left },
    atMs: nowMs,
  };
}

/** What time has left since the cell was written, 0 to 1. */
function leftOf({ atMs }: Cell, { adverseFillsCoolDownMs }: AdverseLimits, nowMs: number): number {
  const elapsedMs = nowMs - atMs;
  if (elapsedMs <= 0) return 1;
  return adverseFillsCoolDownMs === 0 ? 0 : exp((-ln(2) * elapsedMs) / adverseFillsCoolDownMs);
}

const scaled = ({ fills, markouts, count }: Sums, by: number): Sums => ({
  fills: by * fills,
  markouts: by * markouts,
  count: by * count,
});

/** The newest fill joins those before it: by its size beside the largest of late, so that many small ones hide no large one. */
function settled(
  { before, largest, burst }: Cell,
  { adverseFillsMin }: AdverseLimits,
): Pick<Cell, "before" | "largest"> {
  if (burst === null) return { before, largest };
  const kept = exp(-ln(2) / Math.max(HALF_LIFE_FILLS, adverseFillsMin));
  const nextLargest = Math.max(kept * largest, burst.largest);
  const weight = Math.min(1, burst.contracts / nextLargest);
  const older = kept ** weight * Math.min(1, largest / nextLargest);
  return {
    before: {
      fills: older * before.fills + weight * burst.left,
      markouts: older * before.markouts + (weight * burst.left * burst.product) / burst.contracts,
      count: before.count + weight * burst.left,
    },
    largest: nextLargest,
  };
}

/** In the order of their weight. */
export const adverseLevels = ["none", "widened", "shrunk", "stopped"] as const;
export type AdverseLevel = (typeof adverseLevels)[number];

/** What a side does now, and why. */
export type Answer = {
  readonly level: AdverseLevel;
  /** How much further away its quotes stand, half-spreads. */
  readonly widened: number;
  /** What is left of their sizes. */
  readonly share: number;
  readonly phase: Phase;
  /** The horizon at which most is surely lost, its fills, and their mean markout in half-spreads; null: nothing is. */
  readonly cause: { readonly horizon: string; readonly fills: number; readonly halfSpreads: number } | null;
};

export type Answers = Readonly<Record<Side, Answer>>;

/** Shares of what may surely be lost: where quotes begin to widen, where they are half as large, and where a quarter. */
const WIDENS_AT = 0.25;
const HALVES_AT = 0.5;
const QUARTERS_AT = 0.75;
/** Quotes move by steps of this, half-spreads: what changes all the time would lose its place in the queue all the time. */
const STEP = 0.25;
/** So much may time have taken of the fills that a stop asks for. */
const COUNT_SLACK = 0.5;

/**
 * By the horizon at which most is surely lost: the mean markout of its fills and of the prior, plus a standard error. Worse markouts never
 * loosen it.
 */
export function answerOf(state: AdverseFills, side: Side, phase: Phase, limits: AdverseLimits, nowMs: number): Answer {
  const most = limits.maxAdverseHalfSpreads;
  const worst = worstOf(standingOf(state, limits).get(keyOf(side, phase, "")) ?? [], WIDENS_AT * most, limits, nowMs);
  if (worst === null) return { level: "none", widened: 0, share: 1, phase, cause: null };
  const { loss, horizon, fills, count, markouts } = worst;
  const isShrunk = loss > HALVES_AT * most;
  const isStopped = loss > most && count >= limits.adverseFillsMin - COUNT_SLACK;
  return {
    level: isStopped ? "stopped" : isShrunk ? "shrunk" : "widened",
    widened: Math.ceil(loss / STEP) * STEP,
    share: !isShrunk ? 1 : loss > QUARTERS_AT * most ? 0.25 : 0.5,
    phase,
    cause: { horizon, fills, halfSpreads: (markouts / fills) * leniencyOf(horizon) },
  };
}

/** What a cell comes to before time takes from it. */
type Stand = { readonly horizon: string; readonly cell: Cell; readonly sums: Sums; readonly loss: number };
/** By the start of the key: side and phase. */
type Standing = ReadonlyMap<string, readonly Stand[]>;

/** Each turn asks several times, and fills are judged far less often. */
const standings = new WeakMap<AdverseFills, { readonly fillsMin: number; readonly standing: Standing }>();

function standingOf(state: AdverseFills, limits: AdverseLimits): Standing {
  const known = standings.get(state);
  if (known?.fillsMin === limits.adverseFillsMin) return known.standing;
  const stands = Object.entries(state).map(([key, cell]) => {
    const horizonAt = key.lastIndexOf(" ") + 1;
    const sums = settled(cell, limits).before;
    return { place: key.slice(0, horizonAt), horizon: key.slice(horizonAt), cell, sums, loss: lossOf(sums) };
  });
  const standing = Map.groupBy(stands, ({ place }) => place);
  standings.set(state, { fillsMin: limits.adverseFillsMin, standing });
  return standing;
}

/** What is surely lost, half-spreads. Time only makes it less. */
function lossOf({ fills, markouts }: Sums): number {
  const weight = fills + PRIOR.fills;
  return -(markouts / weight + PRIOR.deviation / Math.sqrt(weight));
}

/** Null: at none more than `above` is surely lost. */
function worstOf(stands: readonly Stand[], above: number, limits: AdverseLimits, nowMs: number) {
  let worst: (Sums & Pick<Stand, "loss" | "horizon">) | null = null;
  for (const { horizon, cell, sums, loss: before } of stands) {
    const most = worst?.loss ?? Math.max(0, above);
    if (!(before > most)) continue;
    const left = scaled(sums, leftOf(cell, limits, nowMs));
    const loss = lossOf(left);
    if (loss > most) worst = { ...left, loss, horizon };
  }
  return worst;
}

/** Of both sides, in the phase of the view. */
export function answersOf(state: AdverseFills, view: View, limits: AdverseLimits): Answers {
  if (last?.state === state && last.view === view && last.limits === limits) return last.answers;
  const phase = phaseOf(view);
  const of = (side: Side) => answerOf(state, side, phase, limits, view.nowMs);
  const answers = { buy: of("buy"), sell: of("sell") };
  last = { state, view, limits, answers };
  return answers;
}

/** A turn asks once for its quotes, and the guard once for each order. */
let last: {
  readonly state: AdverseFills;
  readonly view: View;
  readonly limits: AdverseLimits;
  readonly answers: Answers;
} | null = null;
