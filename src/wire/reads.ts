// The reads of the interface (S4.1 to S4.4): the path of each, and how its answer is decoded. Those of S4.3 are on the REST host.

import type { NodeStatus, OpenOrders, Positions, RateLimit } from "../domain/account.ts";
import type { Block } from "../domain/block.ts";
import type { Book } from "../domain/book.ts";
import type { Trade } from "../domain/fill.ts";
import type { FeeTier, Funding, Market, Oracle, OracleHistory } from "../domain/market.ts";
import type { AccountId, MarketId, Usdc } from "../domain/units.ts";
import type { Kind } from "./description.ts";
import { WireError } from "./errors.ts";
import * as accounts from "./rest/accounts.ts";
import * as exchange from "./rest/exchange.ts";
import * as history from "./rest/history.ts";
import * as markets from "./rest/markets.ts";
import * as owners from "./rest/owners.ts";

/** One read. `decode` throws WireError. `kind`: a value written by it is what `decode` would make of its text. */
export type Read<T> = {
  readonly path: string;
  readonly decode: (json: unknown) => T;
  readonly kind?: Pick<Kind<T>, "read">;
};

/** A read whose answer is text of another kind. */
export type TextRead<T> = { readonly path: string; readonly decodeText: (text: string) => T };

const read = <T>(path: string, kind: Pick<Kind<T>, "read">): Read<T> => ({
  path,
  decode: (json) => kind.read(json),
  kind,
});

/** Refuses an answer about another market or account than the requested one. */
const about = <Key extends string, Id, T extends Readonly<Record<Key, Id>>>(
  path: string,
  key: Key,
  asked: Id,
  kind: Pick<Kind<T>, "read">,
): Read<T> => ({
  path,
  decode(json) {
    const answer = kind.read(json);
    if (answer[key] !== asked) throw new WireError("field_conflict", key, `must be ${asked}, which was asked for`);
    return answer;
  },
  kind,
});

/** S4.1. */
export const exchangeReads = {
  node: (): Read<NodeStatus> => read("/v1/node/info", exchange.node),
  /** Ids of the listed markets. */
  marketIds: (): Read<readonly MarketId[]> => ({ path: "/v1/markets", decode: markets.readMarketIds }),
  markets: (): Read<readonly Market[]> => read("/v1/markets", markets.markets),
  market: (id: MarketId): Read<Market> => about(`/v1/markets/${id}`, "marketId", id, markets.market),
  book: (id: MarketId): Read<Book> => about(`/v1/markets/${id}/orderbook`, "marketId", id, markets.book),
  funding: (id: MarketId): Read<Funding> => about(`/v1/markets/${id}/funding`, "marketId", id, markets.funding),
  /** Newest first. */
  trades: (id: MarketId): Read<readonly Trade[]> => ({
    path: `/v1/markets/${id}/trades`,
    decode: (json) => markets.readTrades(json, id),
  }),
  oracle: (id: MarketId): Read<Oracle> => about(`/v1/oracle/${id}`, "marketId", id, markets.oracle),
  /** Oldest first. */
  oracleHistory: (id: MarketId): Read<OracleHistory> =>
    about(`/v1/oracle/${id}/history`, "marketId", id, markets.oracleHistory),
  feeTiers: (): Read<readonly FeeTier[]> => read("/v1/fee-tiers", markets.feeTiers),
  /** All settings, under the devnet's names where the interface shows none. */
  treasury: (): Read<exchange.TreasuryConfig> => read("/v1/treasury-config", exchange.treasuryConfig),
  /** The only setting whose name the interface shows, in USDC base units. */
  activationFee: (): Read<Usdc> => ({
    path: "/v1/treasury-config",
    decode: (json) => exchange.activationFee.read(json).accountActivationFee,
  }),
  /** Null if the settings have no cap under a known name. */
  openOrderCap: (): Read<number | null> => ({ path: "/v1/treasury-config", decode: exchange.readOpenOrderCap }),
  insuranceFund: (): Read<exchange.InsuranceFund> => read("/v1/insurance-fund", exchange.insuranceFund),
  tokens: (): Read<exchange.TokenRegistry> => read("/v1/tokens", exchange.tokenRegistry),
  bridge: (): Read<exchange.BridgeState> => read("/v1/bridge/state", exchange.bridgeState),
  /** Amount that the bridge holds for a key, which may not have an account yet. */
  unclaimed: (owner: string): Read<exchange.BridgeOwner> =>
    read(`/v1/bridge/state?${new URLSearchParams({ owner })}`, exchange.bridgeOwner),
} as const;

const ofOwner = (owner: string, rest = ""): string => `/v1/accounts/by-owner/${encodeURIComponent(owner)}${rest}`;

