// Parcl Labs: price feeds in USD per square foot, a row a day (the layout of the contract, in any order of columns).

import type { Layout } from "../layout.ts";

export const parcl: Layout = {
  rows: "observations",
  code: ["parclid"],
  region: ["name"],
  apart: [],
  date: { kind: "day", column: ["date"], form: "yearFirst" },
  values: ["pricefeed", "rentalpricefeed"],
};
