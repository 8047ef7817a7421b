// What reads need of the chain's events: not part of the state, but kept with its snapshots, so that a chain
// resumed from disk serves the same history as before.

import type { Block } from "./block.ts";
import type { EventBatch } from "./block-maker.ts";

export type ChainIndex = {
  /** Names its part of a snapshot. */
  readonly name: string;
  /** Takes the events of a transaction or of the chain itself, live and replayed alike. */
  readonly add: (batch: EventBatch) => void;
  /** Takes a finished block, live and replayed alike; left out where blocks do not matter. */
  readonly addBlock?: (block: Block) => void;
  readonly save: () => string;
  /** Replaces what it has by what `save` gave. */
  readonly load: (text: string) => void;
};
