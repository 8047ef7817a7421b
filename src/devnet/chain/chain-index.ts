// An index that reads need over the chain's events: not part of the state, but saved with its snapshots, so that a chain resumed from disk
// serves the same history.

import type { Block } from "./block.ts";
import type { EventBatch } from "./block-maker.ts";

export type ChainIndex = {
  /** Key of its part of a snapshot. */
  readonly name: string;
  /** Takes the events of a transaction or of the chain itself, live or replayed. */
  readonly add: (batch: EventBatch) => void;
  /** Takes a finished block, live or replayed; optional. */
  readonly addBlock?: (block: Block) => void;
  readonly save: () => string;
  /** Replaces the content with what `save` returned. */
  readonly load: (text: string) => void;
};
