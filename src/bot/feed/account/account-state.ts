// What the bot believes of one account: the tracker of its orders, positions, money, and what was already booked.

import type { Account, RateLimit } from "../../../domain/account.ts";
import type { KnownOrder } from "../../../domain/order.ts";
import { type AccountId, type MarketId, type Price, type Size, size, type Usdc } from "../../../domain/units.ts";
import { type BoundedMap, createOldestOutMap } from "../../../kernel/bounded.ts";
import type { Held } from "../held.ts";
import { OrderTracker } from "../orders/tracker.ts";

export type PositionState = {
  /** Signed; long above zero. */
  inventory: Size;
  /** 0 when flat. */
  entryPrice: Price;
  /** Last fill that moved it, monotonic ms; null: none since we know it. */
  filledMs: number | null;
  /** Fills that moved it. */
  fillCount: number;
  /** Chain time of the read it was last taken from: trades from before are in it already. Null: no clock then. */
  basedAtChainMs: number | null;
  /** Largest magnitude since collateral last agreed: what a funding settlement may have been computed on. */
  peak: Size;
};

/** A difference with the exchange that may yet turn out to be a frame on its way. */
export type Question = {
  readonly sinceMs: number;
  /** Trades that were read before this time were not searched for all that may explain it. */
  readonly searchAfterMs: number;
  /** Reads that found it while nothing of ours could be the reason. */
  readonly rounds: number;
};

/** A question about an order or a position. */
export type Doubt = Question & {
  /** What exactly differs: the same words twice are no race. */
  readonly signature: string;
  readonly marketId: MarketId;
};

export type MoneyState = {
  /** What the collateral must be: last agreed, plus realized PnL minus fees of the fills since. Null before the first read. */
  collateral: Usdc | null;
  /** Fills since the last agreement whose fee nobody has told. */
  readonly unpriced: Map<string, UnpricedFill>;
  /** Postings since then that the exchange rounded. */
  postings: number;
  /** Settlements accounted for, by market, Unix seconds. */
  readonly settledSec: Map<MarketId, number>;
  /** Positions taken from the exchange since then without a fill that explains them. */
  adopted: MarketId | null;
  /** A difference that nothing explains; null: none. */
  unexplained: Question | null;
};

/** A fill whose fee nobody told: what it should have done to collateral, and its notional. */
export type UnpricedFill = { readonly marketId: MarketId; readonly estimate: Usdc; readonly notional: Usdc };

export type ReconcileState = {
  /** Reads that agreed. */
  rounds: number;
  /** When the last of them was asked; null: none yet. */
  agreedMs: number | null;
  agreedEpoch: number;
  /** Since when the exchange is known to say something else; null: nothing differs. */
  differsSinceMs: number | null;
  /** When a read was last asked for by an event; null: never. */
  suspectedMs: number | null;
};

export type AccountState = {
  readonly accountId: AccountId;
  agentPubkey: string;
  read: Held<Account> | null;
  rateLimit: Held<RateLimit> | null;
  readonly orders: OrderTracker;
  /** Keys of booked fills; true once the fee is known. */
  readonly booked: BoundedMap<string, boolean>;
  readonly positions: Map<MarketId, PositionState>;
  /**
   * By how much each position moved while nobody told us, signed, less the fills of that time that were found since. Before the
   * first read: less what the ledger knew.
   */
  readonly unseen: Map<MarketId, Size>;
  readonly money: MoneyState;
  readonly doubts: Map<string, Doubt>;
  readonly reconcile: ReconcileState;
  /** Chain time of the first read, which says of every market not listed that it is flat. Null: none yet, or no clock then. */
  basedAtChainMs: number | null;
  /** Last fill of any market, monotonic ms; null: none yet. */
  filledMs: number | null;
};

export type AccountOptions = {
  readonly accountId: AccountId;
  /** Public key of our agent, 64 lowercase hex characters. */
  readonly agentPubkey: string;
  /** Orders of earlier lives: what is found resting or filled of these is ours. */
  readonly knownOrders: readonly Omit<KnownOrder, "accountId">[];
  /** Keys of fills already booked, oldest first. */
  readonly knownFillKeys: readonly string[];
  /** Signed position of each market when the ledger last heard; where there is none nobody knows what was missed. */
  readonly knownInventory: ReadonlyMap<MarketId, Size>;
};

/** More than any list of recent trades reaches back; some megabytes at most. */
const BOOKED_FILLS_MAX = 20_000;

export function createAccountState(options: AccountOptions): AccountState {
  const booked = createOldestOutMap<string, boolean>(BOOKED_FILLS_MAX);
  for (const key of options.knownFillKeys) booked.set(key, true);
  return {
    accountId: options.accountId,
    agentPubkey: options.agentPubkey,
    read: null,
    rateLimit: null,
    orders: new OrderTracker(options.accountId, options.knownOrders),
    booked,
    positions: new Map(),
    unseen: new Map([...options.knownInventory].map(([marketId, known]) => [marketId, size(-known)])),
    money: {
      collateral: null,
      unpriced: new Map(),
      postings: 0,
      settledSec: new Map(),
      adopted: null,
      unexplained: null,
    },
    doubts: new Map(),
    reconcile: { rounds: 0, agreedMs: null, agreedEpoch: 0, differsSinceMs: null, suspectedMs: null },
    basedAtChainMs: null,
    filledMs: null,
  };
}
