// Reacts to adverse fills, per side and phase of the market: first the side's quotes move away, then they get smaller, then they stop. Each
// step depends on the loss that is statistically certain, so few fills do little and many do much; time and good fills undo it.

import type { Side } from "../../domain/units.ts";
import { type ExpectedPrint, lastKnown, type View } from "../../domain/view.ts";
import { exp, ln } from "../../kernel/real.ts";
import { estimateTiming, riskTiming } from "../timing.ts";
import type { MarketLimits } from "./limits/limits.ts";

/** Traders who know a print trade around it: fills then say nothing about the hours between prints, and vice versa. */
export const phases = ["open", "beforePrint", "afterPrint"] as const;
export type Phase = (typeof phases)[number];

/** Also `open` while the time of the next print is unknown. A late print still counts as coming. */
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

/** How far the price moved in our favor some time after a fill, and how its side was quoted at the fill. */
export type JudgedFill = {
  readonly side: Side;
  readonly phase: Phase;
  readonly atMs: number;
  readonly contracts: number;
  readonly markoutBps: number;
  /** The strategy's own, basis points. */
  readonly halfSpreadBps: number;
  /** Extra distance at the fill, half-spreads. */
  readonly widened: number;
};

/** Markouts are in half-spreads, as they would have been at the strategy's own distance. */
type Sums = {
  /** Weighted: a fill as large as the largest recent one counts as one. */
  readonly fills: number;
  readonly markouts: number;
  /** Number of fills, without the decay by newer ones. */
  readonly count: number;
};

/** Fills of a side within one second count as one; the newest one may still grow. */
type Burst = {
  readonly atMs: number;
  readonly contracts: number;
  readonly product: number;
  readonly largest: number;
  /** Share left after decay over time, 0 to 1. */
  readonly left: number;
};

type Cell = { readonly before: Sums; readonly largest: number; readonly burst: Burst | null; readonly atMs: number };

/** By horizon. */
type Cells = Readonly<Record<string, Cell>>;

export type AdverseFills = Readonly<Record<Side, Readonly<Record<Phase, Cells>>>>;

const noCells: Readonly<Record<Phase, Cells>> = { open: {}, beforePrint: {}, afterPrint: {} };
export const noAdverseFills: AdverseFills = { buy: noCells, sell: noCells };

type AdverseLimits = Pick<MarketLimits, "maxAdverseHalfSpreads" | "adverseFillsMin" | "adverseFillsCoolDownMs">;

/** A markout counts for at most this many half-spreads, so that one fill against a wrong book does not dominate. */
export const MARKOUT_MAX = 3;
/** The prior: this many fills without gain or loss, and the standard deviation of one. */
const PRIOR = { fills: 3, deviation: 1.5 } as const;
/** A fill loses half its weight after this many newer ones; after more if `adverseFillsMin` is larger. */
const HALF_LIFE_FILLS = 40;
/** At all other horizons twice the loss is allowed: the immediate move partly reverts, and later moves have more noise. */
const USUAL_HORIZON = "60s";

const noSums: Sums = { fills: 0, markouts: 0, count: 0 };

/** Adds the markout of a fill at one horizon. */
export function judgeFill(
  state: AdverseFills,
  horizon: string,
  fill: JudgedFill,
  limits: AdverseLimits,
  nowMs: number,
): AdverseFills {
  const { side, phase, contracts, atMs } = fill;
  const cells = state[side][phase];
  const cell = faded(cells[horizon] ?? { before: noSums, largest: 0, burst: null, atMs: nowMs }, limits, nowMs);
  const changed = (to: Cell): AdverseFills => ({
    ...state,
    [side]: { ...state[side], [phase]: { ...cells, [horizon]: to } },
  });
  const product = contracts * worthOf(fill, horizon);
  const { burst } = cell;
  if (burst === null || Math.abs(atMs - burst.atMs) >= riskTiming.oneFillMs) {
    const begun = { atMs, contracts, product, largest: contracts, left: 1 };
    return changed({ ...cell, ...settled(cell, limits), burst: begun });
  }
  const grown = {
    ...burst,
    contracts: burst.contracts + contracts,
    product: burst.product + product,
    largest: Math.max(burst.largest, contracts),
    left: 1,
  };
  return changed({ ...cell, burst: grown });
}

