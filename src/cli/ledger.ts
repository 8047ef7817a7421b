// `quoin ledger export`: prints a table of the ledger. Works beside a running daemon and reads one moment of the file.

import type { BotConfig } from "../bot/config/config.ts";
import { type ExportFormat, exportTable } from "../bot/ledger/export.ts";
import { writeParquet } from "../bot/ledger/parquet.ts";
import { archiveOf } from "../bot/ledger/sqlite/archive.ts";
import { type LedgerReading, readSqlite } from "../bot/ledger/sqlite/sqlite.ts";
import { chainedTables, type LedgerReads, type LedgerRow, type LedgerTable } from "../bot/ledger/store.ts";
import { foldLatch, type Latches } from "../bot/risk/latches.ts";
import { showLatch } from "../bot/service/operator/show.ts";
import { findStartLedger } from "../daemon/ledger/start-ledger.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, type ExitCode, endWith, type Host } from "../host/host.ts";
import { messageOf } from "../kernel/errors.ts";
import { commandText } from "../kernel/typed-command.ts";
import { readConfig } from "./read-config.ts";

export type LedgerExport = {
  readonly config: string;
  readonly table: LedgerTable;
  readonly format: ExportFormat | "parquet";
  /** The accounts' nth chains; undefined: their present ones. */
  readonly chain?: number;
  /** Unix ms; rows at it or later, and before the other. */
  readonly from?: number;
  readonly to?: number;
};

/** Prints one table on stdout. */
export async function ledgerExport(options: LedgerExport, host: Host): Promise<ExitCode> {
  const written = await readConfig(options.config, host);
  if (written === undefined) return EXIT_USAGE;
  const { table, format, chain, from: fromMs, to: toMs } = options;
  if (fromMs !== undefined && toMs !== undefined && fromMs >= toMs)
    return endWith(EXIT_USAGE, "--from must be before --to", host);
  const chained = chainedTables.find((name) => name === table);
  if (chain !== undefined && chained === undefined)
    return endWith(
      EXIT_USAGE,
      `--chain: ${table} goes on whatever the chain; only ${chainedTables.join(", ")} begin again`,
      host,
    );
  if (format === "parquet" && host.terminal.stdout)
    return endWith(EXIT_USAGE, `Parquet is not text; send it to a file: … --format parquet > ${table}.parquet`, host);
  return withLedger(await withRunningLedger(written, host), host, ({ read, whole, hasArchive, columns }, file) => {
    const from = whole ?? read;
    if (chain !== undefined && !hasArchive && hasEnded(read, chain))
      return endWith(EXIT_FAILED, `what chain ${chain} left lies in ${archiveOf(file)}, which is not there`, host);
    const all = chain === undefined || chained === undefined ? from.rows(table) : from.chainRows(chained, chain);
    const shape = { table, columns: columns(table) };
    const isTimed = timeOf(shape.columns.map(({ name }) => name));
    if (isTimed === undefined && (fromMs ?? toMs) !== undefined)
      return endWith(EXIT_USAGE, `--from and --to: rows of ${table} have no time`, host);
    const rows = { rows: () => within(all, isTimed, { fromMs, toMs }) };
    if (format === "parquet") writeParquet(rows, shape, host.stdout);
    // As bytes: CSV ends its lines with a character that printable text would replace.
    else for (const line of exportTable(rows, shape, format)) host.stdout(format === "csv" ? Buffer.from(line) : line);
    return EXIT_DONE;
  });
}

type TimeOf = (row: LedgerRow) => number | null;

/** Returns a row's time in Unix ms, null for a row without one. Undefined: this table has no times. */
function timeOf(columns: readonly string[]): TimeOf | undefined {
  const named = TIMES.filter((name) => columns.includes(name));
  if (named.length === 0) return undefined;
  return (row) => {
    const name = named.find((each) => row[each] !== null && row[each] !== undefined);
    return name === undefined ? null : Number(row[name]) * (name.endsWith("_sec") ? 1000 : 1);
  };
}

/** Columns that hold a row's time, the best first: a fill's own time before the time of its receipt. */
const TIMES = ["timestamp_ms", "received_ms", "created_ms", "at_ms", "began_ms", "at_sec", "valid_until_sec"] as const;

function* within(
  rows: Iterable<LedgerRow>,
  time: TimeOf | undefined,
  {
    fromMs = Number.NEGATIVE_INFINITY,
    toMs = Number.POSITIVE_INFINITY,
  }: { readonly fromMs: number | undefined; readonly toMs: number | undefined },
): Iterable<LedgerRow> {
  for (const row of rows) {
    const atMs = time?.(row) ?? null;
    if (
      atMs === null
        ? fromMs === Number.NEGATIVE_INFINITY && toMs === Number.POSITIVE_INFINITY
        : atMs >= fromMs && atMs < toMs
    )
      yield row;
  }
}

const hasEnded = (read: Pick<LedgerReads, "rows">, chain: number): boolean =>
  Array.from(read.rows("chains")).some(({ number }) => Number(number) > chain);

/** A line per latch that the ledger `file` holds, with the command that lifts it. Throws LedgerError. */
export function haltLines(file: string, config: string): readonly string[] {
  const reading = readSqlite(file);
  try {
    const latches = reading.read.latchEvents().reduce<Latches>((known, event) => foldLatch(known, event), []);
    const resume = commandText("resume --reason TEXT", config);
    return latches.map((latch) => `account ${latch.accountId} is held by ${showLatch(latch)}; ${resume} lifts it`);
  } finally {
    reading.close();
  }
}

/** The configuration with the ledger that it names, or else its running daemon's. */
export async function withRunningLedger<Config extends Pick<BotConfig, "file" | "server" | "ledger">>(
  config: Config,
  host: Host,
): Promise<Config> {
  if (config.ledger.file !== null) return config;
  return { ...config, ledger: { ...config.ledger, file: await findStartLedger(config, host) } };
}

/** Reads one moment of the file, also beside a running daemon. Exit 1 when there is no file, or it cannot be read. */
export function withLedger(
  { ledger }: Pick<BotConfig, "ledger">,
  host: Host,
  use: (reading: LedgerReading, file: string) => ExitCode,
): ExitCode {
  const { file } = ledger;
  if (file === null)
    return endWith(
      EXIT_FAILED,
      "an embedded exchange's ledger goes with its daemon, and none answers for this configuration; start it, or name ledger.file",
      host,
    );
  let reading: LedgerReading | undefined;
  try {
    reading = readSqlite(file);
    return use(reading, file);
  } catch (error) {
    // A damaged file can make SQLite throw any error.
    const message = messageOf(error);
    return endWith(EXIT_FAILED, message.includes(file) ? message : `${file}: ${message}`, host);
  } finally {
    reading?.close();
  }
}
