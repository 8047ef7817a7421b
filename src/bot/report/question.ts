// Questions to a ledger over HTTP: trades, PnL by period, and the report of a period, answered as the commands answer with --json.

import { ISO_TIME, isoTimeMs } from "../../kernel/iso-time.ts";
import type { LedgerReads } from "../ledger/store.ts";
import { jsonOf, type Period, periods, type Report, type ReportRow, type RowsAsked } from "./columns.ts";
import { findPeriod } from "./find-period.ts";
import { periodJson } from "./json.ts";
import { pnlReport } from "./pnl.ts";
import { tradesReport } from "./trades.ts";

export const questionKinds = ["trades", "pnl", "report"] as const;
export type QuestionKind = (typeof questionKinds)[number];

/** `limit`: return only the newest rows. */
export type Question = RowsAsked & { readonly kind: QuestionKind; readonly by: Period; readonly limit: number };

export const ROWS_MAX = 1000;
const keys = ["from", "to", "market", "by", "limit"];

/** Reads a query such as `from=2026-11-01&market=1&limit=50`. Returns a sentence where it is wrong. */
export function readQuestion(kind: QuestionKind, query: URLSearchParams): Question | string {
  const unknown = [...query.keys()].find((key) => !keys.includes(key));
  if (unknown !== undefined) return `unknown parameter ${unknown.slice(0, 40)}; allowed: ${keys.join(", ")}`;
  const [from, to] = ["from", "to"].map((key) => {
    const written = query.get(key);
    return written === null ? null : (isoTimeMs(written) ?? Number.NaN);
  });
  if (Number.isNaN(from) || Number.isNaN(to)) return `from and to must be ${ISO_TIME}`;
  const market = wholeIn(query, "market", 0, 65_535);
  const limit = wholeIn(query, "limit", 1, ROWS_MAX) ?? ROWS_MAX;
  if (Number.isNaN(market)) return "market must be a market id";
  if (Number.isNaN(limit)) return `limit must be a whole number from 1 to ${ROWS_MAX}`;
  const by = periods.find((period) => period === (query.get("by") ?? "day"));
  if (by === undefined) return `by must be one of ${periods.join(", ")}`;
  return {
    kind,
    by,
    limit,
    ...(from !== null && from !== undefined && { from }),
    ...(to !== null && to !== undefined && { to }),
    ...(market !== undefined && { market }),
  };
}

/** NaN: it is no such number. */
function wholeIn(query: URLSearchParams, key: string, min: number, max: number): number | undefined {
  const written = query.get(key);
  if (written === null) return undefined;
  const number = Number(written);
  return /^\d{1,5}$/.test(written) && number >= min && number <= max ? number : Number.NaN;
}

/** `nowMs`: wall clock. `paper`: accounts whose orders are simulated. */
export function answerOf(
  question: Question,
  read: LedgerReads,
  { nowMs, paper }: { readonly nowMs: number; readonly paper: readonly string[] },
): object {
  if (question.kind === "trades") return { trades: rowsOf(tradesReport(question), read, question) };
  if (question.kind === "pnl") return { pnl: rowsOf(pnlReport(question), read, question) };
  const found = findPeriod(question, nowMs);
  found.add(read);
  const { period, hours, about } = found.result();
  return { ...periodJson(period, hours, (account) => paper.includes(account)), about };
}

const rowsOf = <Row extends ReportRow>(
  report: Report<Row>,
  read: LedgerReads,
  { limit }: Question,
): readonly object[] =>
  report
    .rows(read)
    .toSorted(report.inOrder)
    .slice(-limit)
    .map((row) => jsonOf(report.columns, row));
