// `quoin trades`: prints every fill in the ledger, archived ones included, whether or not a daemon runs.

import { tradesReport } from "../bot/report/trades.ts";
import type { ExitCode, Host } from "../host/host.ts";
import { isJournalFormat } from "./choices.ts";
import { type ReportOptions, reportLedger } from "./report.ts";
import { journal } from "./trade-journal.ts";

export function trades(options: ReportOptions, host: Host): Promise<ExitCode> {
  const { from, ...all } = options;
  // Lots in a journal go back to the first fill.
  const asked = isJournalFormat(options.format) ? all : options;
  return reportLedger(options, host, {
    ...tradesReport(asked),
    journal: (rows, format) => journal(rows, format, from),
  });
}
