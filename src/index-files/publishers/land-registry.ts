// HM Land Registry's UK House Price Index: a row a month and area, its date as 01/02/2015 or, in some files, 2015-02-01.

import type { Layout } from "../layout.ts";

export const landRegistry: Layout = {
  rows: "observations",
  code: ["areacode"],
  region: ["regionname"],
  apart: [],
  date: { kind: "day", column: ["date"], form: "dayFirst" },
  values: ["index", "indexsa", "averageprice", "averagepricesa"],
};
