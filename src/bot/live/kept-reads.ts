// What the machine reads from the ledger at its start and for each added market: noted for a recording, and returned from one in a replay.

import { forgetfulEngine } from "../ledger/memory/forgetful.ts";
import type { LedgerReads } from "../ledger/store.ts";
import type { KeptRow } from "../recording/entry.ts";
import { exactText } from "../recording/exact-text.ts";

/** Reads for reports and export: no decision depends on them. */
const NOT_NOTED: ReadonlySet<string> = new Set<keyof LedgerReads>([
  "timeline",
  "marks",
  "hours",
  "trail",
  "rows",
  "chainRows",
]);

const given = new WeakMap<LedgerReads, KeptRow[]>();

/** Returns the same reads; `readsGiven` returns what they gave. */
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

/** Empty for reads that were not noted. */
export const readsGiven = (reads: LedgerReads): readonly KeptRow[] => given.get(reads) ?? [];

/** Returns reads that give a recording's content; anything missing reads as an empty ledger. */
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

/** A list that can be iterated again. */
const asData = (value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Symbol.iterator in value
    ? [...(value as Iterable<unknown>)]
    : value;
