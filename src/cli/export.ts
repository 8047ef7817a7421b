// `quoin export`: writes a recording for other programs: tables in Parquet, or the event rows that hftbacktest reads.

import { join } from "node:path";
import { EVENT_BYTES, eventDescr, eventsOf } from "../backtest/recorded/hftbacktest.ts";
import { writeNpz } from "../backtest/recorded/npz.ts";
import { type Recording, readSession, replaySession, type Session } from "../backtest/recorded/session.ts";
import { recordedTables } from "../backtest/recorded/tables.ts";
import { writeParquetRows } from "../bot/ledger/parquet.ts";
import { LedgerError } from "../bot/ledger/store.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, type ExitCode, endWith, type Host } from "../host/host.ts";
import { makeFolder } from "../kernel/folder.ts";
import { countText } from "../kernel/text.ts";
import { unwritable, writeOutput } from "../kernel/yaml/files.ts";
import type { ExportFormat } from "./choices.ts";
import { withRecording } from "./recorded.ts";

export type ExportOptions = { readonly format: ExportFormat; readonly out: string; readonly market?: number };

/** Exit 2 when the recording or the market cannot be used; 1 when a value does not fit its table, or the output cannot be written. */
export const exportRecording = (path: string, options: ExportOptions, host: Host): Promise<ExitCode> =>
  withRecording(path, host, async (recording) => {
    const session = readSession(recording);
    const fault = marketFault(session, options);
    if (fault !== null) return endWith(EXIT_USAGE, `${path}: ${fault}`, host);
    try {
      if (options.format === "parquet")
        writeTables({ path, recording, session, market: options.market }, options.out, host);
      else writeEvents(recording, session, options, host);
      return EXIT_DONE;
    } catch (error) {
      if (error instanceof LedgerError) return endWith(EXIT_FAILED, error.message, host);
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
      return endWith(EXIT_FAILED, `${options.out} cannot be written: ${unwritable(error)}`, host);
    }
  });

/** Null: the market is in the session, or none must be named. */
function marketFault({ markets }: Session, { market, format }: ExportOptions): string | null {
  const names = markets.map(({ market: { marketId, name } }) => `${marketId} (${name})`).join(", ");
  if (market === undefined)
    return format === "hftbacktest" && markets.length > 1 ? `name one market with --market; it has ${names}` : null;
  return markets.some(({ market: { marketId } }) => marketId === market)
    ? null
    : `it has no market ${market}; it has ${names}`;
}

function writeTables(source: Parameters<typeof recordedTables>[0], folder: string, host: Host): void {
  makeFolder(folder);
  for (const table of recordedTables(source)) {
    let count = 0;
    const rows = counted(table.rows, () => {
      count += 1;
    });
    writeOutput(join(folder, `${table.name}.parquet`), (write) => writeParquetRows(rows, table, write));
    host.stdout(`${countText(count, "row")} in ${join(folder, `${table.name}.parquet`)}\n`);
  }
}

function* counted<Row>(rows: Iterable<Row>, count: () => void): Generator<Row, void> {
  for (const row of rows) {
    count();
    yield row;
  }
}

function writeEvents(recording: Recording, session: Session, { out, market }: ExportOptions, host: Host): void {
  const marketId = market ?? session.markets[0]?.market.marketId ?? 0;
  const rows = eventsOf(replaySession(recording, session), marketId);
  writeOutput(out, (write) => writeNpz({ descr: eventDescr, count: rows.count, pieces: rows.filled() }, write));
  host.stdout(`${countText(rows.count, "event")} of ${EVENT_BYTES} bytes in ${out}\n`);
}
