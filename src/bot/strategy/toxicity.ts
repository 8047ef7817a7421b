// How the market moves after our fills: how far the mid moves against us in a minute (toxicity), and how far it then is on our side of the
// traded price (the markout). Basis points, averaged over about a hundred fills, mixed with a prior of zero that they outweigh.

import { type Side, signOf } from "../../domain/units.ts";
import { exp, ln } from "../../kernel/real.ts";
import { estimateTiming } from "../timing.ts";

type Awaited = { readonly side: Side; readonly priceUsd: number; readonly midUsd: number; readonly dueMs: number };

export type Toxicity = {
  /** Fills whose minute has not passed, oldest first. */
  readonly awaited: readonly Awaited[];
  /** Weighted: fills, their adverse moves and markouts, and the absolute size of a move. */
  readonly fills: number;
  readonly adverse: number;
  readonly markout: number;
  readonly moved: number;
  /** Remaining weight of the prior, in fills: it decays like the first fills. */
  readonly prior: number;
};

const AWAITED_MAX = 300;
const HALF_LIFE_FILLS = 70;
const PRIOR = { fills: 50, moveBps: 5 } as const;
/** A move counts at most as so many usual ones: one fill near a wrong book must not dominate. */
const MOST_MOVES = 4;

export const noToxicity: Toxicity = { awaited: [], fills: 0, adverse: 0, markout: 0, moved: 0, prior: PRIOR.fills };

/** A fill of ours at `priceUsd` while the others' mid was `midUsd`. */
export function observeFill(state: Toxicity, side: Side, priceUsd: number, midUsd: number, nowMs: number): Toxicity {
  if (state.awaited.length >= AWAITED_MAX) return state;
  return {
    ...state,
    awaited: [...state.awaited, { side, priceUsd, midUsd, dueMs: nowMs + estimateTiming.toxicityMs }],
  };
}

/** Takes the current mid, which ends the minute of the fills that are due. */
export function observeMidAfter(state: Toxicity, midUsd: number, nowMs: number): Toxicity {
  const first = state.awaited[0];
  if (first === undefined || first.dueMs > nowMs) return state;
  const due = state.awaited.filter(({ dueMs }) => dueMs <= nowMs);
  const learned = due
    .filter(({ dueMs }) => nowMs - dueMs <= estimateTiming.toxicityLateMaxMs)
    .reduce((sum, fill) => learn(sum, fill, midUsd), state);
  return { ...learned, awaited: state.awaited.slice(due.length) };
}

/** Drops fills that wait for their minute: a print has come between. */
export const forgetAwaited = (state: Toxicity): Toxicity =>
  state.awaited.length === 0 ? state : { ...state, awaited: [] };

const KEPT = exp(-ln(2) / HALF_LIFE_FILLS);

function learn(state: Toxicity, { side, priceUsd, midUsd }: Awaited, midAfterUsd: number): Toxicity {
  const sign = Number(signOf(side));
  const most = MOST_MOVES * usualMove(state);
  const bounded = (bps: number) => Math.min(Math.max(bps, -most), most);
  const adverse = bounded(-sign * 10_000 * ln(midAfterUsd / midUsd));
  return {
    ...state,
    fills: KEPT * state.fills + 1,
    adverse: KEPT * state.adverse + adverse,
    markout: KEPT * state.markout + bounded(sign * 10_000 * ln(midAfterUsd / priceUsd)),
    moved: KEPT * state.moved + Math.abs(adverse),
    prior: KEPT * state.prior,
  };
}

/** Its prior stays: a mid that has not moved for long must not make every move count for nothing. */
const usualMove = ({ moved, fills }: Toxicity): number => (moved + PRIOR.fills * PRIOR.moveBps) / (fills + PRIOR.fills);

/** Means, basis points; 0 while there were no fills. */
export const toxicityOf = ({ adverse, markout, fills, prior }: Toxicity) => ({
  adverseBps: adverse / (fills + prior),
  markoutBps: markout / (fills + prior),
});

/** How much of them is observed, 0 to 1. */
export const toxicityDataShare = ({ fills, prior }: Toxicity): number => fills / (fills + prior);
