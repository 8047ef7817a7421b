// Records on their way to the database, in a file that outlives the process: one line each, gone when all of them have arrived.

import { closeSync, existsSync, ftruncateSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { makeFolder } from "../../kernel/folder.ts";

export type OutboxFile = {
  /** On return the lines survive the death of the process. */
  readonly append: (lines: readonly string[]) => void;
  readonly empty: () => void;
  /** Removes it where it is empty. */
  readonly close: (isEmpty: boolean) => void;
};

/** What a node that died left unsent. */
export type Leftover = { readonly epoch: number; readonly lines: readonly string[]; readonly remove: () => void };

/** Endings of what outlives a lease. */
const KEPT: ReadonlySet<string> = new Set([".outbox", ".lock", ".reserve"]);

const pathOf = (ledger: string, epoch: number): string => `${ledger}.${epoch}.outbox`;

/** Beside the account's ledger. */
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

/** Oldest first. A last line that was cut off is left out: its transaction in the ledger was not answered either. */
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
 * The ledger's files of a lease that has ended, and those beside them, but for the space that is kept free. The database has what counts; the
 * next lease starts a new ledger.
 */
export function removeLedger(ledger: string): void {
  const folder = dirname(ledger);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder))
    if (name.startsWith(basename(ledger)) && !KEPT.has(extname(name))) rmSync(join(folder, name), { force: true });
}
