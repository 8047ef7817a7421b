// `quoin pnl`: PnL by day, week or month and by source, valued at the print and at the mid. Read from the ledger, whether or not a daemon
// runs.

import type { Period } from "../bot/report/columns.ts";
import { pnlReport } from "../bot/report/pnl.ts";
import type { ExitCode, Host } from "../host/host.ts";
import { type ReportOptions, reportLedger } from "./report.ts";

export type PnlOptions = ReportOptions & { readonly by: Period };

export const pnl = (options: PnlOptions, host: Host): Promise<ExitCode> =>
  reportLedger(options, host, pnlReport(options));
