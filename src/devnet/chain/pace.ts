// When blocks are made: each blockTimeMs of the real clock, or when the manual clock moves. And what the chain does by
// itself as one opens.

import type { Clock, Timer } from "../../kernel/clock.ts";
import type { DevnetConfig } from "../config/config.ts";
import type { Block } from "./block.ts";
import type { BlockMaker } from "./block-maker.ts";
import { createListeners } from "./listeners.ts";
import type { Journal } from "./log/journal.ts";
import type { ChainReads } from "./reads.ts";
import type { Crowd, PrintSource } from "./sources.ts";
import type { ChainState } from "./state.ts";

export type Pace = {
  readonly onBlock: (listener: (block: Block) => void) => () => void;
  /** Manual clock only: makes one block, `ms` after the last; `fill` puts in what waits. Throws RangeError otherwise. */
  readonly advance: (ms: number, fill: () => void) => Block;
  /** Real clock: opens a block, then finishes it and opens the next every blockTimeMs. */
  readonly start: () => void;
  /** Finishes the open block; the last. */
  readonly stop: () => void;
};

export type PaceModules = {
  readonly clock: Clock;
  readonly state: ChainState;
  readonly maker: BlockMaker;
  readonly reads: ChainReads;
  readonly prints: PrintSource;
  readonly crowd?: Crowd;
  readonly journal: Journal | undefined;
};

export function createPace(config: Pick<DevnetConfig, "clock" | "blockTimeMs">, modules: PaceModules): Pace {
  const { clock, state, maker, reads, prints, crowd, journal } = modules;
  const listeners = createListeners<Block>();
  let timer: Timer | undefined;

  /** Prints first, then what the engine owes to time, then the crowd. */
  function begin(timeMs: number): void {
    const { height } = maker.now();
    const logicalMs = height * config.blockTimeMs;
    const due = prints.printsDue(height, logicalMs);
    maker.begin(
      timeMs,
      due.map(({ marketId, price, validForMs }) => ({ marketId, price, validUntilMs: timeMs + validForMs })),
    );
    for (const { accountId, transaction } of crowd?.act(height, logicalMs, reads) ?? []) {
      const account = state.registry.account(accountId);
      if (account !== undefined) maker.crowd(account, transaction);
    }
  }

  /** The wall clock, but never before the last block. */
  const beginNow = () => begin(Math.max(clock.wallMs(), maker.now().timeMs));

  function finish(): Block {
    const { block, input } = maker.finish();
    journal?.append(block, input);
    listeners.publish(block);
    return block;
  }

  return {
    onBlock: listeners.add,
    advance(ms, fill) {
      if (config.clock.mode === "real") throw new RangeError("this chain follows the real clock");
      if (!Number.isSafeInteger(ms) || ms < 0) {
        throw new RangeError(`time advances by whole milliseconds from 0, got ${ms}`);
      }
      begin(maker.now().timeMs + ms);
      fill();
      return finish();
    },
    start() {
      if (config.clock.mode === "manual" || timer !== undefined) return;
      beginNow();
      timer = clock.every(config.blockTimeMs, () => {
        finish();
        beginNow();
      });
    },
    stop() {
      timer?.cancel();
      if (maker.isOpen()) finish();
    },
  };
}
