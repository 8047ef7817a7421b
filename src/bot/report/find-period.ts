// The hours that a report shows of a request, and what the ledgers have of them.

import { HOUR_MS } from "../../kernel/clock.ts";
import type { LedgerReads } from "../ledger/store.ts";
import type { RowsAsked } from "./columns.ts";
import { momentText } from "./figures.ts";
import {
  bothPeriods,
  bothRecorded,
  type Hours,
  noPeriod,
  type Period,
  periodOf,
  type Recorded,
  recordedIn,
  type ShownHours,
} from "./period.ts";

/** `about`: notes on the report, a sentence each. */
export type FoundPeriod = { readonly hours: ShownHours; readonly period: Period; readonly about: readonly string[] };

/** Adds ledgers one after the other. `nowMs`: wall clock. */
export function findPeriod({ from, to, market }: RowsAsked, nowMs: number) {
  const asked: Hours = {
    from: from === undefined ? Number.NEGATIVE_INFINITY : hourOf(from),
    to: Math.ceil(Math.min(to ?? Number.POSITIVE_INFINITY, nowMs + 1) / HOUR_MS),
  };
  let recorded: Recorded | null = null;
  let period = noPeriod;
  return {
    add(read: LedgerReads): void {
      recorded = bothRecorded(recorded, recordedIn(read));
      period = bothPeriods(period, periodOf(read, asked, market));
    },
    result: (): FoundPeriod => ({ period, ...within(asked, recorded, { nowMs, hasTo: to !== undefined }) }),
  };
}

/** The hours of the report: none before the ledger begins and, without --to, none after its last row. */
function within(
  asked: Hours,
  recorded: Recorded | null,
  { nowMs, hasTo }: { readonly nowMs: number; readonly hasTo: boolean },
): Omit<FoundPeriod, "period"> {
  const from = Number.isFinite(asked.from) ? asked.from : Math.min(asked.to - 1, hourOf(recorded?.fromMs ?? nowMs));
  const nothing = { hours: { from, to: asked.to, seconds: 0 } };
  if (recorded === null) return { ...nothing, about: ["the ledger is empty: nothing was traded yet"] };
  const { fromMs, toMs } = recorded;
  const holds = `the ledger holds ${momentText(fromMs)} to ${momentText(toMs)} UTC`;
  if (asked.from * HOUR_MS > toMs || asked.to * HOUR_MS <= fromMs)
    return { ...nothing, about: [`nothing is recorded of this period; ${holds}`] };
  const to = hasTo ? asked.to : Math.min(asked.to, hourOf(toMs) + 1);
  const [beginMs, endMs] = [Math.max(from * HOUR_MS, fromMs), Math.min(to * HOUR_MS, hasTo ? nowMs : toMs)];
  return {
    hours: { from: hourOf(beginMs), to, seconds: Math.max(0, endMs - beginMs) / 1000 },
    about: from < hourOf(fromMs) ? [`${holds}; the report begins there`] : [],
  };
}

const hourOf = (atMs: number): number => Math.floor(atMs / HOUR_MS);
