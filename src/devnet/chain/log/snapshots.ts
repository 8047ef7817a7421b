// Snapshots of the whole state next to the log, so that a start does not replay everything. An unreadable snapshot is skipped: the log
// alone is enough.

import { sha256Hex } from "../../../kernel/hash.ts";
import { parsedText, textOf } from "../../accounts/table.ts";
import type { Block } from "../block.ts";
import type { StateSnapshot } from "../state.ts";
import type { Disk } from "./disk.ts";

export type Snapshot = {
  readonly head: Block;
  readonly state: StateSnapshot;
  /** Saved indexes by name. */
  readonly indexes: Readonly<Record<string, string>>;
  /** Position in the log of the first line after it. */
  readonly logBytes: number;
};

const PREFIX = "snapshot-";
const HASH_DIGITS = 64;
/** The newest, and the previous one in case the newest is unreadable. */
const KEPT = 2;

/** Hash of the whole state; the same state always gives the same hash. */
export const stateHashOf = (state: StateSnapshot): string => sha256Hex(textOf(state));

export function writeSnapshot(disk: Disk, snapshot: Snapshot): void {
  const text = textOf(snapshot);
  disk.replace(`${PREFIX}${snapshot.head.height}`, Buffer.from(`${sha256Hex(text)}\n${text}`));
  for (const { name } of snapshotFiles(disk).slice(KEPT)) disk.remove(name);
}

/**
 * The newest readable snapshot of a log with `logBytes` bytes. A snapshot of a longer log was taken before a loss of power cut the log: it
 * is removed, because the log will grow past that position with other content.
 */
export function readSnapshot(disk: Disk, logBytes: number): Snapshot | undefined {
  for (const { name } of snapshotFiles(disk)) {
    const text = Buffer.from(disk.read(name, 0, disk.size(name))).toString();
    const content = text.slice(HASH_DIGITS + 1);
    if (sha256Hex(content) !== text.slice(0, HASH_DIGITS)) continue;
    const snapshot = parsedText(content) as Snapshot;
    if (snapshot.logBytes <= logBytes) return snapshot;
    disk.remove(name);
  }
  return undefined;
}

/** Newest first. */
function snapshotFiles(disk: Disk): readonly { readonly name: string; readonly height: number }[] {
  return disk
    .names()
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => ({ name, height: Number(name.slice(PREFIX.length)) }))
    .filter(({ height }) => Number.isSafeInteger(height))
    .sort((a, b) => b.height - a.height);
}
