// Records that are being sent to the database, in a file that outlives the process: one line each, deleted when all have arrived.

import { closeSync, existsSync, ftruncateSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { makeFolder } from "../../kernel/folder.ts";

export type OutboxFile = {
  /** After it returns, the lines survive a crash of the process. */
  readonly append: (lines: readonly string[]) => void;
  readonly empty: () => void;
  /** Deletes the file if it is empty. */
  readonly close: (isEmpty: boolean) => void;
};

/** Unsent records of a node that died. */
export type Leftover = { readonly epoch: number; readonly lines: readonly string[]; readonly remove: () => void };

/** File endings of what outlives a lease. */
const KEPT: ReadonlySet<string> = new Set([".outbox", ".lock", ".reserve"]);

const pathOf = (ledger: string, epoch: number): string => `${ledger}.${epoch}.outbox`;

/** Next to the account's ledger. */
export function openOutbox(ledger: string, epoch: number): OutboxFile {
  makeFolder(dirname(ledger));
  const path = pathOf(ledger, epoch);
  const file = openSync(path, "a", 0o600);
  return {
    append: (lines) => void writeSync(file, lines.map((line) => `${line}\n`).join("")),
    empty: () => ftruncateSync(file),
    close(isEmpty) {
      closeSync(file);
      if (isEmpty) rmSync(path, { force: true });
    },
  };
}

/** Oldest first. Omits a last line that was cut off: its transaction in the ledger was not answered either. */
export function leftovers(ledger: string): readonly Leftover[] {
  const folder = dirname(ledger);
  if (!existsSync(folder)) return [];
  const found = readdirSync(folder).flatMap((name): Leftover[] => {
    const rest = name.startsWith(`${basename(ledger)}.`) ? name.slice(basename(ledger).length + 1) : "";
    const epoch = /^(\d{1,15})\.outbox$/.exec(rest)?.[1];
    if (epoch === undefined) return [];
    const path = join(folder, name);
    const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
    return [{ epoch: Number(epoch), lines, remove: () => rmSync(path, { force: true }) }];
  });
  return found.sort((a, b) => a.epoch - b.epoch);
}

/**
 * Deletes the ledger's files of an ended lease, except the reserved space. The database has what matters; the next lease starts a new
 * ledger.
 */
export function removeLedger(ledger: string): void {
  const folder = dirname(ledger);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder))
    if (name.startsWith(basename(ledger)) && !KEPT.has(extname(name))) rmSync(join(folder, name), { force: true });
}
