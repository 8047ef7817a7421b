// The bot's state: of the exchange, and of each account its orders, positions, money, doubts and resyncs. Only `fold` writes it; everybody
// else reads through views.

import type { Account, RateLimit } from "../../domain/account.ts";
import type { EarlierHolder } from "../../domain/allowance.ts";
import { type Dialect, unknownDialect } from "../../domain/dialect.ts";
import type { Liquidity } from "../../domain/fill.ts";
import type { FundedTo } from "../../domain/market.ts";
import type { QueueModel } from "../../domain/queue.ts";
import type { AccountId, MarketId, OrderId, Size, Usdc } from "../../domain/units.ts";
import type { AccountBook } from "../accounting/account-book.ts";
import { createExchangeState, type ExchangeState, type Held } from "../market/state.ts";
import { AccountSums } from "./account-sums.ts";
import { type CollateralRead, CollateralStates } from "./collateral-states.ts";
import { Doubts } from "./doubts.ts";
import { HeldStates } from "./evidence.ts";
import { OrderTracker, QueuePlaces } from "./orders/orders.ts";
import type { Resyncs } from "./resync-reasons.ts";

/** When a position was last taken from the exchange: it includes fills of all orders that were over by then. */
export type Adoption = {
  /** When the reads that agreed were asked, monotonic ms. */
  readonly askedMs: number;
  /** All fills in the list of trades at that time (`fillKey`). */
  readonly fillKeys: ReadonlySet<string>;
};

/** What this run knows of a position beside its size. */
export type PositionState = {
  adoption: Adoption;
  readonly held: HeldStates<Size>;
  /** Largest magnitude since collateral last agreed: the size that a funding settlement may have used. */
  peak: Size;
};

/** What may explain a difference between read and expected collateral; counts since they last agreed. */
export type CollateralState = {
  /** Fills, each of which the exchange rounded. */
  fillCount: number;
  /** When the newest fill was booked, monotonic ms; minus infinity: none. */
  filledMs: number;
  /** Settlements accounted for, by market, Unix seconds. */
  readonly settledSec: Map<MarketId, number>;
  /** The index of each market at that time. */
  readonly fundingIndex: Map<MarketId, bigint>;
  /** What the book expected over the last seconds. */
  readonly states: CollateralStates;
  /** A difference between reads and book without an explanation yet; null: none. */
  unexplained: Unexplained | null;
};

/** `amount`: by the newest read. `sinceMs`: when the first read that shows it arrived, monotonic. */
export type Unexplained = {
  readonly amount: Usdc;
  readonly sinceMs: number;
  /** Reads whose fills may not have arrived yet, oldest first. */
  readonly waiting: readonly CollateralRead[];
  /** Reads that agree, oldest first. */
  readonly agreeing: readonly CollateralWitness[];
};

/** `amounts`: differences of the read from each state that it may have shown. */
export type CollateralWitness = { readonly read: CollateralRead; readonly amounts: readonly Usdc[] };

export type ReconcileState = {
  /** Reads that said nothing new, and adoptions. */
  rounds: number;
  /** When the last of them was asked; null: none yet. */
  agreedMs: number | null;
  agreedEpoch: number;
  /** When an event last asked for a read; null: never. */
  unconfirmedMs: number | null;
};

/** The cost of the last fill of its kind that did not pay the scheduled fee: whole basis points, and when, monotonic ms. */
export type PaidFee = {
  readonly marketId: MarketId;
  readonly liquidity: Liquidity;
  readonly feeBps: number;
  readonly atMs: number;
};

export type AccountState = {
  readonly accountId: AccountId;
  /** On paper: its orders rest in no real book. */
  readonly isPaper: boolean;
  agentPubkey: string;
  /** The exchange's answer since the start, Unix ms; null: none yet. Another value belongs to another chain. */
  createdAtMs: number | null;
  /** Reads in a row that showed another value. */
  otherChainReads: number;
  read: Held<Account> | null;
  rateLimit: Held<RateLimit> | null;
  readonly orders: OrderTracker;
  readonly queues: QueuePlaces;
  /** Positions and money. */
  readonly book: AccountBook;
  readonly sums: AccountSums;
  /** When the account was first adopted in this run, monotonic ms; null: not yet. Adoption means that every unlisted market is flat. */
  adoptedMs: number | null;
  /** Positions that were adopted, or moved by a fill, in this run. */
  readonly positions: Map<MarketId, PositionState>;
  readonly doubts: Doubts;
  readonly resyncs: Resyncs;
  readonly collateral: CollateralState;
  readonly reconcile: ReconcileState;
  /** Fees that differ from the schedule, by market and liquidity. */
  readonly paidFees: Map<string, PaidFee>;
};

