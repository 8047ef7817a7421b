// What acts on the chain without a transaction, by block number: index prints and synthetic counterparties. Both must follow
// only from seed, height, what they can read at that height and what they remember of the chain's events, so that a chain resumed from
// disk continues as if it had never stopped.

import type { AccountId, MarketId, Price } from "../../domain/units.ts";
import type { Transaction } from "../../wire/transaction.ts";
import type { AccountConfig } from "../config/config.ts";
import type { ChainIndex } from "./chain-index.ts";
import type { ChainReads } from "./reads.ts";

/** One publication of an index price. It is valid until block time plus `validForMs`. */
export type DuePrint = { readonly marketId: MarketId; readonly price: Price; readonly validForMs: number };

export type PrintSource = {
  /**
   * Prints to publish as block `height` opens; height 0 is genesis, where every market must get its first. `logicalMs` = height x
   * blockTimeMs.
   */
  readonly printsDue: (height: number, logicalMs: number) => readonly DuePrint[];
};

/** What a crowd account does: executed like a transaction of its owner, without envelope, nonce or signature. */
export type CrowdAction = { readonly accountId: AccountId; readonly transaction: Transaction };

export type Crowd = {
  /** Created at genesis beside the configured accounts. */
  readonly accounts: readonly AccountConfig[];
  /** What it has learned from the chain's events; left out where it learns nothing. */
  readonly memory?: ChainIndex;
  /** Called once as block `height` opens, after its prints and the engine's own work. Actions execute in this order, before any user's. */
  readonly act: (height: number, logicalMs: number, reads: ChainReads) => readonly CrowdAction[];
};
