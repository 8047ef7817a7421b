// A block of the chain as the explorer shows it, on its channel and over HTTP.

import type { Block as ExplorerBlock } from "../../../domain/block.ts";
import type { Block } from "../../chain/block.ts";

/** The one proposer of a devnet. The interface shows the field, not its content. */
const PROPOSER = "devnet";

/** With only the first user's transaction, which is all that a block of the chain keeps (S6.2). */
export function explorerBlock(block: Block): ExplorerBlock {
  const { height, hash, parentHash, stateRoot, timeMs: timestampMs, transactionCount, firstTransaction: first } = block;
  const transaction = first && {
    hash: first.hash,
    index: 0,
    transactionType: first.type,
    sender: first.signer,
    status: first.status,
    timestampMs,
  };
  const transactions = transaction === null ? [] : [transaction];
  return { height, hash, parentHash, stateRoot, proposer: PROPOSER, timestampMs, transactionCount, transactions };
}
