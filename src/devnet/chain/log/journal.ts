// Keeps a running chain on its disk: every finished block at once, the whole state from time to time.

import type { Block, BlockInput } from "../block.ts";
import type { ChainIndex } from "../chain-index.ts";
import { type ChainState, saveState } from "../state.ts";
import type { BlockLog } from "./block-log.ts";
import type { Disk } from "./disk.ts";
import { stateHashOf, writeSnapshot } from "./snapshots.ts";

export type Journal = {
  /** To be called before any listener sees the block. */
  readonly append: (block: Block, input: BlockInput) => void;
  readonly close: () => void;
};

export type JournalModules = {
  readonly disk: Disk;
  readonly log: BlockLog;
  readonly state: ChainState;
  readonly indexes: readonly ChainIndex[];
  readonly head: () => Block;
};

/** Log between two snapshots: replaying it takes about a second. */
export const SNAPSHOT_EVERY_BYTES = 16_777_216;

export function openJournal(everyBytes: number, { disk, log, state, indexes, head }: JournalModules): Journal {
  let snapshotAt = log.size() + everyBytes;

  /** The line in the log comes first: a snapshot stands for all that the log says up to its place. */
  function snapshot(block: Block): void {
    const saved = saveState(state, block.timeMs);
    log.appendSnapshot(block.height, stateHashOf(saved));
    const logBytes = log.size();
    const entries = indexes.map((index) => [index.name, index.save()] as const);
    writeSnapshot(disk, { head: block, state: saved, indexes: Object.fromEntries(entries), logBytes });
    snapshotAt = logBytes + everyBytes;
  }

  return {
    append(block, input) {
      log.appendBlock(block, input);
      if (log.size() >= snapshotAt) snapshot(block);
    },
    close() {
      snapshot(head());
      disk.close();
    },
  };
}
