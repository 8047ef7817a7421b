// What blocks from print to print say of a setting: its figures over them, and how much more it scores than another, by drawing blocks again.

import { DAY_MS } from "../../kernel/clock.ts";
import { normalCdf, normalQuantile } from "../../kernel/normal.ts";
import { createPrng } from "../../kernel/prng.ts";
import { studentP, studentT95 } from "../../kernel/student.ts";
import type { BlockLine } from "../outcome.ts";
import { halfOf95, meanOf, rounded, sumOf } from "../summary.ts";
import { type Figures, penaltyOf } from "./judge.ts";

const DRAWS = 1000;
const SEED = 1n;

const lastedMs = ({ fromMs, toMs }: BlockLine): number => toMs - fromMs;

/** What a score reads of blocks, each as numbers only, so that drawing them a thousand times is quick. */
type Columns = Readonly<Record<"pnl" | "closingCost" | "ms", Float64Array>>;

const columnsOf = (blocks: readonly BlockLine[]): Columns => ({
  pnl: Float64Array.from(blocks, ({ pnl }) => pnl),
  closingCost: Float64Array.from(blocks, ({ closingCost }) => closingCost),
  ms: Float64Array.from(blocks, lastedMs),
});

/** USDC of each day in a sequence of blocks: a day ends with the block that makes it 24 h. `at`: their indexes, in order. */
function daysIn({ pnl, ms }: Columns, at: Iterable<number>): readonly number[] {
  const days: number[] = [];
  let [day, passedMs] = [0, 0];
  for (const nth of at) {
    day += pnl[nth] ?? 0;
    passedMs += ms[nth] ?? 0;
    if (passedMs < DAY_MS) continue;
    days.push(day);
    [day, passedMs] = [0, 0];
  }
  return passedMs > 0 ? [...days, day] : days;
}

function scoreAt(columns: Columns, at: readonly number[]): number {
  let [pnl, closing, ms] = [0, 0, 0];
  for (const nth of at) {
    pnl += columns.pnl[nth] ?? 0;
    closing += columns.closingCost[nth] ?? 0;
    ms += columns.ms[nth] ?? 0;
  }
  const days = Math.max(1e-9, ms / DAY_MS);
  return (pnl - closing / Math.max(1, at.length)) / days - penaltyOf(daysIn(columns, at), days);
}

const lengthOf = (blocks: readonly BlockLine[]): number => Math.max(1e-9, sumOf(blocks, lastedMs) / DAY_MS);

/** As `scoreOf` a run, in USDC a day; to close the positions costs what it does on average at the ends of the blocks. */
export const blockScore = (blocks: readonly BlockLine[]): number =>
  scoreAt(
    columnsOf(blocks),
    blocks.map((_, nth) => nth),
  );

/** `recordings`: how many the blocks are of; PnL is per recording. Throws RangeError without a block. */
export function blockFigures(blocks: readonly BlockLine[], recordings: number): Figures {
  const [first] = blocks;
  if (first === undefined) throw new RangeError("the figures of no blocks");
  const closing = meanOf(blocks.map(({ closingCost }) => closingCost));
  const mean = (sumOf(blocks, ({ pnl }) => pnl) - closing) / recordings;
  const half = halfOf95(blocks.map(({ pnl }) => pnl));
  const reach = half === null ? null : (half * blocks.length) / recordings;
  const markets = first.markets.map((_, nth) => marketFigures(blocks, nth));
  return {
    runs: recordings,
    pnlMean: rounded(mean),
    ci95: reach === null ? [null, null] : [rounded(mean - reach), rounded(mean + reach)],
    scoreMean: rounded(blockScore(blocks)),
    worstDay: rounded(Math.min(...daysIn(columnsOf(blocks), blocks.keys())) - closing),
    positionStd: rounded(Math.max(...markets.map(({ positionStd }) => positionStd))),
    quoteUptime: rounded(Math.min(...markets.map(({ quoteUptime }) => quoteUptime))),
    actionsPerDay: Math.round(sumOf(markets, ({ actions }) => actions) / lengthOf(blocks)),
  };
}

function marketFigures(blocks: readonly BlockLine[], nth: number): BlockLine["markets"][number] {
  const whole = Math.max(1, sumOf(blocks, lastedMs));
  const overTime = (of: (market: BlockLine["markets"][number]) => number): number =>
    sumOf(blocks, (block) => {
      const market = block.markets[nth];
      return market === undefined ? 0 : of(market) * lastedMs(block);
    }) / whole;
  const positionMean = overTime((market) => market.positionMean);
  const square = overTime((market) => market.positionStd ** 2 + market.positionMean ** 2);
  return {
    quoteUptime: overTime(({ quoteUptime }) => quoteUptime),
    positionMean,
    positionStd: Math.sqrt(Math.max(0, square - positionMean ** 2)),
    actions: sumOf(blocks, ({ markets }) => markets[nth]?.actions ?? 0),
  };
}

export type Lead = {
  /** USDC a day. */
  readonly mean: number;
  readonly ci95: readonly [low: number, high: number];
  /** That chance alone makes a lead at least as far from zero. */
  readonly p: number;
};

/**
 * Score of one less that of the other over equal blocks, which are drawn again together. Interval and p are those of the drawn leads, widened to
 * Student's t: T. C. Hesterberg, "What teachers should know about the bootstrap", The American Statistician 69 (2015), section 5.3. Throws
 * RangeError with fewer than two blocks.
 */
export function leadOf(one: readonly BlockLine[], other: readonly BlockLine[]): Lead {
  const count = one.length;
  if (count < 2 || other.length !== count) throw new RangeError(`${count} and ${other.length} blocks`);
  const prng = createPrng(SEED);
  const mean = blockScore(one) - blockScore(other);
  const [own, its] = [columnsOf(one), columnsOf(other)];
  const drawn = Array.from({ length: DRAWS }, () => {
    const at = Array.from({ length: count }, () => prng.below(count));
    return scoreAt(own, at) - scoreAt(its, at);
  }).sort((a, b) => a - b);
  const widening = Math.sqrt(count / (count - 1));
  const tail = normalCdf(-widening * studentT95(count - 1));
  const at = (share: number): number =>
    drawn[Math.min(DRAWS - 1, Math.max(0, Math.round(share * (DRAWS - 1))))] ?? mean;
  // Half of the draws that are zero count on either side.
  const below = sumOf(drawn, (lead) => (lead < 0 ? 1 : lead === 0 ? 0.5 : 0)) / DRAWS;
  const share = Math.max(1 / (2 * DRAWS), Math.min(below, 1 - below));
  return {
    mean: rounded(mean),
    ci95: [rounded(at(tail)), rounded(at(1 - tail))],
    p: rounded(studentP(normalQuantile(share) / widening, count - 1)),
  };
}