export type AccountOptions = {
  readonly accountId: AccountId;
  /** For an account on paper; null or absent: its orders rest in the book. */
  readonly queueModel?: QueueModel | null;
  /** Public key of our agent, 64 lowercase hex characters. */
  readonly agentPubkey: string;
  /** Orders of earlier runs: those found resting or filled are ours. */
  readonly knownOrders: readonly OrderId[];
  /** Fleet nodes that held the account and whose transactions may still land. */
  readonly earlierHolders?: readonly EarlierHolder[];
  /** From earlier runs; empty at first. */
  readonly book: AccountBook;
  /** When the account was created, by the ledger, Unix ms; null or absent: unknown. */
  readonly createdAtMs?: number | null;
  /** Until when the book of earlier runs has each market's funding, where recorded. */
  readonly funded?: ReadonlyMap<MarketId, FundedTo>;
  /** The exchange's dialect, from the configuration or earlier runs. */
  readonly dialect?: Dialect;
};

/** State of the exchange, shared by all accounts, and the accounts that we run. */
export type BotState = ExchangeState & { readonly accounts: Map<AccountId, AccountState> };

export type BotStateOptions = {
  readonly markets: readonly MarketId[];
  readonly accounts: readonly AccountOptions[];
  /** `venue.readLagMaxMs`. */
  readonly readLagMaxMs: number;
};

export function createBotState({ markets, accounts, readLagMaxMs }: BotStateOptions): BotState {
  const exchange = createExchangeState(markets, readLagMaxMs);
  const states = accounts.map((account) => createAccountState(account, readLagMaxMs));
  return { ...exchange, accounts: new Map(states.map((state) => [state.accountId, state])) };
}

/** Replaces our agent key on the account: 64 lowercase hex characters. */
export function rekey({ accounts }: BotState, accountId: AccountId, agentPubkey: string): void {
  const account = accounts.get(accountId);
  if (account !== undefined) account.agentPubkey = agentPubkey;
}

export const createAccountState = (
  {
    accountId,
    queueModel = null,
    agentPubkey,
    knownOrders,
    earlierHolders = [],
    book,
    createdAtMs = null,
    funded = new Map(),
    dialect = unknownDialect,
  }: AccountOptions,
  readLagMaxMs: number,
): AccountState => ({
  accountId,
  isPaper: queueModel !== null,
  agentPubkey,
  createdAtMs,
  otherChainReads: 0,
  read: null,
  rateLimit: null,
  orders: new OrderTracker({ accountId, readLagMaxMs, knownOrders, earlierHolders, dialect }),
  queues: new QueuePlaces(queueModel),
  book,
  sums: new AccountSums(),
  adoptedMs: null,
  positions: new Map(),
  doubts: new Doubts(),
  resyncs: new Map([[null, { reason: "start", sinceMs: Number.NEGATIVE_INFINITY }]]),
  collateral: {
    fillCount: 0,
    filledMs: Number.NEGATIVE_INFINITY,
    settledSec: new Map(Array.from(funded, ([marketId, { sec }]) => [marketId, sec])),
    fundingIndex: new Map(Array.from(funded, ([marketId, { index }]) => [marketId, index])),
    states: new CollateralStates(readLagMaxMs),
    unexplained: null,
  },
  reconcile: { rounds: 0, agreedMs: null, agreedEpoch: 0, unconfirmedMs: null },
  paidFees: new Map(),
});

export const newPosition = (adoption: Adoption, peak: Size): PositionState => ({
  adoption,
  held: new HeldStates(),
  peak,
});
