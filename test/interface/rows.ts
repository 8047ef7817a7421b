// The table: every row of the exchange's interface, section by section. What it says is held by coverage.test.ts, and
// docs/interface.md is made from it.

import type { Section } from "./row.ts";
import { conventions } from "./rows/conventions.ts";
import { accountReads, exchangeReads, historyReads, stakingReads } from "./rows/reads.ts";
import { economics, errors, limits, states, versions } from "./rows/states.ts";
import { stream } from "./rows/stream.ts";
import { nonces, scope, submission } from "./rows/submission.ts";
import { transactions } from "./rows/transactions.ts";

export const sections: readonly Section[] = [
  conventions,
  exchangeReads,
  accountReads,
  historyReads,
  stakingReads,
  submission,
  transactions,
  scope,
  nonces,
  states,
  stream,
  errors,
  limits,
  economics,
  versions,
];

/** The list has this many; some hold several facts. */
export const ROW_COUNT = 130;
