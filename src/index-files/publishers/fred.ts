// FRED of the Federal Reserve Bank of St. Louis: a row a date, a column a series. The first column was DATE and is observation_date.

import type { Layout } from "../layout.ts";

export const fred: Layout = {
  rows: "dates",
  date: { kind: "day", column: ["observationdate", "date"], form: "yearFirst" },
};
