// Whether the file system of a folder has what SQLite needs: locks, and memory that processes share. Without locks every file looks held by
// another process, and without shared memory the disk looks broken, so this tries both on a new file that no other process knows.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";

const NO_LOCKS = "its file system has no file locks, so that two processes could write to it; put it on a local disk";
const NO_SHARED_MEMORY = "its file system cannot share memory between processes (mmap); put it on a local disk";

/** Of SQLite's primary codes: busy, and its locking protocol failed. */
const BUSY = new Set([5, 15]);
/** Of its extended codes: to lock, to unlock, or to ask for a lock failed. */
const LOCKING = new Set([2058, 2314, 3594, 3850]);
/** The log's shared memory could not be opened, mapped or locked. */
const SHARING = new Set([4618, 5130, 5386]);
const PRIMARY_CODE = 0xff;

/**
 * What the file system lacks to keep a database at `path`, or in the nearest folder above it that exists: the end of a sentence; null:
 * nothing, or it cannot be tried. Takes a few milliseconds and leaves nothing.
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

/** Of a file that is not there yet. */
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
