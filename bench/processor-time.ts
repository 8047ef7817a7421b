// Processor time of this process and of all that it started, from /proc: on a busy machine it is nearer to what a machine of its own would
// take than the wall clock is. Linux alone.

import { readdirSync, readFileSync } from "node:fs";

/** The kernel counts in hundredths of a second. */
const TICK_MS = 10;

type Row = { readonly parent: number; readonly ownTicks: number; readonly endedTicks: number };

function rowOf(pid: string): Row | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program, in parentheses, may hold anything; what counts stands behind it.
    const fields = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const [, parent = 0] = fields;
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
    return { parent, ownTicks: user + system, endedTicks: endedUser + endedSystem };
  } catch {
    return undefined; // It has ended since the list was read.
  }
}

/** Of processes that this one started and that have ended. */
export const endedMs = (): number => (rowOf("self")?.endedTicks ?? 0) * TICK_MS;

/** Of this process and all below it, living or ended. */
export function treeMs(): number {
  const rows = new Map(
    readdirSync("/proc").flatMap((pid) => {
      const row = /^\d+$/.test(pid) ? rowOf(pid) : undefined;
      return row === undefined ? [] : [[Number(pid), row] as const];
    }),
  );
  const isBelow = (pid: number): boolean =>
    pid === process.pid || (rows.has(pid) && isBelow(rows.get(pid)?.parent ?? 0));
  return [...rows].reduce((sum, [pid, row]) => sum + (isBelow(pid) ? (row.ownTicks + row.endedTicks) * TICK_MS : 0), 0);
}
