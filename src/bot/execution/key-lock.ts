// One process per key, and one writer per ledger: an exclusive lock of the operating system on a small SQLite file, held for as long
// as the process lives. Death by any signal frees it, so there is no stale lock to clean up and no pid to mistake.

import { DatabaseSync } from "node:sqlite";
import { CodedError, messageOf } from "../../kernel/errors.ts";

/** `lock_held`: another process, or another part of this one, has it. `lock_unavailable`: the file cannot be locked at all. */
export class LockError extends CodedError<"lock_held" | "lock_unavailable"> {}

export type FileLock = {
  readonly path: string;
  /** Frees the lock. Harmless when repeated. */
  readonly release: () => void;
};

const SQLITE_BUSY = 5;

/** Takes the lock on `path`, creating the empty file where it is missing. Throws LockError at once when it is held. */
export function holdLock(path: string): FileLock {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 0 });
    database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  } catch (cause) {
    database?.close();
    throw lockError(path, cause);
  }
  const held = database;
  return {
    path,
    release: () => {
      if (held.isOpen) held.close();
    },
  };
}

/**
 * Locks an agent key: beside its file, so that whoever uses the same file meets the same lock; at `elsewhere` where the key's
 * directory cannot be written, as with mounted secrets. Throws LockError.
 */
export function lockAgentKey(keyFile: string, elsewhere: string): FileLock {
  try {
    return holdLock(`${keyFile}.lock`);
  } catch (thrown) {
    if (thrown instanceof LockError && thrown.code === "lock_unavailable") return holdLock(elsewhere);
    throw thrown;
  }
}

function lockError(path: string, cause: unknown): LockError {
  const busy = cause instanceof Error && "errcode" in cause && cause.errcode === SQLITE_BUSY;
  if (busy)
    return new LockError("lock_held", `another process holds ${path}`, {
      cause,
    });
  return new LockError("lock_unavailable", `${path} cannot be locked: ${messageOf(cause)}`, { cause });
}
