// The format of a publisher's file, as data. Columns are identified by keys: letters and digits in lower case, so that AreaCode, area_code
// and "Area Code" are one column. Of several listed names, the first that the file has counts.

import type { DateForm, PerYear } from "./dates.ts";

export type Layout = ObservationRows | SeriesRows | DateRows;

/** A row holds one series at one date. */
type ObservationRows = SeriesColumns & {
  readonly rows: "observations";
  readonly date: DateColumns;
  /** Preferred columns of a series: unadjusted indices first, then adjusted ones, then prices. */
  readonly values: readonly string[];
};

/** A row holds one series: its dates are the names of columns. */
type SeriesRows = SeriesColumns & { readonly rows: "series" };

/** A row holds one date, in its first column: each other column is a series of its own. */
type DateRows = { readonly rows: "dates"; readonly date: DateColumns };

type SeriesColumns = {
  /** Columns that distinguish series. */
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
