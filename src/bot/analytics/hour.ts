// How one market was quoted in one hour, as the ledger keeps it: for how long, why not, its markouts, and its limits. A run counts from its
// start; an hour is the difference of two counts.

import { type Side, type Size, sides, size, type Usdc, usdc } from "../../domain/units.ts";
import { CodedError } from "../../kernel/errors.ts";
import { parseJson, stringifyJson } from "../../kernel/json.ts";
import { type MarkoutSums, noMarkoutSums, sumsByHorizon } from "./markouts.ts";

export type QuoteCounts = {
  /** Time in which turns showed whether the market is quoted. */
  readonly watchedSecs: number;
  /** Time in which orders of ours rested on both sides. */
  readonly twoSidedSecs: number;
  /** Time in which nothing of ours rested on a side, by the first reason. */
  readonly silentSecs: Readonly<Record<Side, Readonly<Record<string, number>>>>;
  readonly markouts: MarkoutSums;
};

export type QuotedHour = QuoteCounts & {
  readonly strategy: string;
  /** Hash over strategy, parameters and limits, as in `quoin_strategy_info`. */
  readonly config: string;
  readonly maxPosition: Size;
  readonly maxLoss: Usdc;
};

export class HourError extends CodedError<"hour_malformed"> {}

export const noCounts: QuoteCounts = {
  watchedSecs: 0,
  twoSidedSecs: 0,
  silentSecs: { buy: {}, sell: {} },
  markouts: noMarkoutSums,
};

export const plusCounts = (one: QuoteCounts, other: QuoteCounts): QuoteCounts => combined(one, other, 1);

export const minusCounts = (now: QuoteCounts, before: QuoteCounts): QuoteCounts => combined(now, before, -1);

function combined(one: QuoteCounts, other: QuoteCounts, sign: 1 | -1): QuoteCounts {
  const seconds = (a: number, b: number): number => rounded(a + sign * b);
  const silent = (side: Side): Readonly<Record<string, number>> => {
    const [of, beside] = [one.silentSecs[side], other.silentSecs[side]];
    const reasons = new Set([...Object.keys(of), ...Object.keys(beside)]);
    const sums = [...reasons].map((reason) => [reason, seconds(of[reason] ?? 0, beside[reason] ?? 0)] as const);
    return Object.fromEntries(sums.filter(([, secs]) => secs > 0));
  };
  return {
    watchedSecs: seconds(one.watchedSecs, other.watchedSecs),
    twoSidedSecs: seconds(one.twoSidedSecs, other.twoSidedSecs),
    silentSecs: { buy: silent("buy"), sell: silent("sell") },
    markouts: sumsByHorizon((horizon) => ({
      count: one.markouts[horizon].count + sign * other.markouts[horizon].count,
      sum: rounded(one.markouts[horizon].sum + sign * other.markouts[horizon].sum),
    })),
  };
}

/** Milliseconds, and thousandths of a basis point. */
const rounded = (value: number): number => Math.round(value * 1000) / 1000;

export const hourText = ({ maxPosition, maxLoss, ...hour }: QuotedHour): string =>
  stringifyJson({ ...hour, maxPosition: `${maxPosition}`, maxLoss: `${maxLoss}` });

/** Throws HourError and JsonError where `hourText` did not write the text. */
export function readHour(text: string): QuotedHour {
  const { strategy, config, maxPosition, maxLoss, watchedSecs, twoSidedSecs, silentSecs, markouts } = fieldsOf(
    parseJson(text),
  );
  const sums = fieldsOf(markouts);
  return {
    strategy: `${strategy}`,
    config: `${config}`,
    maxPosition: size(wholeOf(maxPosition)),
    maxLoss: usdc(wholeOf(maxLoss)),
    watchedSecs: numberOf(watchedSecs),
    twoSidedSecs: numberOf(twoSidedSecs),
    silentSecs: Object.fromEntries(
      sides.map((side) => [side, secondsOf(fieldsOf(silentSecs)[side])]),
    ) as QuoteCounts["silentSecs"],
    markouts: sumsByHorizon((horizon) => {
      const { count, sum } = fieldsOf(sums[horizon]);
      return { count: numberOf(count), sum: numberOf(sum) };
    }),
  };
}

const secondsOf = (value: unknown): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(fieldsOf(value)).map(([reason, seconds]) => [reason, numberOf(seconds)]));

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw malformed();
  return value as Readonly<Record<string, unknown>>;
}

function numberOf(value: unknown): number {
  const number = Number(value);
  if (!Number.isFinite(number)) throw malformed();
  return number;
}

function wholeOf(value: unknown): bigint {
  if (typeof value !== "string" || !/^-?\d+$/.test(value)) throw malformed();
  return BigInt(value);
}

const malformed = (): HourError =>
  new HourError("hour_malformed", "the ledger holds an hour of quoting that cannot be read");
