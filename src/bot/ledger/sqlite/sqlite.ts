// The ledger's rows in a SQLite file: one writer, WAL. A commit survives a crash of the process (synchronous = NORMAL: it does not sync);
// what must survive a loss of power is synced by flushing the log file in a thread, so that a slow disk does not block the loop. A damaged,
// foreign or newer file is reported and not touched.

import { chmodSync, existsSync, fdatasyncSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { makeFolder } from "../../../kernel/folder.ts";
import { processTiming } from "../../timing.ts";
import {
  type LedgerColumn,
  type LedgerEngine,
  LedgerError,
  type LedgerReads,
  type LedgerSpace,
  type LedgerTable,
} from "../store.ts";
import { type Archive, archiveOf, openArchive } from "./archive.ts";
import { blamed, blaming, type Log, naming, openLog, syncLog } from "./files.ts";
import { prepareFolding } from "./fold-rows.ts";
import { placeOf } from "./place.ts";
import { Reserve } from "./reserve.ts";
import { APPLICATION_ID, migrations as released } from "./schema.ts";
import { chainNumber, numberOf, type Sql, textOf } from "./sql.ts";
import { prepareReads } from "./sql-reads.ts";
import { prepareRotation, prepareWrites } from "./sql-writes.ts";
import { aheadOf, openWriteAhead, readAhead, type WriteAhead } from "./write-ahead.ts";

export type SqliteOptions = {
  readonly file: string;
  /** Largest file in bytes; beyond it the disk counts as full. */
  readonly bytesMax?: number;
  /** The file is deleted with the process: nothing is synced, and no space is reserved. */
  readonly isOfRun?: boolean;
  /** The schema's history; tests of migration replace it. */
  readonly migrations?: readonly string[];
};

const PAGE_BYTES = 4096;
const BYTES_MAX = 1 << 30;
/** Part of the limit reserved for reductions and cancels. */
const reservedOf = (bytesMax: number): number => Math.min(16 << 20, bytesMax / 16);
/** `tidy` moves the log into the file; at 40 MB a commit does it, even if orders wait. */
const LOG_PAGES_MAX = 10_000;

/**
 * Opens or creates the file and its directory, checks it, and upgrades an older one after copying it to `FILE.vN.bak`. The caller must hold
 * the lock that makes it the only writer. Throws LedgerError: `damaged` and `foreign` with the first fault found, `newer` with the version,
 * `unopenable` with the system's error.
 */
export function openSqlite(options: SqliteOptions): LedgerEngine {
  const { file, migrations = released, bytesMax = BYTES_MAX, isOfRun = false } = options;
  const reserve = isOfRun ? null : new Reserve(file);
  const open = (): LedgerEngine => {
    const database = new DatabaseSync(file, {
      timeout: processTiming.ledgerOpenMs,
      enableForeignKeyConstraints: false,
    });
    try {
      chmodSync(file, 0o600); // The log takes its mode from the file.
      checkWhole(database, file);
      database.exec(
        `PRAGMA journal_mode = WAL; PRAGMA synchronous = ${isOfRun ? "OFF" : "NORMAL"}; PRAGMA wal_autocheckpoint = ${LOG_PAGES_MAX}; PRAGMA max_page_count = ${Math.floor(bytesMax / PAGE_BYTES)}`,
      );
      migrate(database, file, migrations);
      takeAhead(database, file);
      database.exec(`PRAGMA busy_timeout = ${processTiming.ledgerBusyMs}`);
      return engineOf(database, { file, bytesMax, reserve, log: openLog(file), ahead: openWriteAhead(aheadOf(file)) });
    } catch (thrown) {
      database.close();
      throw thrown;
    }
  };
  return naming(file, () => {
    prepareFolder(file);
    reserve?.take();
    try {
      return open();
    } catch (thrown) {
      // A start writes too: on a full disk it uses the reserve.
      if (thrown instanceof LedgerError || !reserve?.give()) throw thrown;
      return open();
    }
  });
}

/** Creates the file's directory if needed. Throws LedgerError `unopenable`. */
export function prepareFolder(file: string): void {
  naming(file, () => makeFolder(dirname(file)));
}

export type LedgerReading = Pick<LedgerEngine, "read" | "faults" | "close"> & {
  /** Reads of money since the beginning, including archived rows; null if the archive is missing. */
  readonly whole: LedgerReads | null;
  /** Whether there is an archive, which also has the rows of ended chains. */
  readonly hasArchive: boolean;
  readonly columns: (table: LedgerTable) => readonly LedgerColumn[];
};

/** Reads a file that a daemon may be writing to, all as of one moment. Throws LedgerError like `openSqlite`, also for an older file. */
export function readSqlite(file: string): LedgerReading {
  return naming(file, () => {
    const database = new DatabaseSync(file, { timeout: processTiming.ledgerOpenMs, readOnly: true });
    try {
      const version = pragma(database, "user_version");
      if (version > released.length) {
        throw new LedgerError("newer", `${file} has version ${version}, this program reads ${released.length}`);
      }
      if (version < released.length) {
        const next = `the daemon's next start brings it to ${released.length}`;
        throw new LedgerError("unopenable", `${file} has version ${version}; ${next}`);
      }
      const read = prepareReads(database, { withArchive: false });
      const hasArchive = existsSync(archiveOf(file));
      if (hasArchive) database.prepare("ATTACH ? AS archive").run(archiveOf(file));
      const isComplete = hasArchive || database.prepare("SELECT 1 FROM openings").get() === undefined;
      const whole = isComplete ? prepareReads(database, { withArchive: hasArchive }) : null;
      database.exec("BEGIN");
      return {
        read,
        whole,
        hasArchive,
        columns: (table) => columnsOf(database, table),
        faults: () => faultsOf(database),
        close: () => database.close(),
      };
    } catch (thrown) {
      database.close();
      throw thrown;
    }
  });
}

const columnsOf = (database: DatabaseSync, table: LedgerTable): readonly LedgerColumn[] =>
  database
    .prepare(`SELECT * FROM main.${table}`)
    .columns()
    .map(({ name, type }) => ({ name, isInteger: type === "INTEGER" }));

/** Renames a damaged ledger and its log, otherwise unchanged, and returns the new name. Throws what the file system throws. */
export function setAside(file: string, atMs: number): string {
  const aside = `${file}.damaged-${atMs}`;
  for (const ending of ["", "-wal", "-shm", aheadOf("")]) {
    if (existsSync(file + ending)) renameSync(file + ending, aside + ending);
  }
  return aside;
}

type Opened = {
  readonly file: string;
  readonly bytesMax: number;
  /** Null: no space is reserved. */
  readonly reserve: Reserve | null;
  readonly log: Log;
  readonly ahead: WriteAhead;
};

function engineOf(database: DatabaseSync, { file, bytesMax, reserve, log, ahead }: Opened): LedgerEngine {
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  const rotate = prepareRotation(database);
  const planFolding = prepareFolding(database);
  const read: LedgerReads = prepareReads(database, { withArchive: false });
  let archive: Archive | null = null;
  let space = spaceOf(database, bytesMax, reserve);
  const measure = (): void => {
    reserve?.take();
    space = spaceOf(database, bytesMax, reserve);
  };
  const rollback = (): void => {
    try {
      if (database.isTransaction) database.exec("ROLLBACK");
    } catch {
      // After a disk failure SQLite has already rolled back; nothing is left to undo.
    }
  };
  const write = prepareWrites(database);
  const numberOfChain = database.prepare(`SELECT ${chainNumber("?")} AS number`);
  return {
    begin: () => void blaming(file, () => begin.run()),
    apply: (record) =>
      blaming(file, () => {
        if (record.kind === "chainBegan") {
          const account = `${record.accountId}`;
          archive ??= openArchive(archiveOf(file), database);
          archive.endChain(account, numberOf(numberOfChain.get(account) ?? {}, "number"));
        }
        write(record);
      }),
    commit() {
      blaming(file, () => commit.run());
      ahead.restart();
    },
    writeAhead: ahead.write,
    checkPlace: placeOf(file),
    rollback,
    syncNow: () => blaming(file, () => fdatasyncSync(log.descriptor)),
    sync: () =>
      syncLog(log.descriptor).catch((cause) => {
        throw blamed(file, cause);
      }),
    tidy: (retention) =>
      blaming(file, () => {
        rotate(retention);
        database.exec("PRAGMA wal_checkpoint(PASSIVE)");
        measure();
      }),
    async archive(beforeMs) {
      measure();
      const folding = blaming(file, () => planFolding(beforeMs));
      if (folding === null) return null;
      archive ??= openArchive(archiveOf(file), database);
      const { put, sync } = archive;
      blaming(archiveOf(file), () => put(folding.rows));
      await sync();
      return () =>
        blaming(file, () => {
          begin.run();
          try {
            folding.replace();
            commit.run();
          } catch (thrown) {
            rollback();
            throw thrown;
          }
        });
    },
    space: () => space,
    isForLater: true,
    useReserve() {
      const hadSome = reserve?.give() ?? false;
      space = { ...space, isReserveUsed: true };
      return hadSome;
    },
    faults: () => faultsOf(database),
    read,
    close() {
      archive?.close();
      database.close();
      log.close();
      ahead.close();
    },
  };
}

/** Free pages are reused before the file grows, so they count as free. */
function spaceOf(database: Sql, bytesMax: number, reserve: Reserve | null): LedgerSpace {
  const bytes = (pragma(database, "page_count") - pragma(database, "freelist_count")) * PAGE_BYTES;
  return {
    bytes,
    limitBytes: bytesMax,
    isReserveUsed: (reserve !== null && !reserve.isHeld) || bytes > bytesMax - reservedOf(bytesMax),
  };
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

/** Takes over what an earlier run wrote ahead and did not commit. */
function takeAhead(database: DatabaseSync, file: string): void {
  const lastId = prepareReads(database, { withArchive: false }).lastIntentId();
  const intents = readAhead(aheadOf(file), lastId);
  if (intents.length === 0) return;
  const write = prepareWrites(database);
  database.exec("BEGIN IMMEDIATE");
  for (const intent of intents) write({ kind: "intent", intent });
  database.exec("COMMIT");
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
