// Opens the ledger's file for its only writer: first the lock, then the file. At a start, a damaged file is set aside under another name.

import { bookOf } from "../../bot/ledger/rebuild.ts";
import { openSqlite, prepareFolder, setAside } from "../../bot/ledger/sqlite/sqlite.ts";
import { type LedgerEngine, LedgerError } from "../../bot/ledger/store.ts";
import type { AccountId } from "../../domain/units.ts";
import { type FileLock, holdLock, lackOf } from "../../kernel/locking.ts";
import { tryWriting, unwritable } from "../../kernel/yaml/files.ts";

export type LedgerFile = { readonly file: string; readonly maxBytes: number; readonly isOfRun?: boolean | undefined };

/** Why the ledger cannot be kept at its path. Null: it can. */
export function ledgerFault({ file }: { readonly file: string | null }): string | null {
  if (file === null) return null;
  try {
    tryWriting(file);
    const lack = lackOf(file);
    return lack === null ? null : `ledger.file: ${file} cannot be used: ${lack}`;
  } catch (cause) {
    return `ledger.file: ${file} cannot be written: ${unwritable(cause)}`;
  }
}

/** Throws LockError while a daemon runs on the file, and LedgerError. Leaves nothing open then. */
export function openLedgerFile({ file, maxBytes }: LedgerFile): {
  readonly engine: LedgerEngine;
  readonly lock: FileLock;
} {
  prepareFolder(file);
  const lock = holdLock(`${file}.lock`);
  try {
    return { engine: openSqlite({ file, bytesMax: maxBytes }), lock };
  } catch (cause) {
    lock.release();
    throw cause;
  }
}

/** `lost`: a sentence on the damaged file that was set aside. Null: nothing was lost. */
export type LedgerAtStart = {
  readonly engine: LedgerEngine;
  readonly lock: FileLock;
  readonly lost: string | null;
};

/** For a daemon, which must start: moves a damaged file aside, unchanged, and begins an empty one. Throws LockError and LedgerError. */
export function openLedgerAtStart(at: LedgerFile, accounts: readonly AccountId[], atMs: number): LedgerAtStart {
  const { file, maxBytes, isOfRun = false } = at;
  prepareFolder(file);
  const lock = holdLock(`${file}.lock`);
  try {
    const found = openWhole(at, accounts);
    if (!(found instanceof LedgerError)) return { engine: found, lock, lost: null };
    const aside = setAside(file, atMs);
    const lost =
      `${found.message.replaceAll(/\s+/g, " ")}; moved to ${aside}; starting an empty ledger: ` +
      "fills, results, halts and unanswered transactions from before are not known";
    return { engine: openSqlite({ file, bytesMax: maxBytes, isOfRun }), lock, lost };
  } catch (cause) {
    lock.release();
    throw cause;
  }
}

/** Returns the engine, or the damage of the file or of a row that a start needs. Throws every other LedgerError. */
function openWhole(
  { file, maxBytes, isOfRun = false }: LedgerFile,
  accounts: readonly AccountId[],
): LedgerEngine | LedgerError {
  let engine: LedgerEngine | undefined;
  try {
    engine = openSqlite({ file, bytesMax: maxBytes, isOfRun });
    const { read } = engine;
    read.latchEvents();
    read.openIntents();
    for (const account of [...accounts, ...read.accounts()]) {
      read.knownOrders(account, Number.MAX_SAFE_INTEGER);
      bookOf(read, account);
    }
    return engine;
  } catch (cause) {
    engine?.close();
    if (cause instanceof LedgerError && (cause.code === "damaged" || cause.code === "malformed")) return cause;
    throw cause;
  }
}
