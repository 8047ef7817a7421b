// What SQLite leaves to the file system: the log's own descriptor, for syncing, and errors that name their file.

import { closeSync, fdatasync, fsyncSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf } from "../../../kernel/errors.ts";
import { LedgerError } from "../store.ts";

const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

export type Log = { readonly descriptor: number; readonly close: () => void };

/** The log of a database that has one. The directory is synced once, so that the log's name survives loss of power too. */
export function openLog(file: string): Log {
  const directory = openSync(dirname(file), "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
  const descriptor = openSync(`${file}-wal`, "r+");
  return { descriptor, close: () => closeSync(descriptor) };
}

/** From a thread: no slow disk holds up the loop. */
export const syncLog = (descriptor: number): Promise<void> =>
  new Promise((resolve, reject) => {
    fdatasync(descriptor, (error) => (error === null ? resolve() : reject(error)));
  });

/** Whatever SQLite or the system throws while opening becomes a LedgerError that names the file. */
export function naming<T>(file: string, open: () => T): T {
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
