// The Federal Housing Finance Agency: the master file of all indices, and one file for each kind of region. Year and period have columns of
// their own.

import type { Layout } from "../layout.ts";

export const fhfaMaster: Layout = {
  rows: "observations",
  code: ["placeid"],
  region: ["placename"],
  apart: ["hpitype", "hpiflavor", "frequency", "level"],
  date: { kind: "period", year: ["yr"], period: ["period"], perYear: null },
  values: ["indexnsa", "indexsa"],
};

export const fhfaRegions: Layout = {
  rows: "observations",
  code: ["city", "cbsa", "state", "division", "zip3", "place", "placeid"],
  region: ["metroname", "name", "placename"],
  apart: [],
  date: { kind: "period", year: ["yr", "year"], period: ["qtr", "quarter"], perYear: 4 },
  values: ["indexnsa", "indexponsa", "index", "hpi", "indexsa", "indexposa"],
};
