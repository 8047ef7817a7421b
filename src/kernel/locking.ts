// Locks of the operating system on small SQLite files, each held as long as its process lives: death by any signal frees it, so there is no
// stale lock and no pid to confuse. Also checks whether a file system has what SQLite needs: locks, and memory that processes share.
// Without locks every file looks held by another process, and without shared memory the disk looks broken, so both are tried on a new file.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { CodedError, messageOf } from "./errors.ts";

/** `lock_held`: another process, or another part of this one, has it. `lock_unavailable`: the file cannot be locked at all. */
export class LockError extends CodedError<"lock_held" | "lock_unavailable"> {}

export type FileLock = {
  readonly path: string;
  /** Frees the lock. Harmless when repeated. */
  readonly release: () => void;
};

/** Takes the lock on `path`, creating the empty file where it is missing. Throws LockError at once when it is held. */
export function holdLock(path: string): FileLock {
  return fileLock(path, openLocked(path, "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE"));
}

export const fileLock = (path: string, held: DatabaseSync): FileLock => ({
  path,
  release: () => {
    if (held.isOpen) held.close();
  },
});

/** The database at `path` after `sql`, which locks it. Throws LockError. */
export function openLocked(path: string, sql: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 0 });
    database.exec(sql);
    return database;
  } catch (cause) {
    database?.close();
    throw lockError(path, cause);
  }
}

const SQLITE_BUSY = 5;

function lockError(path: string, cause: unknown): LockError {
  const busy = cause instanceof Error && "errcode" in cause && cause.errcode === SQLITE_BUSY;
  const lack = busy ? lackOf(path) : messageOf(cause);
  if (lack === null) return new LockError("lock_held", `another process holds ${path}`, { cause });
  return new LockError("lock_unavailable", `${path} cannot be locked: ${lack}`, { cause });
}

const NO_LOCKS = "its file system has no file locks, so that two processes could write to it; put it on a local disk";
const NO_SHARED_MEMORY = "its file system cannot share memory between processes (mmap); put it on a local disk";

/** SQLite primary codes: busy, and failed locking protocol. */
const BUSY = new Set([5, 15]);
/** SQLite extended codes: locking, unlocking, or checking a lock failed. */
const LOCKING = new Set([2058, 2314, 3594, 3850]);
/** The log's shared memory could not be opened, mapped or locked. */
const SHARING = new Set([4618, 5130, 5386]);
const PRIMARY_CODE = 0xff;

/**
 * Returns what the file system lacks for a database at `path`, or at its nearest existing parent folder, as the end of a sentence; null if
 * it lacks nothing, or cannot be tested. Takes a few milliseconds and leaves no files.
 */
export function lackOf(path: string): string | null {
  let folder = dirname(resolve(path));
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  let made: string | undefined;
  try {
    made = mkdtempSync(join(folder, ".quoin-"));
    return lackAt(join(made, basename(path)));
  } catch {
    return null;
  } finally {
    if (made !== undefined) rmSync(made, { recursive: true, force: true });
  }
}

/** Tests a file that does not exist yet. */
function lackAt(path: string): string | null {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 0 });
    database.exec(
      "PRAGMA synchronous = OFF; PRAGMA journal_mode = WAL; BEGIN IMMEDIATE; CREATE TABLE trial (x); COMMIT",
    );
    return null;
  } catch (cause) {
    const code = cause instanceof Error && "errcode" in cause ? Number(cause.errcode) : 0;
    if (SHARING.has(code)) return NO_SHARED_MEMORY;
    return BUSY.has(code & PRIMARY_CODE) || LOCKING.has(code) ? NO_LOCKS : null;
  } finally {
    database?.close();
  }
}
