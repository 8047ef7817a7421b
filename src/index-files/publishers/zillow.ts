// Zillow Research: a row a region, a column a month, named by the month's last day.

import type { Layout } from "../layout.ts";

export const zillow: Layout = {
  rows: "series",
  code: ["regionid"],
  region: ["regionname"],
  apart: [],
};