/** In half-spreads; NaN counts as the worst. */
function worthOf({ markoutBps, halfSpreadBps, widened }: JudgedFill, horizon: string): number {
  const markout = (markoutBps / halfSpreadBps - widened) / leniencyOf(horizon);
  return Number.isNaN(markout) ? -MARKOUT_MAX : Math.min(MARKOUT_MAX, Math.max(-MARKOUT_MAX, markout));
}

const leniencyOf = (horizon: string): number => (horizon === USUAL_HORIZON ? 1 : 2);

/** Halves what was learned in each `adverseFillsCoolDownMs`. */
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

/** Share left since the cell was written, 0 to 1. */
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

/**
 * Adds the newest fill to the earlier ones, weighted by its size against the largest recent one, so that many small fills do not hide a
 * large one.
 */
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

/** From mildest to strictest. */
export const adverseLevels = ["none", "widened", "shrunk", "stopped"] as const;
export type AdverseLevel = (typeof adverseLevels)[number];

/** How a side is quoted now, and why. */
export type Answer = {
  readonly level: AdverseLevel;
  /** Extra distance of its quotes, half-spreads. */
  readonly widened: number;
  /** Factor on their sizes. */
  readonly share: number;
  readonly phase: Phase;
  /** The horizon with the largest certain loss, its fills, and their mean markout in half-spreads; null: no loss. */
  readonly cause: { readonly horizon: string; readonly fills: number; readonly halfSpreads: number } | null;
};

export type Answers = Readonly<Record<Side, Answer>>;

/** Shares of the allowed certain loss: where quotes begin to widen, where their size is halved, and where it is a quarter. */
const WIDENS_AT = 0.25;
const HALVES_AT = 0.5;
const QUARTERS_AT = 0.75;
/** Quotes move in steps of this, half-spreads, because constant changes would lose their queue position. */
const STEP = 0.25;
/** Decay over time may lower the number of fills by this much below the minimum for a stop. */
const COUNT_SLACK = 0.5;

/**
 * Uses the horizon with the largest certain loss: the mean markout of its fills and the prior, plus one standard error. Worse markouts
 * never loosen the answer.
 */
export function answerOf(state: AdverseFills, side: Side, phase: Phase, limits: AdverseLimits, nowMs: number): Answer {
  const most = limits.maxAdverseHalfSpreads;
  const worst = worstOf(standsOf(state[side][phase], limits), WIDENS_AT * most, limits, nowMs);
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

/** A cell's sums before decay over time. */
type Stand = {
  readonly horizon: string;
  readonly cell: Cell;
  readonly sums: Sums;
  readonly loss: number;
};

/** Cached, because each turn asks, and fills are judged much less often. */
const known = new WeakMap<Cells, { readonly fillsMin: number; readonly stands: readonly Stand[] }>();

function standsOf(cells: Cells, limits: AdverseLimits): readonly Stand[] {
  const before = known.get(cells);
  if (before?.fillsMin === limits.adverseFillsMin) return before.stands;
  const stands = Object.entries(cells).map(([horizon, cell]) => {
    const sums = settled(cell, limits).before;
    return { horizon, cell, sums, loss: lossOf(sums) };
  });
  known.set(cells, { fillsMin: limits.adverseFillsMin, stands });
  return stands;
}

/** Certain loss, half-spreads. Decay over time only reduces it. */
function lossOf({ fills, markouts }: Sums): number {
  const weight = fills + PRIOR.fills;
  return -(markouts / weight + PRIOR.deviation / Math.sqrt(weight));
}

/** Null: no horizon has a certain loss above `above`. */
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

/** Answers for both sides, in the view's phase. */
export function answersOf(state: AdverseFills, view: View, limits: AdverseLimits): Answers {
  if (last?.state === state && last.view === view && last.limits === limits) return last.answers;
  const phase = phaseOf(view);
  const of = (side: Side) => answerOf(state, side, phase, limits, view.nowMs);
  const answers = { buy: of("buy"), sell: of("sell") };
  last = { state, view, limits, answers };
  return answers;
}

/** Cached, because a turn asks once for its quotes, and the guard once for each order. */
let last: {
  readonly state: AdverseFills;
  readonly view: View;
  readonly limits: AdverseLimits;
  readonly answers: Answers;
} | null = null;
