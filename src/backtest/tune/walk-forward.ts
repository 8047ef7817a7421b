// Walk-forward over the blocks of recordings: a setting is picked by the blocks up to some moment, and counts in those after it. Between the
// two, blocks are left out that say something of both: López de Prado, "Advances in Financial Machine Learning" (2018), section 7.4.

import type { RunLine } from "../outcome.ts";
import { BLOCKS_MIN } from "../summary.ts";
import type { Difference } from "./judge.ts";

/** Equal stretches of blocks: the first is trained on alone, each other is tested once. */
const STRETCHES = 5;

type Times = { readonly fromMs: number; readonly toMs: number };

/** Indexes of blocks. */
export type Fold = { readonly train: readonly number[]; readonly test: readonly number[] };

/**
 * The folds in the order of time. From the end of each training, blocks that end within `purgeMs` of it are dropped: their premium is still
 * in the prices of the test. The block after it is dropped too, since the first print is the one that quotes of the training await.
 * `blocks`: in the order of time. A text says why there are too few.
 */
export function foldsOf(blocks: readonly Times[], purgeMs: number): readonly Fold[] | string {
  const ends = Array.from({ length: STRETCHES + 1 }, (_, nth) => Math.floor((nth * blocks.length) / STRETCHES));
  const folds = ends.slice(1, -1).map((end, nth): Fold => {
    const purgedFromMs = (blocks[end - 1]?.toMs ?? 0) - purgeMs;
    const train = blocks.slice(0, end).flatMap(({ toMs }, at) => (toMs <= purgedFromMs ? [at] : []));
    const until = ends[nth + 2] ?? end;
    return { train, test: Array.from({ length: Math.max(0, until - end - 1) }, (_, at) => end + 1 + at) };
  });
  const least = Math.min(...folds.map(({ train }) => train.length));
  const tested = folds.reduce((sum, { test }) => sum + test.length, 0);
  if (least >= BLOCKS_MIN && tested >= BLOCKS_MIN) return folds;
  return `${blocks.length} blocks from print to print leave ${least} for the first pick and ${tested} for the test; each needs ${BLOCKS_MIN}`;
}

/** Times in Unix ms; leads in USDC a day over the present configuration, on the test's blocks. */
export type FoldLine = {
  readonly fromMs: number;
  readonly toMs: number;
  readonly trainBlocks: number;
  readonly testBlocks: number;
  /** The setting that the blocks before picked; empty: the present configuration. */
  readonly set: RunLine["set"];
  readonly lead: number;
};

export type WalkForwardLine = {
  readonly halfLifeHours: number;
  readonly folds: readonly FoldLine[];
  /** What the picks scored over the present configuration in all tests together. */
  readonly difference: Difference;
  /** Settings that were tried, the present one not among them. */
  readonly trials: number;
  /** Deflated Sharpe ratio of the setting that all blocks pick; null: they pick the present one, or nothing varies. */
  readonly deflatedSharpe: number | null;
  /** Leads of that setting's neighbors over all blocks. */
  readonly neighbors: readonly { readonly set: RunLine["set"]; readonly lead: number }[];
};
