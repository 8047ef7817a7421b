// A block: its input in order, and the hashes that identify it.

import type { AccountId, MarketId, Price } from "../../domain/units.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { encodeTransaction, type Transaction } from "../../wire/transaction.ts";
import { textOf } from "../accounts/table.ts";
import type { ControlAct } from "./control.ts";

/** Placeholder for a missing transaction hash; also the parent hash of block 0. */
export const NO_HASH: string = "0".repeat(64);

/** Transaction hash for what the exchange itself does in a block, without a user's transaction (S6.1 shows none). */
export const ownHashOf = (chainId: string, height: number): string => sha256Hex(`block ${chainId} ${height}`);

/** A finished block. Hashes are 64 lowercase hex characters. */
export type Block = {
  readonly height: number;
  readonly timeMs: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly transactionsHash: string;
  readonly stateRoot: string;
  /** Only users' transactions, in the order of execution. */
  readonly transactions: readonly BlockTransaction[];
};

export type BlockTransaction = {
  readonly hash: string;
  /** The variant's name, for example PlaceOrder. */
  readonly type: string;
  /** Public key of the signer, 64 lowercase hex characters. */
  readonly signer: string;
  readonly status: "success" | "failed";
};

export type Print = { readonly marketId: MarketId; readonly price: Price; readonly validUntilMs: number };

/** Executed after the block opened, in order. Refused acts of crowd and operator are left out, because they changed nothing. */
export type Entry =
  | { readonly kind: "control"; readonly act: ControlAct }
  | { readonly kind: "crowd"; readonly accountId: AccountId; readonly transaction: Transaction }
  | { readonly kind: "transaction"; readonly hash: string; readonly status: "success" | "failed" };

/** The whole input of a block. */
export type BlockInput = {
  /** Operator acts between the previous block and this one, at the previous block's time. */
  readonly before: readonly ControlAct[];
  readonly prints: readonly Print[];
  readonly entries: readonly Entry[];
};

/** Hash of the whole input. */
export function transactionsHashOf(input: BlockInput): string {
  const { before, prints, entries } = input;
  if (before.length + prints.length + entries.length === 0) return HASH_OF_NO_INPUT;
  return sha256Hex([...before.map(textOf), ...prints.map(textOf), ...entries.map(lineOf)].join("\n"));
}

const HASH_OF_NO_INPUT = sha256Hex("");

function lineOf(entry: Entry): string {
  switch (entry.kind) {
    case "transaction":
      return `transaction ${entry.hash} ${entry.status}`;
    case "crowd":
      return `crowd ${entry.accountId} ${encodeTransaction(entry.transaction)}`;
    case "control":
      return textOf(entry.act);
  }
}

/** Hashes height, time, parent, input and resulting state into the block's hash. */
export function sealBlock(of: Omit<Block, "hash">): Block {
  const { height, timeMs, parentHash, transactionsHash, stateRoot } = of;
  return { ...of, hash: sha256Hex(`${height} ${timeMs} ${parentHash} ${transactionsHash} ${stateRoot}`) };
}
