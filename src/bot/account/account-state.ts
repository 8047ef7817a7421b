// What the bot believes: of the exchange, and of each account its orders, the book of its positions and money, what reads made doubtful, and
// what of it is being resynchronized. `fold` is the only writer; everybody else reads through views.

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

/** When a position was last taken from the exchange: what was over by then is in it. */
export type Adoption = {
  /** When the reads that agreed were asked, monotonic ms. */
  readonly askedMs: number;
  /** The fills of anybody that the list of trades named then (`fillKey`). */
  readonly fillKeys: ReadonlySet<string>;
};

/** What this run knows of a position beside its size. */
export type PositionState = {
  adoption: Adoption;
  readonly held: HeldStates<Size>;
  /** Largest magnitude since collateral last agreed: what a funding settlement may have been computed on. */
  peak: Size;
};

/** What may explain a difference between read and expected collateral; counts since they last agreed. */
export type CollateralState = {
  /** Fills, each of which the exchange rounded. */
  fillCount: number;
  /** When the newest of them was booked, monotonic ms; minus infinity: none was. */
  filledMs: number;
  /** Settlements accounted for, by market, Unix seconds. */
  readonly settledSec: Map<MarketId, number>;
  /** The index of each market when they were. */
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

/** `amounts`: by how much the read differs from each state that it may have shown. */
export type CollateralWitness = { readonly read: CollateralRead; readonly amounts: readonly Usdc[] };

export type ReconcileState = {
  /** Reads that said nothing new, and adoptions. */
  rounds: number;
  /** When the last of them was asked; null: none yet. */
  agreedMs: number | null;
  agreedEpoch: number;
  /** When a read was last asked for by an event; null: never. */
  unconfirmedMs: number | null;
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
  /** Its orders rest in no real book. */
  readonly isPaper: boolean;
  agentPubkey: string;
  /** The exchange's answer since the start, Unix ms; null: none yet. Another value belongs to another chain. */
  createdAtMs: number | null;
  /** Reads in a row that told another one. */
  otherChainReads: number;
  read: Held<Account> | null;
  rateLimit: Held<RateLimit> | null;
  readonly orders: OrderTracker;
  readonly queues: QueuePlaces;
  /** Positions and money. */
  readonly book: AccountBook;
  readonly sums: AccountSums;
  /** When the account was first adopted in this run, monotonic ms; null: not yet. It says of every market that it does not list that it is flat. */
  adoptedMs: number | null;
  /** Positions that were adopted, or moved by a fill, in this run. */
  readonly positions: Map<MarketId, PositionState>;
  readonly doubts: Doubts;
  readonly resyncs: Resyncs;
  readonly collateral: CollateralState;
  readonly reconcile: ReconcileState;
  /** Fees that the schedule does not say, a market and liquidity each. */
  readonly paidFees: Map<string, PaidFee>;
};

export type AccountOptions = {
  readonly accountId: AccountId;
  /** Of an account on paper; null or absent: its orders rest in the book. */
  readonly queueModel?: QueueModel | null;
  /** Public key of our agent, 64 lowercase hex characters. */
  readonly agentPubkey: string;
  /** Orders of earlier runs: what is found resting or filled of these is ours. */
  readonly knownOrders: readonly OrderId[];
  /** Nodes of the fleet that held the account, and of whose transactions some may still land. */
  readonly earlierHolders?: readonly EarlierHolder[];
  /** Of earlier runs; empty at first. */
  readonly book: AccountBook;
  /** When the account was created, as the ledger knows it, Unix ms; null or absent: it does not. */
  readonly createdAtMs?: number | null;
  /** Up to where the book of earlier runs has each market's funding, as far as they left it. */
  readonly funded?: ReadonlyMap<MarketId, FundedTo>;
  /** The exchange's dialect, from the configuration or earlier runs. */
  readonly dialect?: Dialect;
};

/** What is known of the exchange, which all accounts share, and the accounts that we run. */
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

/** Our agent key on the account is another one from now on: 64 lowercase hex characters. */
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