/** S4.2. Owner keys are 64 hex characters, with or without 0x. */
export const accountReads = {
  /** A null list was absent: lists.ts reads it separately. */
  byId: (id: AccountId): Read<accounts.AccountItself> => about(`/v1/accounts/${id}`, "accountId", id, accounts.account),
  /** The key's personal account. */
  byOwner: (owner: string): Read<accounts.AccountItself> => read(ofOwner(owner), accounts.account),
  /** All accounts of the key; a personal one has `isVault` false. */
  ownedBy: (owner: string): Read<readonly owners.OwnedAccount[]> => read(ofOwner(owner, "/list"), owners.ownedAccounts),
  /** Only the ids from the asset summary. */
  ownedIds: (owner: string): Read<readonly AccountId[]> => read(ofOwner(owner, "/assets"), owners.ownedIds),
  assets: (owner: string): Read<owners.OwnerAssets> => read(ofOwner(owner, "/assets"), owners.ownerAssets),
  positions: (id: AccountId): Read<Positions> => ({
    path: `/v1/accounts/${id}/positions`,
    decode: (json) => accounts.readPositions(json, id),
  }),
  /** On the REST host the same path is the history of all orders (S4.3). */
  openOrders: (id: AccountId): Read<OpenOrders> => ({
    path: `/v1/accounts/${id}/orders`,
    decode: (json) => accounts.readOpenOrders(json, id),
  }),
  rateLimit: (id: AccountId): Read<RateLimit> => ({
    path: `/v1/accounts/${id}/rate-limit`,
    decode: accounts.readRateLimit,
  }),
  invites: (id: AccountId): Read<owners.InviteState> => read(`/v1/accounts/${id}/invites`, owners.invites),
} as const;

/** For the authenticated caller. */
export const transferReads = {
  /** `value`: a user's name, a public key (base58 or hex), or an account id. */
  recipient: (kind: owners.RecipientKind, value: string): Read<owners.Recipient> =>
    read(`/v1/transfers/recipient?${new URLSearchParams({ kind, value })}`, owners.recipient),
  /** Newest first, at most 50; null requests the first page, a page's `nextCursor` the next one. */
  history: (cursor: string | null = null): Read<owners.TransferPage> =>
    read(`/v1/transfers/history${cursor === null ? "" : `?${new URLSearchParams({ cursor })}`}`, owners.transferPage),
} as const;

/** Omitted members do not filter. Times are Unix ms, both bounds inclusive. */
export type HistoryFilter = {
  readonly limit?: number;
  readonly offset?: number;
  readonly startTimeMs?: number;
  readonly endTimeMs?: number;
  readonly marketId?: MarketId;
};

function filtered(id: AccountId, rows: string, filter: HistoryFilter): string {
  const { limit, offset, startTimeMs, endTimeMs, marketId } = filter;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ limit, offset, startTime: startTimeMs, endTime: endTimeMs, marketId }))
    if (value !== undefined) query.set(name, `${value}`);
  return `/v1/accounts/${id}/${rows}${query.size === 0 ? "" : `?${query}`}`;
}

/** S4.3: on the REST host, only for the caller's accounts. The index may be behind the validator. */
export const historyReads = {
  fills: (id: AccountId, filter: HistoryFilter = {}): Read<readonly history.FillRow[]> => ({
    path: filtered(id, "trades", filter),
    decode: (json) => history.readFillRows(json, id),
  }),
  /** Every order with its last status; on the validator the same path has only open orders (S4.2). */
  orders: (id: AccountId, filter: HistoryFilter = {}): Read<readonly history.OrderRow[]> => ({
    path: filtered(id, "orders", filter),
    decode: (json) => history.readOrderRows(json, id),
  }),
  funding: (id: AccountId, filter: HistoryFilter = {}): Read<readonly history.FundingRow[]> => ({
    path: filtered(id, "funding", filter),
    decode: (json) => history.readFundingRows(json, id),
  }),
  stats: (): Read<exchange.ExchangeStats> => read("/v1/stats", exchange.stats),
} as const;

/** All matching rows: the filter's page is ignored. */
export const fillsCsv = (id: AccountId, filter: HistoryFilter = {}): TextRead<readonly history.FillRow[]> => ({
  path: filtered(id, "trades/csv", filter),
  decodeText: (text) => history.readFillsCsv(text, id),
});

/** S4.4. */
export const stakingReads = {
  validators: (): Read<readonly exchange.StakeValidator[]> => read("/v1/staking/validators", exchange.stakeValidators),
  state: (): Read<exchange.StakingState> => read("/v1/staking/info", exchange.stakingInfo),
  balance: (owner: string): Read<owners.StakingBalance> =>
    read(`/v1/staking/balance/${encodeURIComponent(owner)}`, owners.stakingBalance),
  delegations: (owner: string): Read<readonly owners.Delegation[]> =>
    read(`/v1/staking/delegations/${encodeURIComponent(owner)}`, owners.delegations),
} as const;

/** The interface names no endpoint: paths and formats are the devnet's own. Another exchange answers 404. */
export const devnetReads = {
  /** Newest first. */
  blocks: (): Read<readonly Block[]> => read("/v1/explorer/blocks", exchange.blocks),
  block: (height: number): Read<Block> => read(`/v1/explorer/blocks/${height}`, exchange.markedBlock),
  vault: (id: AccountId): Read<owners.Vault> => read(`/v1/vaults/${id}`, owners.vault),
  withdrawals: (id: AccountId): Read<readonly owners.OpenWithdrawal[]> =>
    read(`/v1/accounts/${id}/withdrawals`, owners.withdrawals),
} as const;
