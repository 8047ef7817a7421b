// A whole block of the explorer (S4.4 names such reads and shows none: path and fields are the devnet's).

import type { Block } from "../../domain/block.ts";
import type { Json } from "../../kernel/json.ts";
import { objectOf } from "../strict.ts";
import { integer, list, publicKey, text, timeMs } from "../tolerant.ts";

/** All transactions, unlike the explorer channel of the WebSocket. */
export function encodeBlock(block: Block): Json {
  return {
    height: block.height,
    hash: block.hash,
    parentHash: block.parentHash,
    stateRoot: block.stateRoot,
    proposer: block.proposer,
    timestamp: block.timestampMs,
    txCount: block.transactionCount,
    transactions: block.transactions.map((transaction) => ({
      hash: transaction.hash,
      txIndex: transaction.index,
      txType: transaction.transactionType,
      sender: transaction.sender,
      status: transaction.status,
      timestamp: transaction.timestampMs,
    })),
  };
}

/** Reads the explorer's block in either casing: the WebSocket says the same in snake_case. Throws WireError. */
export function decodeBlock(json: unknown): Block {
  const fields = objectOf(json, "");
  return {
    height: integer(fields, "height"),
    hash: text(fields, "hash"),
    parentHash: text(fields, ["parentHash", "parent_hash"]),
    stateRoot: text(fields, ["stateRoot", "state_root"]),
    proposer: text(fields, "proposer"),
    timestampMs: timeMs(fields, "timestamp"),
    transactionCount: integer(fields, ["txCount", "tx_count"]),
    transactions: list(fields, "transactions", (item) => {
      const transaction = objectOf(item, "");
      return {
        hash: text(transaction, "hash"),
        index: integer(transaction, ["txIndex", "tx_index"]),
        transactionType: text(transaction, ["txType", "tx_type"]),
        sender: publicKey(transaction, "sender"),
        status: text(transaction, "status"),
        timestampMs: timeMs(transaction, "timestamp"),
      };
    }),
  };
}
