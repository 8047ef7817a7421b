// An index history without a file: a print a day from 2024-01-01 on, none missing.

import type { IndexSeries } from "../../src/domain/index-series.ts";
import { price } from "../../src/domain/units.ts";

/** `prices` in base units, oldest first. */
export const seriesOf = (prices: readonly bigint[]): IndexSeries => ({
  prints: prices.map((raw, step) => ({
    date: new Date(Date.UTC(2024, 0, 1 + step)).toISOString().slice(0, 10),
    price: price(raw),
    step,
  })),
  gaps: [],
  period: "day",
});
