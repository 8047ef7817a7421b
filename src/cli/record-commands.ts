// Options of the commands that read the ledger.

import { type Command, Option } from "commander";
import { columnsText, periods, pnlColumns, type ReportColumn, tradeColumns } from "../bot/report/columns.ts";
import { count, isoTime, marketNumber } from "./arguments.ts";
import { journalFormats, reportFormats, tableNames } from "./choices.ts";
import { ConfigOption } from "./config-option.ts";
import type { Commands, Doors } from "./fleet-commands.ts";
import type { LedgerExport } from "./ledger.ts";
import type { LiveReportOptions } from "./live-report.ts";
import type { PnlOptions } from "./pnl.ts";
import type { ReportOptions } from "./report.ts";

export function recordCommands({ command, ends, host }: Doors & Commands): void {
  /** `trades` and `pnl` take the same options. */
  const report = (
    name: string,
    description: string,
    columns: readonly ReportColumn[],
    formats: readonly string[] = reportFormats,
  ): Command =>
    command(name, description)
      .addOption(new ConfigOption())
      .option("--from <ISO>", "from this date or time on, UTC unless it names a zone", isoTime)
      .option("--to <ISO>", "before this date or time", isoTime)
      .option("--market <ID>", "only this market", marketNumber)
      .option("--fleet", "all accounts of the fleet, from its database; without it, those on this machine", false)
      .addOption(new Option("--format <F>", "default: table").choices(formats))
      .option("--out <FILE>", "write there instead of to stdout; a file that is there is replaced")
      .option("--json", "the same as --format json: one object per line", false)
      .addHelpText("after", columnsText(columns));

  const tradeFormats = [...reportFormats, ...journalFormats];
  report("trades", "lists the fills in the ledger, with the daemon running or not", tradeColumns, tradeFormats).action(
    ends(async (options: ReportOptions) => (await import("./trades.ts")).trades(options, host)),
  );

  report("pnl", "shows PnL by period, market and source from the ledger, at the print and at the mid", pnlColumns)
    .addOption(new Option("--by <PERIOD>", "day, week or month, in UTC").choices(periods).default("day"))
    .action(ends(async (options: PnlOptions) => (await import("./pnl.ts")).pnl(options, host)));

  command("report", "shows a live period from the ledger as a page: PnL, markouts, uptime, halts, changes")
    .addOption(new ConfigOption())
    .option("--from <ISO>", "from the hour of this date or time on, UTC unless it names a zone", isoTime)
    .option("--to <ISO>", "before this date or time, to a whole hour", isoTime)
    .option("--market <ID>", "only this market", marketNumber)
    .option("--fleet", "all accounts of the fleet, from its database; without it, those on this machine", false)
    .option("--out <FILE>", "write the page of HTML there; a file that is there is replaced")
    .option("--json", "print JSON: one object", false)
    .action(ends(async (options: LiveReportOptions) => (await import("./live-report.ts")).liveReport(options, host)));

  const ledger = command("ledger", "verifies or exports the ledger");

  ledger
    .command("verify")
    .description("checks that the file is intact and that the exchange agrees with it; exit 1 if not")
    .exitOverride()
    .addOption(new ConfigOption())
    .option("--offline", "compare with the exchange's last read in the ledger, and say when that was", false)
    .option("--json", "print JSON", false)
    .action(
      ends(async (options: { config: string; json: boolean; offline: boolean }) =>
        (await import("./ledger-verify.ts")).ledgerVerify(options, host),
      ),
    );

  ledger
    .command("export")
    .description("prints one table, as text or as a Parquet file")
    .exitOverride()
    .addOption(new ConfigOption())
    .addOption(new Option("--table <T>", "which table").choices(tableNames).default("fills"))
    .addOption(
      new Option("--format <F>", "csv with a header, one JSON object per line, or parquet")
        .choices(["csv", "json", "parquet"])
        .default("csv"),
    )
    .option("--from <ISO>", "rows from this date or time on, UTC unless it names a zone", isoTime)
    .option("--to <ISO>", "rows before this date or time", isoTime)
    .option("--chain <N>", "rows of the accounts' Nth chain, ended ones included; the first is 1", count)
    .option("--json", "the same as --format json", false)
    .action(
      ends(async ({ json, ...options }: LedgerExport & { json: boolean }) =>
        (await import("./ledger.ts")).ledgerExport(json ? { ...options, format: "json" } : options, host),
      ),
    );
}
