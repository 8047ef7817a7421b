// Prints rows of a report as a table, CSV, JSON or Parquet, on stdout or to a file, from the ledgers that configuration and options name.

import { resolve } from "node:path";
import type { EmergencyConfig } from "../bot/config/emergency.ts";
import { csvLine } from "../bot/ledger/export.ts";
import { writeParquetRows } from "../bot/ledger/parquet.ts";
import { archiveOf } from "../bot/ledger/sqlite/archive.ts";
import type { LedgerReads } from "../bot/ledger/store.ts";
import { jsonOf, type Report, type ReportColumn, type ReportRow, textOf } from "../bot/report/columns.ts";
import { withFleet } from "../daemon/fleet/database.ts";
import { eachFleetLedger, shardLedgerFile } from "../daemon/fleet/ledgers.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, type ExitCode, endWith, type Host } from "../host/host.ts";
import { printable, printableLines } from "../kernel/printable.ts";
import { countText } from "../kernel/text.ts";
import { unwritable, writeOutput } from "../kernel/yaml/files.ts";
import { isJournalFormat, type JournalFormat, type ReportFormat } from "./choices.ts";
import { withLedger, withRunningLedger } from "./ledger.ts";
import { readForEmergency } from "./read-config.ts";

export type ReportOptions = {
  readonly config: string;
  /** Unix ms; rows at it or later. */
  readonly from?: number;
  /** Unix ms; rows before it. */
  readonly to?: number;
  readonly market?: number;
  /** Reads all accounts of the fleet, from its database. */
  readonly fleet: boolean;
  readonly format?: ReportFormat | JournalFormat;
  readonly json: boolean;
  readonly out?: string;
};

type Printed<Row extends ReportRow> = Report<Row> & {
  /** Lines for the journal formats, if the command has them. */
  readonly journal?: (rows: readonly Row[], format: JournalFormat) => Iterable<string>;
};

/**
 * Prints the rows that `report` reads, archived ones included: from the configuration's ledger, from the ledgers of its accounts on a
 * node's machine, or from the fleet's database. Exit 2 when options or market are wrong, 1 when a ledger cannot be read or the file cannot
 * be written.
 */
export async function reportLedger<Row extends ReportRow>(
  options: ReportOptions,
  host: Host,
  report: Printed<Row>,
): Promise<ExitCode> {
  const fault = optionsFault(options, host);
  if (fault !== undefined) return endWith(EXIT_USAGE, fault, host);
  const config = readForEmergency(options.config, host);
  if (config === undefined) return EXIT_USAGE;
  const rows: Row[] = [];
  const known = new Map<number, string>();
  const use = (read: LedgerReads): void => {
    for (const row of report.rows(read)) rows.push(row);
    for (const [marketId, name] of marketsIn(read)) known.set(marketId, name);
  };
  const code = await readLedgers(config, options, host, use);
  if (code !== EXIT_DONE) return code;
  const unknown = marketFault(options.market, config, known);
  if (unknown !== undefined) return endWith(EXIT_USAGE, unknown, host);
  const ordered = rows.toSorted(report.inOrder);
  const { out, json, format = "table" } = options;
  const writeTo = (to: Sink): void => {
    if (!isJournalFormat(format)) write({ ...report, rows: ordered }, json ? "json" : format, to);
    else for (const line of report.journal?.(ordered, format) ?? []) to(line);
  };
  if (out !== undefined) return writeReport(out, config, host, writeTo);
  writeTo(host.stdout);
  return EXIT_DONE;
}

/**
 * Calls `use` with each ledger: the configuration's or its running daemon's; those of the accounts on a node's machine; or with `fleet`
 * those in the fleet's database. Exit 1 or 2, explained on stderr, when one cannot be read.
 */
export async function readLedgers(
  config: EmergencyConfig,
  { fleet }: Pick<ReportOptions, "fleet">,
  host: Host,
  use: (read: LedgerReads) => void,
): Promise<ExitCode> {
  if (fleet) return readFleet(config, host, use);
  const found = config.fleet === null ? await withRunningLedger(config, host) : config;
  return readFiles(ledgerFiles(found), found, host, use);
}

/** A fleet's node has one file per account. */
const ledgerFiles = (config: EmergencyConfig): readonly string[] =>
  config.fleet === null
    ? [config.ledger.file ?? []].flat()
    : config.accounts.map((account) => shardLedgerFile(config, account));

