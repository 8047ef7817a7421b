// A block in the explorer's format, for its stream channel and for HTTP.

import type { Block as ExplorerBlock } from "../../../domain/block.ts";
import type { Block } from "../../chain/block.ts";

/** The devnet's only proposer. The interface shows the field, not its content. */
const PROPOSER = "devnet";

/** Includes all transactions of the block. */
export function explorerBlock(block: Block): ExplorerBlock {
  const { height, hash, parentHash, stateRoot, timeMs: timestampMs, transactions } = block;
  return {
    height,
    hash,
    parentHash,
    stateRoot,
    proposer: PROPOSER,
    timestampMs,
    transactionCount: transactions.length,
    transactions: transactions.map(({ hash, type: transactionType, signer: sender, status }, index) => ({
      hash,
      index,
      transactionType,
      sender,
      status,
      timestampMs,
    })),
  };
}
