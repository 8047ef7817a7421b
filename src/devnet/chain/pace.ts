// Decides when blocks are made: every blockTimeMs of the real clock, or when the manual clock moves; and runs the chain's own work when a
// block opens.

import type { Clock, Timer } from "../../kernel/clock.ts";
import type { DevnetConfig } from "../config/config.ts";
import { UNWRITABLE } from "./admission/answer.ts";
import type { Block } from "./block.ts";
import type { BlockMaker } from "./block-maker.ts";
import { StoreError } from "./log/disk.ts";
import type { Journal } from "./log/journal.ts";
import type { ChainReads } from "./reads.ts";
import type { Crowd, CrowdAction, PrintSource } from "./sources.ts";
import type { ChainState } from "./state.ts";

export type Pace = {
  /**
   * Manual clock only: makes one block, `ms` after the last; `fill` executes the waiting transactions. Throws RangeError otherwise,
   * StoreError if the disk fails.
   */
  readonly advance: (ms: number, fill: () => void) => Block;
  /**
   * Finishes a block that a crash left open. Real clock: then opens a block, and every blockTimeMs finishes it and opens the next. While
   * the disk fails, no block is made.
   */
  readonly start: () => void;
  /** Finishes the open block as the last one. If the disk fails, it stays open. */
  readonly stop: () => void;
};

export type PaceModules = {
  readonly clock: Clock;
  readonly state: ChainState;
  readonly maker: BlockMaker;
  readonly reads: ChainReads;
  readonly prints: PrintSource;
  readonly crowd?: Crowd;
  readonly journal: Journal;
  readonly publishBlock: (block: Block) => void;
};

export function createPace(config: Pick<DevnetConfig, "clock" | "blockTimeMs">, modules: PaceModules): Pace {
  const { clock, state, maker, reads, prints, crowd, journal, publishBlock } = modules;
  let timer: Timer | undefined;

  /** Opens a block: prints first, then the engine's timed work, then the crowd. Returns false if the disk fails. */
  function begin(timeMs: number): boolean {
    const { height } = maker.now();
    const logicalMs = height * config.blockTimeMs;
    const due = prints
      .printsDue(height, logicalMs)
      .map(({ marketId, price, validForMs }) => ({ marketId, price, validUntilMs: timeMs + validForMs }));
    const step = { kind: "begin", height, timeMs, parentHash: maker.head().hash, prints: due } as const;
    if (!journal.take(() => step, [() => maker.begin(timeMs, due)])) return false;
    const actions = crowd?.act(height, logicalMs, reads) ?? [];
    if (actions.length > 0) journal.take(() => ({ kind: "crowd", actions }), actions.map(actOfCrowd));
    return true;
  }

  const actOfCrowd = (action: CrowdAction) => (): void => {
    const account = state.registry.account(action.accountId);
    if (account !== undefined) maker.crowd(account, action.transaction);
  };

  /** The wall clock, but never earlier than the last block. */
  const beginNow = () => begin(Math.max(clock.wallMs(), maker.now().timeMs));

  /** Returns false if the disk fails; the block then stays open. */
  function finish(): boolean {
    if (!maker.isOpen()) return true;
    if (!journal.take(() => ({ kind: "end" }), [() => publishBlock(maker.finish())])) return false;
    journal.blockEnded();
    return true;
  }

  return {
    advance(ms, fill) {
      if (config.clock.mode === "real") throw new RangeError("this chain follows the real clock");
      if (!Number.isSafeInteger(ms) || ms < 0) {
        throw new RangeError(`time advances by whole milliseconds from 0, got ${ms}`);
      }
      const begun = finish() && begin(maker.now().timeMs + ms);
      fill();
      if (!begun || !finish()) throw new StoreError("unusable", UNWRITABLE);
      return maker.head();
    },
    start() {
      if (timer !== undefined) return;
      const isFinished = finish();
      if (config.clock.mode === "manual") return;
      if (isFinished) beginNow();
      timer = clock.every(config.blockTimeMs, () => {
        if (finish()) beginNow();
      });
    },
    stop() {
      timer?.cancel();
      finish();
    },
  };
}
