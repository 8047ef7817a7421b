// Keeps a running chain on its disk: every step before it is taken, so that nothing is seen that a crash could take back; the
// whole state from time to time. While the disk fails, no step is taken; after one that threw, none ever.

import { type Facts, messageOf } from "../../../kernel/errors.ts";
import type { BlockMaker } from "../block-maker.ts";
import type { ChainIndex } from "../chain-index.ts";
import { type ChainState, saveState } from "../state.ts";
import type { BlockLog } from "./block-log.ts";
import { type Disk, StoreError } from "./disk.ts";
import { stateHashOf, writeSnapshot } from "./snapshots.ts";
import { actsOf, firstActs, nameOf, type Step } from "./step.ts";

export type Journal = {
  /**
   * Writes the step that `make` gives, then runs its acts in their order, one function for each. False: it could not be written and nothing
   * of it happened, or an act threw and was the last.
   */
  readonly take: (make: () => Step, acts: readonly (() => void)[]) => boolean;
  /** To be called after each block, once its listeners have seen it. */
  readonly blockEnded: () => void;
  /** Keeps the state and closes the disk. Throws StoreError when the disk fails or a step threw; what was answered is on it all the same. */
  readonly close: () => void;
};

export type JournalModules = {
  readonly disk: Disk;
  readonly log: BlockLog;
  readonly state: ChainState;
  readonly maker: BlockMaker;
  readonly indexes: readonly ChainIndex[];
  /** Is told once when the disk begins to fail, and once when it works again; and of a step that threw. */
  readonly warn: (message: string, facts: Facts) => void;
};

/** Log between two snapshots: replaying it takes about a second. */
export const SNAPSHOT_EVERY_BYTES = 16_777_216;

/** Keeps a chain in memory only, and makes no step. */
export const noJournal: Journal = {
  take(_make, acts) {
    for (const act of acts) act();
    return true;
  },
  blockEnded: () => undefined,
  close: () => undefined,
};

export function openJournal(everyBytes: number, { disk, log, state, maker, indexes, warn }: JournalModules): Journal {
  let snapshotAt = log.size() + everyBytes;
  let failing: StoreError | undefined;
  /** Since the warning. A disk that is nearly full takes a short line and fails at the next: that is no end of it. */
  let isLogged = false;
  /** The state may be half changed: only a start, which replays what is whole, knows a sure one. */
  let thrown: StoreError | undefined;

  /** False when the disk fails. */
  function attempt(write: () => void): boolean {
    try {
      write();
    } catch (cause) {
      if (!(cause instanceof StoreError)) throw cause;
      if (!isLogged) {
        const text =
          "transactions are refused until it can be written again; make room or put it back, or stop the devnet";
        warn(`${cause.message}: ${text}`, {});
      }
      isLogged = true;
      failing = cause;
      return false;
    }
    failing = undefined;
    return true;
  }

  /** Blocks wait no longer. */
  function tellOfBegin(): void {
    if (isLogged) warn("the data directory can be written again: transactions are taken", {});
    isLogged = false;
  }

  function take(make: () => Step, acts: readonly (() => void)[]): boolean {
    const step = make();
    if (thrown !== undefined || !attempt(() => log.appendStep(step))) return false;
    if (step.kind === "begin") tellOfBegin();
    for (const [at, act] of acts.entries()) {
      try {
        act();
      } catch (cause) {
        stopAt(step, at, cause);
        return false;
      }
    }
    return true;
  }

  /** A replay would throw as well: the act goes off the log, and with it what was to come after it. */
  function stopAt(step: Step, at: number, cause: unknown): void {
    const { height } = maker.now();
    const taken = firstActs(step, at);
    const what = `block ${height}: ${nameOf(actsOf(step)[at] ?? step)} made the exchange throw (${messageOf(cause)})`;
    thrown = new StoreError("threw", what, { facts: { height }, cause });
    attempt(() => {
      log.takeBack();
      if (taken !== undefined) log.appendStep(taken);
    });
    warn(`${what}: nothing is taken from now on; stop the devnet and start it again, and it goes on without it`, {});
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
    take,
    blockEnded() {
      if (log.size() >= snapshotAt) attempt(snapshot);
    },
    close() {
      if (thrown === undefined && maker.isAtHead()) attempt(snapshot);
      disk.close();
      const fault = thrown ?? failing;
      if (fault !== undefined) throw fault;
    },
  };
}
