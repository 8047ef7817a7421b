// `quoin trades`: prints every fill in the ledger, archived ones included, whether or not a daemon runs.

import { tradesReport } from "../bot/report/trades.ts";
import type { ExitCode, Host } from "../host/host.ts";
import { type ReportOptions, reportLedger } from "./report.ts";

export const trades = (options: ReportOptions, host: Host): Promise<ExitCode> =>
  reportLedger(options, host, tradesReport(options));
