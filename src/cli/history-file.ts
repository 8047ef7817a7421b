// The page's history in a file beside the ledger. It only tells people of the past: a disk that fails costs nothing but that.

import { appendFileSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import type { HistoryStore } from "../bot/dashboard/live.ts";

/** Larger than any file of ours. */
const BYTES_MAX = 64 * 2 ** 20;

/** `file` null: nothing outlives the process. `onFailed` is told once. */
export function historyFile(file: string | null, onFailed: (error: unknown) => void): HistoryStore {
  if (file === null) return { load: () => [], append: () => {}, replace: () => {} };
  let hasFailed = false;
  const quietly = (act: () => void): void => {
    try {
      act();
    } catch (error) {
      if (!hasFailed) onFailed(error);
      hasFailed = true;
    }
  };
  const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");
  return {
    load() {
      try {
        const text = readFileSync(file, "utf8");
        return text.length > BYTES_MAX ? [] : text.split("\n").filter((line) => line !== "");
      } catch {
        return []; // there is none yet
      }
    },
    append: (lines) => quietly(() => appendFileSync(file, textOf(lines), { mode: 0o600 })),
    replace: (lines) =>
      quietly(() => {
        writeFileSync(`${file}.new`, textOf(lines), { mode: 0o600 });
        renameSync(`${file}.new`, file);
      }),
  };
}
