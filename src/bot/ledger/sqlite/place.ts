// Whether the files of an open ledger still lie where they were opened. SQLite does not notice that one was deleted or replaced, and writes on
// to what nobody finds again.

import { statSync } from "node:fs";
import { LedgerError } from "../store.ts";
import { aheadOf } from "./write-ahead.ts";

const endingsOf = ["", "-wal", "-shm", aheadOf(""), ".lock"];

/** What lies there now is looked at by the returned function, which throws LedgerError `moved`. */
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

/** The same as long as it is the same file; null where there is none, or nobody can tell. */
function idOf(path: string): string | null {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev} ${ino}`;
  } catch {
    return null;
  }
}
