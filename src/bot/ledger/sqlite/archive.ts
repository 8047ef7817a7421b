// The archive: a second SQLite file beside the ledger, for rows that the opening balance stands for, and for those of chains that ended.
// It has no limit of its own and nothing needs it to trade; it may be moved away, and the next rows begin another.

import { chmodSync, fdatasyncSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { processTiming } from "../../timing.ts";
import { type ChainedTable, chainedTables } from "../store.ts";
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

/** What names a row of a chain that ended, beside the chain's number. */
const named = { ...archived, orders: ["account", "order_id"], equity: ["account", "id"] } as const satisfies Record<
  ChainedTable,
  readonly string[]
>;

/** The table for rows of chains that ended. */
export const endedOf = (table: ChainedTable): string => `ended_${table}`;

export const archiveOf = (file: string): string => `${file}.archive`;

/** Marks a SQLite file as an archive of ours: "QUOA". */
const ARCHIVE_ID = 0x51_55_4f_41;

export type Archive = {
  /** Puts rows there; one that lies there already is replaced. On return they survive the death of the process. */
  readonly put: (rows: ReadonlyMap<ArchivedTable, readonly SqlRow[]>) => void;
  /**
   * Copies all rows of an account from the ledger, after those that are here already, as those of its chain `number`, which ended. On
   * return they survive loss of power. Harmless when repeated: a death may come before the ledger has forgotten them.
   */
  readonly endChain: (account: string, number: number) => void;
  /** Resolves when they survive loss of power as well. */
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

/** Moves the rows that the archive has of the account, and copies those that the ledger has. */
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
