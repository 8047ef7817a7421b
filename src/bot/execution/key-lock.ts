// One process per key, and one writer per ledger: an exclusive lock of the operating system on a small SQLite file, held for as long
// as the process lives. Death by any signal frees it, so there is no stale lock to clean up and no pid to mistake. The lock of a key keeps
// what the key has sent, which a ledger restored from a backup does not know.

import { DatabaseSync } from "node:sqlite";
import type { SentMark } from "../../domain/intent.ts";
import { nonce } from "../../domain/units.ts";
import { CodedError, messageOf } from "../../kernel/errors.ts";
import { lackOf } from "../../kernel/locking.ts";

/** `lock_held`: another process, or another part of this one, has it. `lock_unavailable`: the file cannot be locked at all. */
export class LockError extends CodedError<"lock_held" | "lock_unavailable"> {}

export type FileLock = {
  readonly path: string;
  /** Frees the lock. Harmless when repeated. */
  readonly release: () => void;
};

export type KeyLock = FileLock & {
  /** The last mark of the key with this fingerprint, also by an earlier process; null: none. */
  readonly sent: (signer: string) => SentMark | null;
  /** On return the mark survives the process, but is not synced. Takes some 15 µs. Throws what the file system throws. */
  readonly note: (signer: string, mark: SentMark) => void;
};

const SQLITE_BUSY = 5;

/** Takes the lock on `path`, creating the empty file where it is missing. Throws LockError at once when it is held. */
export function holdLock(path: string): FileLock {
  return fileLock(path, locked(path, "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE"));
}

/**
 * Locks an agent key: beside its file, so that whoever uses the same file meets the same lock; at `elsewhere` where the key's
 * directory cannot be written, as with mounted secrets. Throws LockError.
 */
export function lockAgentKey(keyFile: string, elsewhere: string): KeyLock {
  try {
    return holdKeyLock(`${keyFile}.lock`);
  } catch (thrown) {
    if (thrown instanceof LockError && thrown.code === "lock_unavailable") return holdKeyLock(elsewhere);
    throw thrown;
  }
}

/** Exclusive locking keeps the lock from one transaction to the next. Once the table is there, a row is overwritten within one page. */
const KEY_LOCK = `PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE;
  CREATE TABLE IF NOT EXISTS sent (signer TEXT PRIMARY KEY, nonce TEXT NOT NULL, intent_id INTEGER NOT NULL) STRICT;
  COMMIT; PRAGMA synchronous = OFF`;

function holdKeyLock(path: string): KeyLock {
  const held = locked(path, KEY_LOCK);
  const find = held.prepare("SELECT nonce, intent_id FROM sent WHERE signer = ?");
  const put = held.prepare("INSERT OR REPLACE INTO sent (signer, nonce, intent_id) VALUES (?, ?, ?)");
  return {
    ...fileLock(path, held),
    sent(signer) {
      const row = find.get(signer);
      return row === undefined ? null : { nonce: nonce(BigInt(`${row.nonce}`)), intentId: Number(row.intent_id) };
    },
    note: (signer, mark) => void put.run(signer, `${mark.nonce}`, mark.intentId),
  };
}

const fileLock = (path: string, held: DatabaseSync): FileLock => ({
  path,
  release: () => {
    if (held.isOpen) held.close();
  },
});

function locked(path: string, sql: string): DatabaseSync {
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

function lockError(path: string, cause: unknown): LockError {
  const busy = cause instanceof Error && "errcode" in cause && cause.errcode === SQLITE_BUSY;
  const lack = busy ? lackOf(path) : messageOf(cause);
  if (lack === null) return new LockError("lock_held", `another process holds ${path}`, { cause });
  return new LockError("lock_unavailable", `${path} cannot be locked: ${lack}`, { cause });
}
