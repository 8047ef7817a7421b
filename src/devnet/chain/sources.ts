// Sources that act on the chain without a transaction, by block number: index prints and synthetic counterparties. Both may depend only on
// seed, height, reads at that height and their memory of the chain's events, so that a chain resumed from disk continues as if it had never
// stopped.

import type { AccountId, MarketId, Price } from "../../domain/units.ts";
import type { Transaction } from "../../wire/transaction.ts";
import type { AccountConfig } from "../config/config.ts";
import type { ChainIndex } from "./chain-index.ts";
import type { ChainReads } from "./reads.ts";

/** One index price to publish. It is valid until block time plus `validForMs`. */
export type DuePrint = { readonly marketId: MarketId; readonly price: Price; readonly validForMs: number };

export type PrintSource = {
  /**
   * Prints to publish when block `height` opens; at height 0, genesis, every market must get its first print. `logicalMs` = height x
   * blockTimeMs.
   */
  readonly printsDue: (height: number, logicalMs: number) => readonly DuePrint[];
};

/** An action of a crowd account: executed like a transaction of its owner, without envelope, nonce or signature. */
export type CrowdAction = { readonly accountId: AccountId; readonly transaction: Transaction };

export type Crowd = {
  /** Created at genesis with the configured accounts. */
  readonly accounts: readonly AccountConfig[];
  /** Its memory of the chain's events, if it has any. */
  readonly memory?: ChainIndex;
  /**
   * Called once when block `height` opens, after its prints and the engine's own work. The actions execute in this order, before any
   * user's.
   */
  readonly act: (height: number, logicalMs: number, reads: ChainReads) => readonly CrowdAction[];
};
