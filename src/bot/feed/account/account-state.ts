// What the bot believes of one account: its orders with every doubt about them, positions, money, and what was already booked.

import type { Account, RateLimit } from "../../../domain/account.ts";
import type { KnownOrder, TimeInForce, TrackedOrder } from "../../../domain/order.ts";
import {
  type AccountId,
  type MarketId,
  type Nonce,
  type OrderId,
  type Price,
  type Side,
  type Size,
  size,
  type Usdc,
} from "../../../domain/units.ts";
import type { Held } from "../held.ts";
import { createRemembered, type Remembered } from "../orders/remembered.ts";

/** A modify whose answer is not here. `level`: of the quote that the order stands for once it has landed. */
export type PendingModify = { readonly price: Price; readonly size: Size; readonly level: number | null };

/** One of the account's orders that may be live. */
export type OrderEntry = {
  order: TrackedOrder;
  /** Sum of the fills booked for it, and at adoption what was filled before. */
  filled: Size;
  readonly timeInForce: TimeInForce;
  /** `foreign`: none of our transactions could have made it. `suspected`: so it seems, seen once. */
  origin: "ours" | "suspected" | "foreign";
  /** Its exchange id was inferred from side, price and size, not told by its own transaction's answer. */
  guessed: boolean;
  /** Unanswered modifies by nonce. */
  readonly modifies: Map<Nonce, PendingModify>;
  cancelsInFlight: number;
  /** An answer said that it was canceled, but fills from before may still be on their way over the stream: it counts until that caught up. */
  retired: { readonly sinceMs: number; readonly reason: string } | null;
  /** Orders that are heard of earlier than this are not this one. */
  sentMs: number;
  /** Any change, by us or the exchange: a read asked before it does not judge the order. */
  changedMs: number;
};

export type CancelSource = "frame" | "answer";

/** What is known of an order id that no answer has named yet: frames may come before the answer. */
export type EarlyFacts = {
  readonly marketId: MarketId;
  /** Null when only a cancel was heard of. */
  side: Side | null;
  readonly sinceMs: number;
  /** From orderPlaced; null when it was not heard of. */
  placed: { readonly price: Price; readonly size: Size } | null;
  filled: Size;
  /** Told by a frame, which comes after all fills, or by an answer, which may come before them. */
  canceled: { readonly by: CancelSource; readonly reason: string } | null;
  /** Told as foreign already. */
  reported: boolean;
};

/** What is left of an order whose transaction landed and whose answer was lost. */
export type Ghost = Pick<OrderEntry, "order" | "sentMs"> & { readonly settledMs: number };

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
  /** When a read was last wished for; null: never. */
  suspectedMs: number | null;
};

export type AccountState = {
  readonly accountId: AccountId;
  agentPubkey: string;
  read: Held<Account> | null;
  rateLimit: Held<RateLimit> | null;
  readonly orders: Set<OrderEntry>;
  /** Of places and modifies. */
  readonly byNonce: Map<Nonce, OrderEntry>;
  readonly byId: Map<OrderId, OrderEntry>;
  /** What each unanswered CancelAllOrders set canceling. */
  readonly cancelAlls: Map<Nonce, readonly OrderEntry[]>;
  readonly early: Map<OrderId, EarlyFacts>;
  /** Orders that landed under an id that nobody ever told: an id that shows up later may be theirs. */
  ghosts: readonly Ghost[];
  /** Every order id that was ever ours, and when it ended, monotonic ms; null while it lives. */
  readonly own: Remembered<OrderId, OwnOrder>;
  /** Keys of booked fills; true once the fee is known. */
  readonly booked: Remembered<string, boolean>;
  /** Public trades of our orders that the fills channel has not told: key to when heard. */
  readonly owed: Map<string, OwedFill>;
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
  /** Last fill of any market and last liquidation, monotonic ms; null: none yet. */
  filledMs: number | null;
  liquidatedMs: number | null;
  /** Orders of a market as views show them; dropped at each change. */
  readonly shown: Map<MarketId, readonly TrackedOrder[]>;
};

export type OwedFill = { readonly marketId: MarketId; readonly orderId: OrderId; readonly sinceMs: number };

export type OwnOrder = { readonly marketId: MarketId; readonly side: Side; readonly endedMs: number | null };

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
const OWN_ORDERS_MAX = 20_000;
const BOOKED_FILLS_MAX = 20_000;

export function createAccountState(options: AccountOptions): AccountState {
  return {
    accountId: options.accountId,
    agentPubkey: options.agentPubkey,
    read: null,
    rateLimit: null,
    orders: new Set(),
    byNonce: new Map(),
    byId: new Map(),
    cancelAlls: new Map(),
    early: new Map(),
    ghosts: [],
    own: createRemembered<OrderId, OwnOrder>(
      OWN_ORDERS_MAX,
      options.knownOrders.map(({ orderId, marketId, side }) => [orderId, { marketId, side, endedMs: null }]),
    ),
    booked: createRemembered<string, boolean>(
      BOOKED_FILLS_MAX,
      options.knownFillKeys.map((key) => [key, true]),
    ),
    owed: new Map(),
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
    liquidatedMs: null,
    shown: new Map(),
  };
}

/** Orders that nobody told of are ours from now on: what is found resting or filled of these is no stranger's. */
export function adoptOrders(account: AccountState, orders: readonly Omit<KnownOrder, "accountId">[]): void {
  for (const { orderId, marketId, side } of orders) account.own.set(orderId, { marketId, side, endedMs: null });
}
