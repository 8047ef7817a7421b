// What a publisher's file looks like, as data. Columns are named by their keys: letters and digits in lower case, so that AreaCode,
// area_code and "Area Code" are one column. Where several names are listed, the first that the file has is meant.

import type { DateForm, PerYear } from "./dates.ts";

export type Layout = ObservationRows | SeriesRows | DateRows;

/** A row holds what one series was at one date. */
type ObservationRows = SeriesColumns & {
  readonly rows: "observations";
  readonly date: DateColumns;
  /** What a series may be taken from: unadjusted indices first, then adjusted ones, then prices. */
  readonly values: readonly string[];
};

/** A row holds one series: its dates are the names of columns. */
type SeriesRows = SeriesColumns & { readonly rows: "series" };

/** A row holds one date, in its first column: each other column is a series of its own. */
type DateRows = { readonly rows: "dates"; readonly date: DateColumns };

type SeriesColumns = {
  /** What tells one series from another. */
  readonly code: readonly string[];
  /** Its name for people. */
  readonly region: readonly string[];
  /** Columns that may hold several values for one code, each a series of its own. */
  readonly apart: readonly string[];
};

export type DateColumns =
  | { readonly kind: "day"; readonly column: readonly string[]; readonly form: DateForm }
  | {
      readonly kind: "period";
      readonly year: readonly string[];
      readonly period: readonly string[];
      /** Null: a column `frequency` says monthly or quarterly. */
      readonly perYear: PerYear | null;
    };

export const keyOf = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");

/** The name of a column that a pandas index is written to: it numbers the rows. */
export const isRowNumber = (name: string): boolean => name === "" || /^unnamed: \d+$/i.test(name);
