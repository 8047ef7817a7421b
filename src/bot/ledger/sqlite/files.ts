// File-system work around SQLite: the log's own descriptor, for syncing, and errors that name their file.

import { closeSync, fdatasync, fsyncSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf } from "../../../kernel/errors.ts";
import { LedgerError } from "../store.ts";

const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_NOTADB = 26;
/** Only this part of an error code is used. */
const PRIMARY_CODE = 0xff;

export type Log = { readonly descriptor: number; readonly close: () => void };

/** The log of a database that has one. The directory is synced once, so that the log's name survives a loss of power too. */
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

/** In a thread, so that a slow disk does not block the loop. */
export const syncLog = (descriptor: number): Promise<void> =>
  new Promise((resolve, reject) => {
    fdatasync(descriptor, (error) => (error === null ? resolve() : reject(error)));
  });

/** Converts errors of a write or sync to whether another program or the disk is the cause. */
export function blaming<T>(file: string, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    throw blamed(file, cause);
  }
}

export function blamed(file: string, cause: unknown): unknown {
  if (codeOf(cause) === SQLITE_BUSY) return held(file, cause);
  const isFull = codeOf(cause) === SQLITE_FULL || (cause as NodeJS.ErrnoException | null)?.code === "ENOSPC";
  return isFull ? new LedgerError("full", messageOf(cause), { cause }) : cause;
}

const held = (file: string, cause: unknown): LedgerError =>
  new LedgerError("held", `another program holds ${file}`, { cause });

const codeOf = (thrown: unknown): number | null =>
  thrown instanceof Error && "errcode" in thrown ? Number(thrown.errcode) & PRIMARY_CODE : null;

/** Converts errors while opening to a LedgerError that names the file. */
export function naming<T>(file: string, open: () => T): T {
  try {
    return open();
  } catch (cause) {
    if (cause instanceof LedgerError) throw cause;
    const number = codeOf(cause);
    if (number === SQLITE_BUSY) throw held(file, cause);
    const damaged = number === SQLITE_CORRUPT || number === SQLITE_NOTADB;
    const what = damaged ? "is damaged" : "cannot be opened";
    throw new LedgerError(damaged ? "damaged" : "unopenable", `${file} ${what}: ${messageOf(cause)}`, { cause });
  }
}
