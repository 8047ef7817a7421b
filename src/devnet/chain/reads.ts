// All reads of the chain (S4.1, S4.2): domain values of the current state, including transactions of the open block.

import type { Account, NodeStatus } from "../../domain/account.ts";
import type { Book } from "../../domain/book.ts";
import type { Trade } from "../../domain/fill.ts";
import type { FeeTier, Funding, Market, Oracle, OracleHistory } from "../../domain/market.ts";
import { type AccountId, type MarketId, type OrderId, type Price, type Size, usdc } from "../../domain/units.ts";
import type { RequestBudget } from "../../wire/rest/accounts.ts";
import type { InsuranceFund, TreasuryConfig } from "../../wire/rest/exchange.ts";
import type { OwnedAccount } from "../../wire/rest/owners.ts";
import type { AccountRow } from "../accounts/registry.ts";
import type { Block } from "./block.ts";
import type { OwnerReads } from "./owner-reads.ts";
import type { RecentBlocks } from "./recent-blocks.ts";
import type { RecentTrades } from "./recent-trades.ts";
import type { ChainState } from "./state.ts";

export type ChainReads = OwnerReads & {
  /** All markets with any status, ordered by id; the list of S4.1 shows only active ones. */
  readonly markets: () => readonly Market[];
  readonly market: (market: MarketId) => Market | undefined;
  /** Levels best first, at most `depth` per side (all if omitted). */
  readonly book: (market: MarketId, depth?: number) => Book | undefined;
  /** Contracts ahead of a resting order at its price; the interface has no such read. */
  readonly queueAhead: (order: OrderId) => Size | undefined;
  /** Valuation price of positions: the oracle price for RealEstate, else the mark price at the block's start. */
  readonly riskPrice: (market: MarketId) => Price | undefined;
  readonly funding: (market: MarketId) => Funding | undefined;
  /** Newest first, at most `count`; the chain keeps 500 per market. */
  readonly trades: (market: MarketId, count: number) => readonly Trade[] | undefined;
  readonly oracle: (market: MarketId) => Oracle | undefined;
  readonly oracleHistory: (market: MarketId) => OracleHistory | undefined;
  readonly feeTiers: () => readonly FeeTier[];
  readonly treasury: () => TreasuryConfig;
  readonly insuranceFund: () => InsuranceFund;
  readonly node: () => NodeStatus;
  /** A finished block; undefined if it is not made yet, or no longer kept. */
  readonly block: (height: number) => Block | undefined;
  /** Newest first, at most `count`. */
  readonly blocks: (count: number) => readonly Block[];
  readonly account: (account: AccountId) => Account | undefined;
  /** The personal account (master, not a vault) of an owner key: 64 lowercase hex characters. */
  readonly personalAccount: (owner: string) => Account | undefined;
  /** Owner of an account that exists or existed. */
  readonly ownerOf: (account: AccountId) => string | undefined;
  readonly ownerAccounts: (owner: string) => readonly OwnedAccount[];
  readonly rateLimit: (account: AccountId) => RequestBudget | undefined;
};

export type ReadsModules = {
  readonly state: ChainState;
  readonly trades: RecentTrades;
  readonly blocks: Pick<RecentBlocks, "at" | "newest">;
  readonly owners: OwnerReads;
  readonly head: () => Block;
  readonly chainId: string;
};

const PROTOCOL_VERSION = 1;
const BINARY_VERSION = 1;
const BUILD = "devnet";

export function createReads({ state, trades, blocks, owners, head, chainId }: ReadsModules): ChainReads {
  const { engine, registry, treasury } = state;
  const account = (id: AccountId): Account | undefined => {
    const row = registry.account(id);
    return row === undefined || row.state === "closed" ? undefined : accountOf(row, state);
  };
  return {
    ...owners,
    markets: () => engine.marketIds().flatMap((id) => engine.market(id) ?? []),
    market: (id) => engine.market(id),
    book: (id, depth) => engine.book(id, depth),
    queueAhead: (id) => engine.queueAhead(id),
    riskPrice: (id) => engine.riskPrice(id),
    funding: (id) => engine.funding(id),
    trades: (id, count) => (engine.market(id) === undefined ? undefined : trades.newest(id, count)),
    oracle: (id) => engine.oracle(id),
    oracleHistory: (id) => engine.oracleHistory(id),
    feeTiers: () => engine.feeTiers(),
    treasury: () => treasury,
    insuranceFund: () => engine.insuranceFund(),
    node: () => ({
      protocolVersion: PROTOCOL_VERSION,
      binaryVersion: BINARY_VERSION,
      buildSha: BUILD,
      blockHeight: head().height,
      blockTimestampSec: Math.floor(head().timeMs / 1000),
      stateRoot: head().stateRoot,
      chainId,
    }),
    block: blocks.at,
    blocks: blocks.newest,
    account,
    personalAccount(owner) {
      const row = registry.personal(owner);
      return row === undefined ? undefined : account(row.accountId);
    },
    ownerOf: (id) => registry.account(id)?.owner,
    ownerAccounts: (owner) => registry.ownedBy(owner).map(ownedAccountOf),
    rateLimit: (id) => (account(id) === undefined ? undefined : state.budget.rateLimit(id)),
  };
}

/** Trading data from the engine plus registry data; an account that awaits activation has no trading data yet. */
function accountOf(row: AccountRow, { engine, treasury }: ChainState): Account {
  const trading = engine.account(row.accountId);
  const pending = row.state === "pendingActivation";
  return {
    accountId: row.accountId,
    owner: row.owner,
    mode: row.mode,
    collateral: trading?.collateral ?? usdc(0n),
    availableCollateral: trading?.availableCollateral ?? usdc(0n),
    nativeBalance: row.native,
    positions: trading?.positions ?? [],
    openOrders: trading?.openOrders ?? [],
    unreadable: [],
    createdAtMs: row.createdAtMs,
    volume30d: trading?.volume30d ?? usdc(0n),
    feeTierVolume30d: trading?.feeTierVolume30d ?? usdc(0n),
    lifetimeVolume: trading?.lifetimeVolume ?? usdc(0n),
    pendingActivation: pending,
    pendingActivationFeeUsdc: pending ? treasury.accountActivationFee : null,
    agents: row.agents,
  };
}

const ownedAccountOf = (row: AccountRow): OwnedAccount => ({
  accountId: row.accountId,
  masterAccountId: row.masterAccountId,
  isVault: row.kind === "vault",
  pendingActivation: row.state === "pendingActivation",
});
