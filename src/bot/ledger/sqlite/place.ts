// Checks whether the files of an open ledger are still where they were opened. SQLite does not notice a deleted or replaced file, and
// continues writing to one that can no longer be found.

import { statSync } from "node:fs";
import { LedgerError } from "../store.ts";
import { aheadOf } from "./write-ahead.ts";

const endingsOf = ["", "-wal", "-shm", aheadOf(""), ".lock"];

/** Returns a function that checks the files now and throws LedgerError `moved`. */
export function placeOf(file: string): () => void {
  const opened = endingsOf.flatMap((ending) => {
    const id = idOf(file + ending);
    return id === null ? [] : [{ path: file + ending, id }];
  });
  return () => {
    const moved = opened.find(({ path, id }) => idOf(path) !== id);
    if (moved === undefined) return;
    throw new LedgerError("moved", `${moved.path} was deleted or replaced while the ledger is open`);
  };
}

/** Identity of the file; null if it does not exist or cannot be checked. */
function idOf(path: string): string | null {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev} ${ino}`;
  } catch {
    return null;
  }
}
