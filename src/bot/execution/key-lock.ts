// The lock of an agent key: one process per key. It also keeps what the key has sent, which a ledger restored from a backup does not know.

import type { SentMark } from "../../domain/intent.ts";
import { nonce } from "../../domain/units.ts";
import { type FileLock, fileLock, LockError, openLocked } from "../../kernel/locking.ts";

export type KeyLock = FileLock & {
  /** Returns the last mark of the key with this fingerprint, from any process; null: none. */
  readonly sent: (signer: string) => SentMark | null;
  /** On return the mark survives the process, but is not synced. Takes some 15 µs. Throws what the file system throws. */
  readonly note: (signer: string, mark: SentMark) => void;
};

/**
 * Locks an agent key: beside its file, so that every user of the file meets the same lock; at `elsewhere` where the key's directory cannot
 * be written, as with mounted secrets. Throws LockError.
 */
export function lockAgentKey(keyFile: string, elsewhere: string): KeyLock {
  try {
    return holdKeyLock(`${keyFile}.lock`);
  } catch (thrown) {
    if (thrown instanceof LockError && thrown.code === "lock_unavailable") return holdKeyLock(elsewhere);
    throw thrown;
  }
}

/** Exclusive locking keeps the lock from one transaction to the next. Once the table exists, a row is overwritten within one page. */
const KEY_LOCK = `PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE;
  CREATE TABLE IF NOT EXISTS sent (signer TEXT PRIMARY KEY, nonce TEXT NOT NULL, intent_id INTEGER NOT NULL) STRICT;
  COMMIT; PRAGMA synchronous = OFF`;

function holdKeyLock(path: string): KeyLock {
  const held = openLocked(path, KEY_LOCK);
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