function readFiles(
  files: readonly string[],
  config: EmergencyConfig,
  host: Host,
  use: (read: LedgerReads) => void,
): ExitCode {
  const readFile = (file: string | null): ExitCode =>
    withLedger({ ledger: { ...config.ledger, file } }, host, ({ read, whole }) => {
      if (whole === null) host.stderr(`quoin: ${archiveOf(`${file}`)} is missing; what lies in it is left out\n`);
      use(whole ?? read);
      return EXIT_DONE;
    });
  if (config.fleet === null) return readFile(config.ledger.file);
  const here = files.filter(host.files.exists);
  if (here.length === 0)
    return endWith(
      EXIT_FAILED,
      "no account of the fleet has a ledger on this machine; --fleet reads the fleet's database",
      host,
    );
  // Another node may hold the account now: its ledger here ends where this node released it.
  host.stderr(
    `quoin: ${here.length} of ${countText(files.length, "account")}, each up to when this node last held it; --fleet shows all\n`,
  );
  return here.map(readFile).find((code) => code !== EXIT_DONE) ?? EXIT_DONE;
}

function readFleet(config: EmergencyConfig, host: Host, use: (read: LedgerReads) => void): Promise<ExitCode> {
  return withFleet(config, host, async (database) => {
    await eachFleetLedger(database, use);
    return EXIT_DONE;
  });
}

/** Names by market, each in brackets. */
export function marketsIn(read: LedgerReads): ReadonlyMap<number, string> {
  const known = new Map<number, string>();
  for (const account of read.accounts()) {
    for (const { event } of read.timeline(account).fills) known.set(event.fill.marketId, "");
    for (const { marketId, name } of read.marks(account)) known.set(marketId, ` (${printable(name)})`);
  }
  return known;
}

/** A sentence when neither configuration nor ledgers know the market. Configuration null: any market may exist. */
export function marketFault(
  market: number | undefined,
  { accounts }: EmergencyConfig,
  inLedgers: ReadonlyMap<number, string>,
): string | undefined {
  if (market === undefined) return undefined;
  const known = new Map(inLedgers);
  for (const { markets } of accounts) {
    if (markets === null) return undefined;
    for (const { marketId } of markets) known.set(marketId, known.get(marketId) ?? "");
  }
  if (known.has(market)) return undefined;
  const all = [...known].toSorted(([a], [b]) => a - b).map(([marketId, name]) => `${marketId}${name}`);
  return `neither the configuration nor the ledger knows market ${market}; they know ${all.join(", ")}`;
}

/** A sentence when the options contradict each other. Undefined: they do not. */
function optionsFault({ from, to, format, json, out }: ReportOptions, host: Host): string | undefined {
  if (from !== undefined && to !== undefined && from >= to) return "--from must be before --to";
  if (json && format !== undefined && format !== "json") return `--json and --format ${format} contradict each other`;
  if (format === "parquet" && out === undefined && host.terminal.stdout)
    return "Parquet is not text; name a file: --format parquet --out FILE";
  return undefined;
}

type Table = Pick<Report<ReportRow>, "name" | "columns"> & { readonly rows: readonly ReportRow[] };

type Sink = (data: string | Uint8Array) => void;

/** Exit 1 when the file cannot be written, 2 when it is one that the configuration needs. */
export function writeReport(out: string, config: EmergencyConfig, host: Host, writeTo: (to: Sink) => void): ExitCode {
  const keys = config.accounts.flatMap(({ agentKeyFile }) => agentKeyFile ?? []);
  const kept = [config.file, ...ledgerFiles(config), ...keys];
  const path = resolve(out);
  if (kept.some((file) => path.startsWith(resolve(file)))) {
    return endWith(
      EXIT_USAGE,
      `${out} is a file that the configuration names and is not overwritten; name another --out`,
      host,
    );
  }
  try {
    writeOutput(path, writeTo);
    return EXIT_DONE;
  } catch (cause) {
    return endWith(EXIT_FAILED, `${out} cannot be written: ${unwritable(cause)}`, host);
  }
}

function write({ name, columns, rows }: Table, format: ReportFormat, to: Sink): void {
  if (format === "parquet") {
    writeParquetRows(rows, { name, columns }, to);
    return;
  }
  if (format === "json") {
    for (const row of rows) to(`${printableLines(JSON.stringify(jsonOf(columns, row)))}\n`);
    return;
  }
  const names = columns.map((column) => column.name);
  const cells = rows.map((row) => columns.map((column) => printable(textOf(column, row) ?? "")));
  // As bytes: CSV ends its lines with a character that printable text would replace.
  if (format === "csv") for (const line of [names, ...cells]) to(Buffer.from(csvLine(line)));
  else to(tableOf(columns, [names, ...cells]));
}

/** Text to the left, numbers to the right. */
function tableOf(columns: readonly ReportColumn[], lines: readonly (readonly string[])[]): string {
  const widths = columns.map((_, at) => lines.reduce((most, line) => Math.max(most, line[at]?.length ?? 0), 0));
  const padded = (text: string, at: number): string => {
    const type = columns[at]?.type;
    return type === "text" || type === "time" ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0);
  };
  return lines.map((line) => `${line.map(padded).join("  ").trimEnd()}\n`).join("");
}
