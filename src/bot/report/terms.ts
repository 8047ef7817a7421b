// What the figures of a live period mean, one line each; docs/reports.md explains them in full.

import { ANNUAL_TERM } from "../../report/annual.ts";
import type { Term } from "../../report/terms.ts";

export const terms: readonly Term[] = [
  [
    "at-mid",
    "PnL at mid, at print",
    "Gain or loss after fees and funding. At mid, positions are valued at the mid of the others' orders; at print, at the last print (one index update) of the oracle.",
  ],
  [
    "by-source",
    "spread, inventory, jump, funding, fees",
    "Spread: the edge of each fill against the mid before it. Inventory: what the price moved while a position was held. Jump: the part of that in prints. Funding: payments, received above zero. Fees: rebates above zero.",
  ],
  ["worst-hour", "worst hour", "The lowest PnL at mid from one full hour (UTC) to the next, over all markets."],
  [
    "drawdown",
    "drawdown",
    "The largest fall of the PnL at mid below its best so far, a loss from the start included; looked at where hours end.",
  ],
  ANNUAL_TERM,
  [
    "uptime",
    "both sides quoted",
    "The share of the time that the daemon watched the market in which an order of ours rested on both sides.",
  ],
  [
    "silence",
    "reason of silence",
    "Why nothing of ours rested on a side, by the first reason; the names are those of the metric quoin_not_quoting_seconds_total.",
  ],
  [
    "markout",
    "markout, bps",
    "Side × (mid some seconds after the fill − price of the fill) / price of the fill, in hundredths of a percent, as a mean over fills. Below zero the price moved against us.",
  ],
  [
    "interval",
    "95 %",
    "The interval that holds the true mean in 95 of 100 such periods, by Student's t over hours with fills. One hour has none.",
  ],
];
