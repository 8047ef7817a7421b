// A block of the chain as the explorer shows it, on its channel and over HTTP.

import type { Block as ExplorerBlock } from "../../../domain/block.ts";
import type { Block } from "../../chain/block.ts";

/** The one proposer of a devnet. The interface shows the field, not its content. */
const PROPOSER = "devnet";

/** With all of its transactions. */
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
