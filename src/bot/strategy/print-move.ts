// How far the mid really moves over a print, from two minutes before it to five after: the possible loss of quoting over it. The nowcast's
// error shows less, since the market is seldom where past prints predict.

import { ln } from "../../kernel/real.ts";
import { estimateTiming } from "../timing.ts";

type Mid = { readonly usd: number; readonly atMs: number };

export type PrintMove = {
  /** The mids of the last minutes, oldest first. */
  readonly mids: readonly Mid[];
  /** The mid before the last print, until its move is known. */
  readonly awaited: { readonly usd: number; readonly dueMs: number } | null;
  /** Decaying: prints, and their squared moves in log price. */
  readonly prints: number;
  readonly squares: number;
};

export const noPrintMove: PrintMove = { mids: [], awaited: null, prints: 0, squares: 0 };

/** No longer than this share of the time between prints. */
const SHARE = 0.125;
const MIDS_KEPT = 13;
/** About twenty prints count, mixed with as many of the prior. */
const KEPT = 0.95;
const PRIOR_PRINTS = 3;
/** A move counts at most as so many usual ones: one wrong book must not dominate all prints. */
const MOST_MOVES = 4;

const beforeMs = (everyMs: number): number => Math.min(estimateTiming.moveBeforePrintMs, SHARE * everyMs);
const afterMs = (everyMs: number): number => Math.min(estimateTiming.afterPrintMs, SHARE * everyMs);

/** Takes the current mid, USD, in a market that prints each `everyMs`; `usualBps`: the assumed move over a print while none was seen. */
export function observeMidAround(
  state: PrintMove,
  usd: number,
  everyMs: number,
  usualBps: number,
  nowMs: number,
): PrintMove {
  const known = learned(state, usd, everyMs, usualBps, nowMs);
  const newest = known.mids.at(-1);
  const apartMs = beforeMs(everyMs) / (MIDS_KEPT - 1);
  if (newest !== undefined && nowMs - newest.atMs < apartMs) return known;
  return { ...known, mids: [...known.mids, { usd, atMs: nowMs }].slice(-MIDS_KEPT) };
}

function learned(state: PrintMove, usd: number, everyMs: number, usualBps: number, nowMs: number): PrintMove {
  const { awaited, prints, squares } = state;
  if (awaited === null || nowMs < awaited.dueMs) return state;
  if (nowMs - awaited.dueMs > afterMs(everyMs)) return { ...state, awaited: null };
  const most = (MOST_MOVES * printMoveBps(state, usualBps)) / 10_000;
  const move = Math.min(most, Math.abs(ln(usd / awaited.usd)));
  return { ...state, awaited: null, prints: KEPT * prints + 1, squares: KEPT * squares + move ** 2 };
}

/** A print has come. Without a mid from before it, its move is not learned. */
export function awaitMove(state: PrintMove, everyMs: number, nowMs: number): PrintMove {
  const wantedMs = nowMs - beforeMs(everyMs);
  const before = state.mids.findLast(({ atMs }) => atMs <= wantedMs);
  const isRecent = before !== undefined && wantedMs - before.atMs <= beforeMs(everyMs);
  return { ...state, awaited: isRecent ? { usd: before.usd, dueMs: nowMs + afterMs(everyMs) } : null };
}

/** Root mean square of the moves, basis points. */
export const printMoveBps = ({ prints, squares }: PrintMove, usualBps: number): number =>
  10_000 * Math.sqrt((squares + PRIOR_PRINTS * (usualBps / 10_000) ** 2) / (prints + PRIOR_PRINTS));

/** How much of it is observed, 0 to 1. */
export const moveDataShare = ({ prints }: PrintMove): number => prints / (prints + PRIOR_PRINTS);
