// The archive: a second SQLite file next to the ledger, for rows replaced by the opening balance, and for rows of ended chains. It has no
// size limit, and trading does not need it; if it is moved away, the next rows start a new one.

import { chmodSync, fdatasyncSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { processTiming } from "../../timing.ts";
import { type ChainedTable, chainedTables } from "../store.ts";
import { naming, openLog, syncLog } from "./files.ts";
import { type Sql, type SqlRow, textOf } from "./sql.ts";

/** Archived tables, each with the columns that identify a row. */
export const archived = {
  fills: ["account", "key"],
  positions: ["account", "market", "number"],
  funding: ["account", "market", "at_sec"],
  prints: ["account", "market", "valid_until_sec"],
  transfers: ["account", "key"],
} as const;
export type ArchivedTable = keyof typeof archived;

/** Columns that identify a row of an ended chain, with the chain's number. */
const named = { ...archived, orders: ["account", "order_id"], equity: ["account", "id"] } as const satisfies Record<
  ChainedTable,
  readonly string[]
>;

/** The table for rows of ended chains. */
export const endedOf = (table: ChainedTable): string => `ended_${table}`;

export const archiveOf = (file: string): string => `${file}.archive`;

/** Marks a SQLite file as our archive: "QUOA". */
const ARCHIVE_ID = 0x51_55_4f_41;

export type Archive = {
  /** Adds rows and replaces existing ones. After it returns, they survive a crash of the process. */
  readonly put: (rows: ReadonlyMap<ArchivedTable, readonly SqlRow[]>) => void;
  /**
   * Copies all rows of an account from the ledger, after those already archived, as rows of its ended chain `number`. After it returns,
   * they survive a loss of power. May be repeated: the process may die before the ledger deletes them.
   */
  readonly endChain: (account: string, number: number) => void;
  /** Resolves when the rows survive a loss of power too. */
  readonly sync: () => Promise<void>;
  readonly close: () => void;
};

/** Opens or creates the archive of a ledger, with the ledger's own columns. Throws LedgerError. */
export function openArchive(file: string, ledger: Sql): Archive {
  return naming(file, () => {
    const database = new DatabaseSync(file, { timeout: processTiming.ledgerBusyMs });
    try {
      chmodSync(file, 0o600);
      database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
      const inserts = new Map(tables.map((table) => [table, prepareInsert(table, ledger, database)]));
      // Written at every start, so that the log file exists from here on.
      database.exec(`PRAGMA application_id = ${ARCHIVE_ID}; PRAGMA user_version = 1`);
      const log = openLog(file);
      const inTransaction = (write: () => void): void => {
        database.exec("BEGIN IMMEDIATE");
        try {
          write();
          database.exec("COMMIT");
        } catch (thrown) {
          if (database.isTransaction) database.exec("ROLLBACK");
          throw thrown;
        }
      };
      return {
        put(rows) {
          inTransaction(() => {
            for (const [table, list] of rows) for (const row of list) inserts.get(table)?.(row);
          });
        },
        endChain(account, number) {
          inTransaction(() => {
            for (const table of chainedTables) endTable(table, { account, number }, ledger, database);
          });
          fdatasyncSync(log.descriptor);
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

/** Moves the account's rows in the archive, and copies those in the ledger. */
function endTable(
  table: ChainedTable,
  { account, number }: { readonly account: string; readonly number: number },
  ledger: Sql,
  archive: Sql,
): void {
  const ended = endedOf(table);
  const columns = columnsOf(ledger, table);
  const names = columns.map(({ name }) => name).join(",");
  const typed = columns.map(({ name, type }) => `${name} ${type}`).join(",");
  archive.exec(
    `CREATE TABLE IF NOT EXISTS ${ended} (chain INTEGER NOT NULL, ${typed}, UNIQUE (chain, ${named[table].join(",")})) STRICT`,
  );
  const there = new Set(columnsOf(archive, ended).map(({ name }) => name));
  for (const { name, type } of columns)
    if (!there.has(name)) archive.exec(`ALTER TABLE ${ended} ADD COLUMN ${name} ${type}`);
  if (table in archived) {
    const moved = `INSERT OR REPLACE INTO ${ended} (chain,${names}) SELECT ?,${names} FROM ${table} WHERE account = ? ORDER BY rowid`;
    archive.prepare(moved).run(number, account);
    archive.prepare(`DELETE FROM ${table} WHERE account = ?`).run(account);
  }
  const places = columns.map(() => "?").join(",");
  const insert = archive.prepare(`INSERT OR REPLACE INTO ${ended} (chain,${names}) VALUES (?,${places})`);
  for (const row of ledger.prepare(`SELECT * FROM ${table} WHERE account = ? ORDER BY rowid`).iterate(account))
    insert.run(number, ...columns.map(({ name }) => row[name] ?? null));
}

const columnsOf = (sql: Sql, table: string): readonly { readonly name: string; readonly type: string }[] =>
  sql
    .prepare(`PRAGMA table_info(${table})`)
    .all()
    .map((row) => ({ name: textOf(row, "name"), type: textOf(row, "type") }));
