// The position that the market's premium over the carry fair value pays for: funding, and the observed decay of the premium, against the
// risk of holding it with the given capital (Merton 1969). Unproven income counts as zero.

import type { z } from "zod";
import * as s from "../../domain/scalars.ts";
import { HOUR_MS } from "../../kernel/clock.ts";

/** Keys of a market's `premiumBook`. */
export const premiumSchema = s.strict({
  capital: s.positiveUsdc.describe(
    "USDC that the book has: its position is sized to it, and its initial margin fits into it",
  ),
  maxContracts: s.sizeContracts.describe("contracts; the most that it holds on either side"),
  maxLoss: s.positiveUsdc.describe(
    "USDC below where it began or was last resumed; beyond it the target is 0 until an operator resumes it (`resume --latch premiumLoss`)",
  ),
  contractsPerHour: s.sizeContracts
    .optional()
    .describe("contracts; how fast its target moves. Default: a quarter of maxContracts"),
  kellyShare: s
    .fraction(0.01, 1, "a ratio")
    .default(0.25)
    .describe("share of the position that would let the capital grow fastest, were the estimates exact"),
});
export type PremiumSettings = z.output<typeof premiumSchema>;

/** Means over a block of minutes: the mid, and the premium as a share of it. */
type Block = { readonly midUsd: number; readonly premium: number };

/** How premiums have decayed so far. Plain data. */
export type PremiumRecord = {
  /** Sums over the minutes of the running block. */
  readonly running: Block & { readonly minutes: number };
  /** The last two whole blocks without a gap, oldest first. */
  readonly last: readonly Block[];
  /** Decaying sums over blocks: of premium x and the move y of the mid from the next block to the one after. */
  readonly sums: { readonly blocks: number; readonly xx: number; readonly xy: number; readonly yy: number };
};

const noBlock = { midUsd: 0, premium: 0, minutes: 0 };
export const noPremiumRecord: PremiumRecord = {
  running: noBlock,
  last: [],
  sums: { blocks: 0, xx: 0, xy: 0, yy: 0 },
};

/** A brief distortion of the book is no premium: means of so many minutes count. */
const BLOCK_MINUTES = 10;
const BLOCKS_PER_HOUR = 60 / BLOCK_MINUTES;
/** About two weeks count. */
const KEPT = 1 - 1 / 2016;
/** Less than a day of blocks shows nothing. */
const BLOCKS_MIN = 144;
/** Moves between means of neighboring blocks share half of their time (Working 1960): the variance of their sum is this much larger. */
const OVERLAP = 1.5;

/** Takes one minute; null: parts of it are unknown, and blocks that span it do not count. */
export function observeMinute(record: PremiumRecord, seen: Block | null): PremiumRecord {
  if (seen === null)
    return record.last.length === 0 && record.running === noBlock ? record : { ...record, running: noBlock, last: [] };
  const running = {
    midUsd: record.running.midUsd + seen.midUsd,
    premium: record.running.premium + seen.premium,
    minutes: record.running.minutes + 1,
  };
  if (running.minutes < BLOCK_MINUTES) return { ...record, running };
  const block = { midUsd: running.midUsd / BLOCK_MINUTES, premium: running.premium / BLOCK_MINUTES };
  const last = [...record.last, block].slice(-2);
  const [first, second] = record.last;
  if (first === undefined || second === undefined) return { running: noBlock, last, sums: record.sums };
  // The premium is from a block before both, so its noise is in neither.
  const [x, y] = [first.premium, block.midUsd / second.midUsd - 1];
  const { blocks, xx, xy, yy } = record.sums;
  const sums = { blocks: KEPT * blocks + 1, xx: KEPT * xx + x * x, xy: KEPT * xy + x * y, yy: KEPT * yy + y * y };
  return { running: noBlock, last, sums };
}

/** The mean premium of the last ten minutes; undefined before. */
export const lastPremium = ({ last }: PremiumRecord): number | undefined => last.at(-1)?.premium;

/** Returns the share of a premium that decays in an hour, and its standard error; null before a day was seen. */
export function premiumDecay({
  sums,
}: PremiumRecord): { readonly perHour: number; readonly errorPerHour: number } | null {
  const { blocks, xx, xy, yy } = sums;
  if (blocks < BLOCKS_MIN || xx === 0) return null;
  const slope = xy / xx;
  const rest = Math.max(0, yy - slope * xy) / blocks;
  return { perHour: -slope * BLOCKS_PER_HOUR, errorPerHour: Math.sqrt((OVERLAP * rest) / xx) * BLOCKS_PER_HOUR };
}

/** Inputs of a target. Shares of the price, not basis points. */
export type PremiumEvidence = {
  readonly priceUsd: number;
  readonly premium: number;
  /** Standard error of the carry fair value. */
  readonly error: number;
  readonly decay: { readonly perHour: number; readonly errorPerHour: number };
  /** Hourly funding per unit of premium, as far as observed. */
  readonly kappaPerHour: number;
  /** Volatility of the price, per root second between prints; and its deviation over a print. */
  readonly volatility: number;
  readonly printMove: number;
  readonly printEveryMs: number;
  readonly initialMarginRatio: number;
};

type Sizes = { readonly capitalUsd: number; readonly maxContracts: number; readonly kellyShare: number };

/**
 * Returns contracts to hold, signed: share of Kelly x capital x hourly earnings per contract / hourly variance, within `maxContracts` and
 * the margin that the capital covers. Premium and decay count less their standard errors.
 */
export function premiumTarget({ capitalUsd, maxContracts, kellyShare }: Sizes, of: PremiumEvidence): number {
  const premium = beyond(of.premium, of.error);
  const pull = Math.max(0, beyond(of.decay.perHour, of.decay.errorPerHour) + of.kappaPerHour);
  const variance = (of.volatility ** 2 * HOUR_MS) / 1000 + of.printMove ** 2 * (HOUR_MS / of.printEveryMs);
  const most = Math.min(maxContracts, capitalUsd / (of.priceUsd * of.initialMarginRatio));
  const wanted = (-kellyShare * capitalUsd * pull * premium) / (variance * of.priceUsd);
  return Number.isFinite(wanted) ? Math.min(most, Math.max(-most, wanted)) : 0;
}

/** Shrinks an estimate toward zero by its error. */
const beyond = (value: number, error: number): number => Math.sign(value) * Math.max(0, Math.abs(value) - error);
