// Keeps a running chain on its disk: every step before it is taken, so that nothing is seen that a crash could take back; the
// whole state from time to time. While the disk fails, no step is taken.

import type { Facts } from "../../../kernel/errors.ts";
import type { BlockMaker } from "../block-maker.ts";
import type { ChainIndex } from "../chain-index.ts";
import { type ChainState, saveState } from "../state.ts";
import type { BlockLog, Step } from "./block-log.ts";
import { type Disk, StoreError } from "./disk.ts";
import { stateHashOf, writeSnapshot } from "./snapshots.ts";

export type Journal = {
  /** Writes a step that is about to be taken. False: it could not be written and must not be taken. */
  readonly keep: (step: Step) => boolean;
  /** To be called after each block, once its listeners have seen it. */
  readonly blockEnded: () => void;
  /** Keeps the state and closes the disk. Throws StoreError `unusable` when the disk fails; what was answered is on it all the same. */
  readonly close: () => void;
};

export type JournalModules = {
  readonly disk: Disk;
  readonly log: BlockLog;
  readonly state: ChainState;
  readonly maker: BlockMaker;
  readonly indexes: readonly ChainIndex[];
  /** Is told once when the disk begins to fail, and once when it works again. */
  readonly warn: (message: string, facts: Facts) => void;
};

/** Log between two snapshots: replaying it takes about a second. */
export const SNAPSHOT_EVERY_BYTES = 16_777_216;

/** Of a chain that lives only in memory. */
export const noJournal: Journal = { keep: () => true, blockEnded: () => undefined, close: () => undefined };

export function openJournal(everyBytes: number, { disk, log, state, maker, indexes, warn }: JournalModules): Journal {
  let snapshotAt = log.size() + everyBytes;
  let failing: StoreError | undefined;
  /** Since the warning. A disk that is nearly full takes a short line and fails at the next: that is no end of it. */
  let isTold = false;

  /** False when the disk fails. */
  function attempt(write: () => void): boolean {
    try {
      write();
    } catch (thrown) {
      if (!(thrown instanceof StoreError)) throw thrown;
      if (!isTold) {
        const told =
          "transactions are refused until it can be written again; make room or put it back, or stop the devnet";
        warn(`${thrown.message}: ${told}`, {});
      }
      isTold = true;
      failing = thrown;
      return false;
    }
    failing = undefined;
    return true;
  }

  /** Blocks wait no longer. */
  function tellOfBegin(): void {
    if (isTold) warn("the data directory can be written again: transactions are taken", {});
    isTold = false;
  }

  /** The line in the log comes first: a snapshot stands for all that the log says up to its place. */
  function snapshot(): void {
    const head = maker.head();
    const saved = saveState(state, head.timeMs);
    log.appendSnapshot(head.height, stateHashOf(saved));
    const logBytes = log.size();
    snapshotAt = logBytes + everyBytes;
    const entries = indexes.map((index) => [index.name, index.save()] as const);
    writeSnapshot(disk, { head, state: saved, indexes: Object.fromEntries(entries), logBytes });
  }

  return {
    keep(step) {
      const isKept = attempt(() => log.appendStep(step));
      if (isKept && step.kind === "begin") tellOfBegin();
      return isKept;
    },
    blockEnded() {
      if (log.size() >= snapshotAt) attempt(snapshot);
    },
    close() {
      if (maker.isAtHead()) attempt(snapshot);
      disk.close();
      if (failing !== undefined) throw failing;
    },
  };
}
