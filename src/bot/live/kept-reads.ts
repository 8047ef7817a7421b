// What the machine reads of the ledger, as it begins and as a market comes: noted as it is read, so that a recording holds it, and given again
// from a recording.

import { forgetfulEngine } from "../ledger/memory/forgetful.ts";
import type { LedgerReads } from "../ledger/store.ts";
import type { KeptRow } from "../recording/entry.ts";
import { exactText } from "../recording/exact-text.ts";

/** Reads for reports and export: what is decided does not depend on them. */
const NOT_NOTED: ReadonlySet<string> = new Set<keyof LedgerReads>([
  "timeline",
  "marks",
  "hours",
  "trail",
  "rows",
  "chainRows",
]);

const given = new WeakMap<LedgerReads, KeptRow[]>();

/** The same reads; `readsGiven` tells what they gave. */
export function noted(reads: LedgerReads): LedgerReads {
  const rows: KeptRow[] = [];
  const noting = Object.entries(reads).map(([name, read]) => [
    name,
    NOT_NOTED.has(name)
      ? read
      : (...of: readonly unknown[]) => {
          const value = asData((read as (...of: readonly unknown[]) => unknown)(...of));
          rows.push([nameOf(name, of), value]);
          return value;
        },
  ]);
  const all = Object.fromEntries(noting) as LedgerReads;
  given.set(all, rows);
  return all;
}

/** None of reads that were not noted. */
export const readsGiven = (reads: LedgerReads): readonly KeptRow[] => given.get(reads) ?? [];

/** Reads that give what a recording holds; what it does not hold is that of an empty ledger. */
export function keptReads(rows: readonly KeptRow[]): LedgerReads {
  const known = new Map(rows);
  const reads = Object.entries(forgetfulEngine().read).map(([name, read]) => [
    name,
    (...of: readonly unknown[]) => {
      const row = nameOf(name, of);
      return known.has(row) ? known.get(row) : (read as (...of: readonly unknown[]) => unknown)(...of);
    },
  ]);
  return Object.fromEntries(reads) as LedgerReads;
}

const nameOf = (name: string, of: readonly unknown[]): string => `ledger.${name}${exactText(of)}`;

/** A list that can be read again. */
const asData = (value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Symbol.iterator in value
    ? [...(value as Iterable<unknown>)]
    : value;
