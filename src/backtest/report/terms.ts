// What the figures of the report mean, one line each; docs/backtest.md explains them in full.

import { ANNUAL_TERM } from "../../report/annual.ts";
import type { Term } from "../../report/terms.ts";
import { FIRST_LOOK } from "../chance.ts";

export const terms: readonly Term[] = [
  [
    "at-mid",
    "PnL at mid, at print, closed",
    "Gain or loss after fees and funding. At mid, positions are valued at the mid of the others' orders; at print, at the last print (one index update) of the oracle; closed, as if sold or bought back at the end through the book, as a taker.",
  ],
  [
    "interval",
    "95 %",
    "The interval that holds the true mean in 95 of 100 such backtests, by Student's t over seeds; in a recording, over the stretches from print to print. Where it holds zero, chance alone may explain the figure.",
  ],
  [
    "ahead",
    "ahead by, p",
    `Equal seeds are equal worlds, so configurations are compared seed by seed. p is the probability that chance alone makes such a lead, at whichever look from ${FIRST_LOOK} seeds on you stop, corrected (Holm) for all pairs, since the best was picked among them. Losses that are rare and large make it too low.`,
  ],
  [
    "by-source",
    "spread, inventory, jump, funding, fees",
    "Spread: the edge of each fill against the mid before it. Inventory: what the price moved while a position was held. Jump: the part of that in the five seconds after a print. Funding: payments, received above zero. Fees: rebates above zero.",
  ],
  ["worst-day", "worst day", "The lowest PnL of a day, from midnight to midnight of the run, of any seed."],
  [
    "drawdown",
    "drawdown",
    "The largest fall of equity below its best so far, the start included; sampled once a minute.",
  ],
  ANNUAL_TERM,
  ["uptime", "both sides quoted", "The share of the time in which an order of ours rested on both sides of the book."],
  [
    "markout",
    "markout, bps",
    "Side × (mid some seconds after the fill − price of the fill) / price of the fill, in hundredths of a percent, as a mean over fills. Below zero the price moved against us.",
  ],
  [
    "red-flag",
    "red flag",
    "A reason to doubt a good result: few large losses, a gain that is no spread, a crowd kinder than a market.",
  ],
];
