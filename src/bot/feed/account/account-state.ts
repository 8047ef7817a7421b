// What the bot believes of one account: the tracker of its orders, the book of its positions and money, and what differs from the
// exchange.

import type { Account, RateLimit } from "../../../domain/account.ts";
import type { EarlierHolder } from "../../../domain/allowance.ts";
import type { Liquidity } from "../../../domain/fill.ts";
import type { AccountId, MarketId, Size, Usdc } from "../../../domain/units.ts";
import type { AccountBook } from "../../accounting/account-book.ts";
import type { Held } from "../held.ts";
import { type EarlierOrder, OrderTracker } from "../orders/tracker.ts";
import { AccountSums } from "./account-sums.ts";

/** What this life knows of a position beside its size: against which fills a read of it races. */
export type PositionRead = {
  /** Chain time when the read that it was last taken from was asked for: trades from before are in it already. Null: no clock then. */
  basedAtChainMs: number | null;
  /** How long that read was away, ms: it may have trades of that time. */
  readTookMs: number;
  /** Last fill that moved it, monotonic ms; null: none since we know it. */
  filledMs: number | null;
  /** When it was last taken or moved, monotonic ms: what is not proven to be newer does not refute it. */
  changedMs: number;
  /** Fills that moved it. */
  fillCount: number;
  /** Largest magnitude since collateral last agreed: what a funding settlement may have been computed on. */
  peak: Size;
};

/** A position that differs from the one our fills add up to, and that nothing has refuted yet. */
export type SeenPosition = {
  readonly inventory: Size;
  /** What fills have bought and sold since it was first read, each of which it may have shown already. */
  readonly bought: Size;
  readonly sold: Size;
  /** When it was last read, monotonic ms. */
  readonly receivedMs: number;
  /** What the account had traded by then; null for the ledger's position at the start, of which that is not known. */
  readonly lifetimeVolume: Usdc | null;
};

/** The volume that the account must have traded by our fills: what a read showed, and what was filled since. */
export type KnownVolume = {
  /** As it was read; null before the first read. */
  read: Usdc | null;
  /** Notional of fills since, and how many, each of which the exchange rounded. */
  filled: bigint;
  fillCount: number;
  /** When the last of them became known, monotonic ms; minus infinity: none did. A machine that slept cannot tell when it happened. */
  knownMs: number;
  /** The most that a read showed beyond them, and when it was first received, monotonic ms; null: none showed more. */
  lead: { readonly amount: bigint; readonly receivedMs: number } | null;
  /** What reads showed beyond the fills that we knew, until these become known. */
  unseen: bigint;
  /** When a read last showed such volume, monotonic ms; null: none has. */
  unseenMs: number | null;
  /** Notional of the ledger's last fills that the read may lack, the oldest first: a list for each time that it may be of. */
  lacked: readonly (readonly Usdc[])[];
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
  /** Since when something differs in its place, monotonic ms. */
  readonly firstMs: number;
  readonly marketId: MarketId;
};

/** What may explain that the collateral as read is not the one that the book expects; counts since they last agreed. */
export type CollateralState = {
  /** Fills since a read that agreed and proved to be newer than all of them, each of which the exchange rounded. */
  fillCount: number;
  /** Settlements accounted for, by market, Unix seconds. */
  readonly settledSec: Map<MarketId, number>;
  /** The index of each market when they were. */
  readonly fundingIndex: Map<MarketId, bigint>;
  /** Reads showed volume of fills that we do not know. */
  hasUnseenFills: boolean;
  /** Earlier amounts, before a change that no fill shows: a read from before that change may still show one, until `untilMs`, monotonic. */
  former: readonly { readonly amount: Usdc; readonly untilMs: number }[];
  /** A difference that nothing explains yet; null: none. */
  unattributed: (Question & { readonly amount: Usdc }) | null;
};

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

/** What the last fill of its kind cost that paid something else than the schedule says: whole basis points, and when, monotonic ms. */
export type PaidFee = {
  readonly marketId: MarketId;
  readonly liquidity: Liquidity;
  readonly feeBps: number;
  readonly atMs: number;
};

export type AccountState = {
  readonly accountId: AccountId;
  agentPubkey: string;
  /** As the exchange has told it since the start, Unix ms; null: not yet. Another one is another chain's. */
  createdAtMs: number | null;
  /** Reads in a row that told another one. */
  otherChainReads: number;
  read: Held<Account> | null;
  rateLimit: Held<RateLimit> | null;
  readonly orders: OrderTracker;
  /** Positions and money. */
  readonly book: AccountBook;
  readonly sums: AccountSums;
  /** Positions that were read, or moved by a fill, in this life. */
  readonly positionReads: Map<MarketId, PositionRead>;
  /** Positions that reads showed and that differ from what our fills add up to, until a newer read refutes them. */
  readonly seenPositions: Map<MarketId, readonly SeenPosition[]>;
  readonly collateral: CollateralState;
  readonly doubts: Map<string, Doubt>;
  readonly reconcile: ReconcileState;
  /** Chain time of the first read, which says of every market not listed that it is flat. Null: none yet, or no clock then. */
  basedAtChainMs: number | null;
  /** How long it was away, ms. */
  readTookMs: number;
  /** Last fill of any market, monotonic ms; null: none yet. */
  filledMs: number | null;
  /** When the newest order of ours that was filled was asked for, monotonic ms; minus infinity: none was. */
  filledOrderMs: number;
  readonly volume: KnownVolume;
  /** Fees that the schedule does not say, a market and liquidity each. */
  readonly paidFees: Map<string, PaidFee>;
};

export type AccountOptions = {
  readonly accountId: AccountId;
  /** Public key of our agent, 64 lowercase hex characters. */
  readonly agentPubkey: string;
  /** Orders of earlier lives: what is found resting or filled of these is ours. */
  readonly knownOrders: readonly EarlierOrder[];
  /** Nodes of the fleet that held the account, and of whose transactions some may still land. */
  readonly earlierHolders?: readonly EarlierHolder[];
  /** Of earlier lives; empty at first. */
  readonly book: AccountBook;
  /** When the account was created, as the ledger knows it, Unix ms; null or absent: it does not. */
  readonly createdAtMs?: number | null;
};

export const createAccountState = ({
  accountId,
  agentPubkey,
  knownOrders,
  earlierHolders = [],
  book,
  createdAtMs = null,
}: AccountOptions): AccountState => ({
  accountId,
  agentPubkey,
  createdAtMs,
  otherChainReads: 0,
  read: null,
  rateLimit: null,
  orders: new OrderTracker(accountId, knownOrders, earlierHolders),
  book,
  sums: new AccountSums(),
  positionReads: new Map(),
  seenPositions: new Map(),
  collateral: {
    fillCount: 0,
    settledSec: new Map(),
    fundingIndex: new Map(),
    hasUnseenFills: false,
    former: [],
    unattributed: null,
  },
  doubts: new Map(),
  reconcile: { rounds: 0, agreedMs: null, agreedEpoch: 0, differsSinceMs: null, suspectedMs: null },
  basedAtChainMs: null,
  readTookMs: 0,
  filledMs: null,
  filledOrderMs: Number.NEGATIVE_INFINITY,
  volume: {
    read: null,
    filled: 0n,
    fillCount: 0,
    knownMs: Number.NEGATIVE_INFINITY,
    lead: null,
    unseen: 0n,
    unseenMs: null,
    lacked: [],
  },
  paidFees: new Map(),
});
