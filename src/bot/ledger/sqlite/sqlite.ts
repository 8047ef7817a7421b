// The ledger's rows in a SQLite file: one writer, WAL. A commit survives the death of the process (synchronous = NORMAL: no sync in
// it); what must survive loss of power is synced by flushing the log file from a thread, so that no slow disk holds up the loop.
// A file that is damaged, foreign or newer is named and left as it is.

import {
  chmodSync,
  closeSync,
  existsSync,
  fdatasync,
  fdatasyncSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
} from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { messageOf } from "../../../kernel/errors.ts";
import { type LedgerEngine, LedgerError, type LedgerReads } from "../store.ts";
import { APPLICATION_ID, migrations as released } from "./schema.ts";
import type { Sql } from "./sql.ts";
import { numberOf, textOf } from "./sql.ts";
import { prepareReads } from "./sql-reads.ts";
import { prepareRotation, prepareWrites } from "./sql-writes.ts";

export type SqliteOptions = {
  readonly file: string;
  /** Largest file in pages of 4 KiB; beyond it the disk counts as full. A gigabyte holds years of fills. */
  readonly pagesMax?: number;
  /** The schema's history; another one is for tests of migration. */
  readonly migrations?: readonly string[];
};

const PAGES_MAX = 262_144;
/** The log is moved into the file by `tidy`; at 40 MB a commit does it, whoever waits. */
const LOG_PAGES_MAX = 10_000;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

/**
 * Opens or creates the file and its directory, checks it, and brings an older one to this version after copying it to
 * `FILE.vN.bak`. The caller holds the lock that makes it the one writer. Throws LedgerError: `damaged` and `foreign` name the first
 * fault found, `newer` the version, `unopenable` what the system said.
 */
export function openSqlite(options: SqliteOptions): LedgerEngine {
  const { file, migrations = released, pagesMax = PAGES_MAX } = options;
  return naming(file, () => {
    prepareFolder(file);
    const database = new DatabaseSync(file, { timeout: 1000, enableForeignKeyConstraints: false });
    try {
      chmodSync(file, 0o600); // The log takes its mode from the file.
      checkWhole(database, file);
      database.exec(
        `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ${LOG_PAGES_MAX}; PRAGMA max_page_count = ${pagesMax}`,
      );
      migrate(database, file, migrations);
      return engineOf(database, openLog(file));
    } catch (thrown) {
      database.close();
      throw thrown;
    }
  });
}

/** Makes the file's directory where it is missing. Throws LedgerError `unopenable`. */
export function prepareFolder(file: string): void {
  naming(file, () => mkdirSync(dirname(file), { recursive: true }));
}

export type LedgerReading = Pick<LedgerEngine, "read" | "faults" | "close">;

/** Reads of a file that a daemon may be writing to, all of one moment. Throws LedgerError as `openSqlite` does, an older file included. */
export function readSqlite(file: string): LedgerReading {
  return naming(file, () => {
    const database = new DatabaseSync(file, { timeout: 1000, readOnly: true });
    try {
      const version = pragma(database, "user_version");
      if (version > released.length) {
        throw new LedgerError("newer", `${file} has version ${version}, this program reads ${released.length}`);
      }
      if (version < released.length) {
        const next = `the daemon's next start brings it to ${released.length}`;
        throw new LedgerError("unopenable", `${file} has version ${version}; ${next}`);
      }
      database.exec("BEGIN");
      return { read: prepareReads(database), faults: () => faultsOf(database), close: () => database.close() };
    } catch (thrown) {
      database.close();
      throw thrown;
    }
  });
}

/** Moves a damaged ledger with its log out of the way, untouched, and returns its new name. Throws what the file system throws. */
export function setAside(file: string, atMs: number): string {
  const aside = `${file}.damaged-${atMs}`;
  for (const ending of ["", "-wal", "-shm"]) {
    if (existsSync(file + ending)) renameSync(file + ending, aside + ending);
  }
  return aside;
}

function engineOf(database: DatabaseSync, log: number): LedgerEngine {
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  const rotate = prepareRotation(database);
  const read: LedgerReads = prepareReads(database);
  return {
    begin: () => void begin.run(),
    apply: prepareWrites(database),
    commit: () => void commit.run(),
    rollback() {
      try {
        if (database.isTransaction) database.exec("ROLLBACK");
      } catch {
        // Where the disk failed SQLite has rolled back already; nothing is left to undo.
      }
    },
    syncNow: () => fdatasyncSync(log),
    sync: () =>
      new Promise((resolve, reject) => {
        fdatasync(log, (error) => (error === null ? resolve() : reject(error)));
      }),
    tidy(retention) {
      rotate(retention);
      database.exec("PRAGMA wal_checkpoint(PASSIVE)");
    },
    faults: () => faultsOf(database),
    read,
    close() {
      database.close();
      closeSync(log);
    },
  };
}

/** The log's own descriptor, for syncing. The directory is synced once, so that the log's name survives loss of power too. */
function openLog(file: string): number {
  const directory = openSync(dirname(file), "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
  return openSync(`${file}-wal`, "r+");
}

function migrate(database: DatabaseSync, file: string, migrations: readonly string[]): void {
  const version = pragma(database, "user_version");
  const ours = pragma(database, "application_id") === APPLICATION_ID;
  const empty = database.prepare("SELECT 1 FROM sqlite_master").get() === undefined;
  if (!ours && !empty) throw new LedgerError("foreign", `${file} is a database of another program`);
  if (version > migrations.length) {
    const facts = { version, known: migrations.length };
    throw new LedgerError("newer", `${file} has version ${version}, this program knows ${migrations.length}`, {
      facts,
    });
  }
  if (version < migrations.length && !empty) {
    database.prepare("VACUUM INTO ?").run(freeName(`${file}.v${version}.bak`));
  }
  database.exec("BEGIN EXCLUSIVE");
  for (const step of migrations.slice(version)) database.exec(step);
  // Written at every start, so that the log file exists from here on.
  database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${migrations.length}; COMMIT`);
}

function freeName(wanted: string): string {
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? wanted : `${wanted}.${count}`;
    if (!existsSync(name)) return name;
  }
}

function checkWhole(database: DatabaseSync, file: string): void {
  const fault = textOf(database.prepare("PRAGMA quick_check(1)").get() ?? {}, "quick_check");
  if (fault !== "ok") throw new LedgerError("damaged", `${file} is damaged: ${fault}`, { facts: { fault } });
}

const faultsOf = (database: Sql): readonly string[] =>
  database
    .prepare("PRAGMA integrity_check")
    .all()
    .map((row) => textOf(row, "integrity_check"))
    .filter((fault) => fault !== "ok");

const pragma = (database: Sql, name: string): number => numberOf(database.prepare(`PRAGMA ${name}`).get() ?? {}, name);

/** Whatever SQLite or the system throws while opening becomes a LedgerError that names the file. */
function naming<T>(file: string, open: () => T): T {
  try {
    return open();
  } catch (cause) {
    if (cause instanceof LedgerError) throw cause;
    const number = cause instanceof Error && "errcode" in cause ? cause.errcode : null;
    const damaged = number === SQLITE_CORRUPT || number === SQLITE_NOTADB;
    const what = damaged ? "is damaged" : "cannot be opened";
    throw new LedgerError(damaged ? "damaged" : "unopenable", `${file} ${what}: ${messageOf(cause)}`, { cause });
  }
}
