// The page's history, in a file beside the ledger. Only people read it, so a slow or failing disk loses history and holds up nothing.
// Writes run in the background, one after the other.

import { constants, readFileSync, statSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import type { HistoryStore } from "../bot/dashboard/live.ts";

/** A larger file is not one of ours. */
const BYTES_MAX = 64 * 2 ** 20;
/** Writes that may wait for a slow disk: some minutes. */
const WAITING_MAX = 100;

/** `file` null: the history ends with the process. `onFailed` is called once, when the first write fails. */
export function historyFile(file: string | null, onFailed: (error: unknown) => void): HistoryStore {
  if (file === null) return { load: () => [], append: () => {}, replace: () => {} };
  let hasFailed = false;
  let waiting = 0;
  let last = Promise.resolve();
  const fail = (error: unknown): void => {
    if (!hasFailed) onFailed(error);
    hasFailed = true;
  };
  const later = (act: () => Promise<void>): void => {
    if (waiting >= WAITING_MAX) {
      fail(new Error(`${file}: the disk does not take it`));
      return;
    }
    waiting += 1;
    last = last
      .then(act)
      .catch(fail)
      .finally(() => {
        waiting -= 1;
      });
  };
  return {
    load() {
      try {
        const { size } = regular(file, statSync(file));
        return size > BYTES_MAX
          ? []
          : readFileSync(file, "utf8")
              .split("\n")
              .filter((line) => line !== "");
      } catch {
        return []; // there is none yet
      }
    },
    append: (lines) => later(() => write(file, constants.O_APPEND, lines)),
    replace: (lines) =>
      later(async () => {
        await write(`${file}.new`, constants.O_TRUNC, lines);
        await rename(`${file}.new`, file);
      }),
  };
}

async function write(file: string, mode: number, lines: readonly string[]): Promise<void> {
  // O_NONBLOCK: opening a pipe in its place must not block the thread.
  const handle = await open(file, constants.O_WRONLY | constants.O_CREAT | (constants.O_NONBLOCK ?? 0) | mode, 0o600);
  try {
    regular(file, await handle.stat());
    await handle.writeFile(lines.map((line) => `${line}\n`).join(""));
  } finally {
    await handle.close();
  }
}

function regular<State extends { readonly isFile: () => boolean }>(file: string, state: State): State {
  if (!state.isFile()) throw new Error(`${file} is not a regular file`);
  return state;
}
