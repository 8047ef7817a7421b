// Stores a running chain on its disk: every step before it runs, so that a crash cannot undo anything visible, and the whole state from
// time to time. While the disk fails, no step runs; after a step threw, no further step runs.

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
   * Writes the step that `make` returns, then runs its acts in order, one function each. Returns false if the step could not be written and
   * nothing ran, or if an act threw and the rest did not run.
   */
  readonly take: (make: () => Step, acts: readonly (() => void)[]) => boolean;
  /** Call after each block, once its listeners have seen it. */
  readonly blockEnded: () => void;
  /**
   * Saves the state and closes the disk. Throws StoreError if the disk fails or a step threw; everything already answered is on the disk
   * nevertheless.
   */
  readonly close: () => void;
};

export type JournalModules = {
  readonly disk: Disk;
  readonly log: BlockLog;
  readonly state: ChainState;
  readonly maker: BlockMaker;
  readonly indexes: readonly ChainIndex[];
  /** Called once when the disk begins to fail and once when it works again; also when a step threw. */
  readonly warn: (message: string, facts: Facts) => void;
};

/** Log bytes between two snapshots: replaying them takes about a second. */
export const SNAPSHOT_EVERY_BYTES = 16_777_216;

/** For a chain in memory: writes nothing, only runs the acts. */
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
  /**
   * Whether the current failure was logged. A nearly full disk takes a short line and fails at the next one; that does not end the failure.
   */
  let isLogged = false;
  /** The step that threw. The state may be half changed; only a restart, which replays complete steps, gives a reliable one. */
  let thrown: StoreError | undefined;

  /** Returns false if the disk fails. */
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

  /** Logs that the disk works again: a block could begin. */
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

  /** A replay would throw too: removes the act and the rest of its step from the log. */
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

  /** The log line comes first: a snapshot covers the log up to its position. */
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
