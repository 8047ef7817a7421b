// The newest blocks, for the explorer.

import { parsedText, textOf } from "../accounts/table.ts";
import type { Block } from "./block.ts";
import type { ChainIndex } from "./chain-index.ts";

export type RecentBlocks = Required<ChainIndex> & {
  readonly at: (height: number) => Block | undefined;
  /** Newest first. */
  readonly newest: (count: number) => readonly Block[];
};

/** Blocks kept (about half an hour at five per second), and transactions in them. */
const BLOCKS_MAX = 10_000;
const TRANSACTIONS_MAX = 100_000;

/** Keeps blocks up to whichever limit is reached first, and always the last one. */
export function createRecentBlocks(): RecentBlocks {
  const blocks = new Map<number, Block>();
  let newest = -1;
  let transactions = 0;

  function addBlock(block: Block): void {
    blocks.set(block.height, block);
    newest = block.height;
    transactions += block.transactions.length;
    while (blocks.size > BLOCKS_MAX || (blocks.size > 1 && transactions > TRANSACTIONS_MAX)) {
      const oldest = newest - blocks.size + 1;
      transactions -= blocks.get(oldest)?.transactions.length ?? 0;
      blocks.delete(oldest);
    }
  }

  return {
    name: "recentBlocks",
    add: () => undefined,
    addBlock,
    at: (height) => blocks.get(height),
    newest: (count) => Array.from({ length: count }, (_, at) => blocks.get(newest - at) ?? []).flat(),
    save: () => textOf([...blocks.values()]),
    load(text) {
      blocks.clear();
      transactions = 0;
      for (const block of parsedText(text) as Block[]) addBlock(block);
    },
  };
}
