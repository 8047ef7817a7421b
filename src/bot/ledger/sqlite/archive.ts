// The archive: a second SQLite file beside the ledger, for rows that the opening balance stands for. It has no limit of its own and
// nothing needs it to trade; it may be moved away, and the next rows begin another.

import { chmodSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { naming, openLog, syncLog } from "./files.ts";
import { type Sql, type SqlRow, textOf } from "./sql.ts";

/** Tables whose old rows go there, each with what names a row in it. */
export const archived = {
  fills: ["account", "key"],
  positions: ["account", "market", "number"],
  funding: ["account", "market", "at_sec"],
  prints: ["account", "market", "valid_until_sec"],
  transfers: ["account", "key"],
} as const;
export type ArchivedTable = keyof typeof archived;

export const archiveOf = (file: string): string => `${file}.archive`;

/** Marks a SQLite file as an archive of ours: "QUOA". */
const ARCHIVE_ID = 0x51_55_4f_41;

export type Archive = {
  /** Puts rows there; one that lies there already is replaced. On return they survive the death of the process. */
  readonly put: (rows: ReadonlyMap<ArchivedTable, readonly SqlRow[]>) => void;
  /** Resolves when they survive loss of power as well. */
  readonly sync: () => Promise<void>;
  readonly close: () => void;
};

/** Opens or creates the archive of a ledger, with the ledger's own columns. Throws LedgerError. */
export function openArchive(file: string, ledger: Sql): Archive {
  return naming(file, () => {
    const database = new DatabaseSync(file, { timeout: 1000 });
    try {
      chmodSync(file, 0o600);
      database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
      const inserts = new Map(tables.map((table) => [table, prepareInsert(table, ledger, database)]));
      // Written at every start, so that the log file exists from here on.
      database.exec(`PRAGMA application_id = ${ARCHIVE_ID}; PRAGMA user_version = 1`);
      const log = openLog(file);
      return {
        put(rows) {
          database.exec("BEGIN IMMEDIATE");
          try {
            for (const [table, list] of rows) for (const row of list) inserts.get(table)?.(row);
            database.exec("COMMIT");
          } catch (thrown) {
            if (database.isTransaction) database.exec("ROLLBACK");
            throw thrown;
          }
        },
        sync: () => syncLog(log.descriptor),
        close() {
          database.close();
          log.close();
        },
      };
    } catch (thrown) {
      database.close();
      throw thrown;
    }
  });
}

export const tables = Object.keys(archived) as readonly ArchivedTable[];

function prepareInsert(table: ArchivedTable, ledger: Sql, archive: Sql): (row: SqlRow) => unknown {
  const made = ledger.prepare("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?").get(table) ?? {};
  archive.exec(textOf(made, "sql").replace(/^CREATE TABLE/, "CREATE TABLE IF NOT EXISTS"));
  const columns = columnsOf(ledger, table);
  const there = new Set(columnsOf(archive, table).map(({ name }) => name));
  for (const { name, type } of columns)
    if (!there.has(name)) archive.exec(`ALTER TABLE ${table} ADD COLUMN ${name} ${type}`);
  const names = columns.map(({ name }) => name);
  const places = names.map(() => "?").join(",");
  const insert = archive.prepare(`INSERT OR REPLACE INTO ${table} (${names.join(",")}) VALUES (${places})`);
  return (row) => insert.run(...names.map((name) => row[name] ?? null));
}

const columnsOf = (sql: Sql, table: ArchivedTable): readonly { readonly name: string; readonly type: string }[] =>
  sql
    .prepare(`PRAGMA table_info(${table})`)
    .all()
    .map((row) => ({ name: textOf(row, "name"), type: textOf(row, "type") }));
