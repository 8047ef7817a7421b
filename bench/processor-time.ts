// Processor time of this process and its descendants, from /proc: on a busy machine it is closer to the time on an idle machine than wall
// time is. Only on Linux.

import { readdirSync, readFileSync } from "node:fs";

/** The kernel counts in hundredths of a second. */
const TICK_MS = 10;

type Row = { readonly parent: number; readonly ownTicks: number; readonly endedTicks: number };

function rowOf(pid: string): Row | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The program name, in parentheses, may contain anything; the fields start after it.
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

/** Processor time of ended child processes. */
export const endedMs = (): number => (rowOf("self")?.endedTicks ?? 0) * TICK_MS;

/** Processor time of this process and all its descendants, running or ended. */
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
