// The history of an index: its prints in order of time, and where prints are missing.

import { countText } from "../kernel/text.ts";
import type { Price } from "./units.ts";

export type DatedPrint = {
  /** For example 2024-01-31. */
  readonly date: string;
  readonly price: Price;
  /** Number of usual intervals since the first print: 0, 1, 2 … if none is missing. */
  readonly step: number;
};

/** The period of one value, by the usual interval between two; `day` where none of the others fits. */
export type IndexPeriod = "day" | "week" | "month" | "quarter" | "year";

export type IndexSeries = {
  /** Oldest first; one per date. */
  readonly prints: readonly DatedPrint[];
  /** Gaps without prints, oldest first. The usual interval is the median one, so a monthly history has no gaps. */
  readonly gaps: readonly IndexGap[];
  readonly period: IndexPeriod;
};

export type IndexGap = {
  /** Dates of the prints before and after the gap. */
  readonly after: string;
  readonly before: string;
  readonly missing: number;
};

/** The gaps in a few words; null if there are none. */
export function gapsText(gaps: readonly IndexGap[]): string | null {
  const longest = gaps.reduce<IndexGap | undefined>(
    (a, b) => (a === undefined || b.missing > a.missing ? b : a),
    undefined,
  );
  if (longest === undefined) return null;
  const { after, before, missing } = longest;
  const where = `${countText(missing, "print")} between ${after} and ${before}`;
  return gaps.length === 1 ? `1 gap, ${where}` : `${gaps.length} gaps, the longest ${where}`;
}
