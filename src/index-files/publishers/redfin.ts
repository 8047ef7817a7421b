// Redfin's data center: a row a period, region and kind of property, parted by tabs. Its pages give a shorter table with months by name.

import type { Layout } from "../layout.ts";

export const redfin: Layout = {
  rows: "observations",
  code: ["region"],
  region: ["tableid"],
  apart: ["regiontype", "propertytype", "isseasonallyadjusted", "periodduration"],
  date: { kind: "day", column: ["periodbegin", "monthofperiodend"], form: "yearFirst" },
  values: ["mediansaleprice", "medianlistprice", "medianppsf", "medianlistppsf"],
};
