// Every read of the interface as one table: values of its type, how the devnet writes them, how a client reads them.

import fc from "fast-check";
import type { z } from "zod";
import { accountId } from "../../../src/domain/units.ts";
import { type Json, parseJson, stringifyJson } from "../../../src/kernel/json.ts";
import { decodeAccount, encodeAccount } from "../../../src/wire/rest/account.ts";
import { decodeBlock, encodeBlock } from "../../../src/wire/rest/block.ts";
import { decodeBook, encodeBook } from "../../../src/wire/rest/book.ts";
import {
  encodeBridgeState,
  encodeInsuranceFund,
  encodeStats,
  encodeTreasuryConfig,
} from "../../../src/wire/rest/exchange.ts";
import { decodeFeeTiers, encodeFeeTiers } from "../../../src/wire/rest/fee-tiers.ts";
import { decodeFunding, encodeFunding } from "../../../src/wire/rest/funding.ts";
import * as history from "../../../src/wire/rest/history.ts";
import { decodeMarket, encodeMarket } from "../../../src/wire/rest/market.ts";
import { decodeNodeStatus, encodeNodeStatus } from "../../../src/wire/rest/node.ts";
import { decodeOracle, encodeOracle, encodeOracleHistory } from "../../../src/wire/rest/oracle.ts";
import { encodeOrder } from "../../../src/wire/rest/order.ts";
import {
  encodeInviteState,
  encodeOwnedAccounts,
  encodeOwnerAssets,
  encodeRecipient,
  encodeTransferPage,
  encodeVault,
} from "../../../src/wire/rest/owner.ts";
import { encodePosition } from "../../../src/wire/rest/position.ts";
import { decodeRateLimit } from "../../../src/wire/rest/rate-limit.ts";
import * as staking from "../../../src/wire/rest/staking.ts";
import { decodeTrades, encodeTrades } from "../../../src/wire/rest/trades.ts";
import * as accounts from "../../../src/wire/shapes/accounts.ts";
import * as exchange from "../../../src/wire/shapes/exchange.ts";
import * as rows from "../../../src/wire/shapes/history.ts";
import * as markets from "../../../src/wire/shapes/markets.ts";
import { transaction } from "../../../src/wire/shapes/transactions.ts";
import { decodeTransaction, encodeTransaction } from "../../../src/wire/transaction.ts";
import {
  decodeBridgeState,
  decodeInsuranceFund,
  decodeOracleHistory,
  decodeStats,
  decodeTokenRegistry,
  decodeTreasuryConfig,
} from "../../interface/client/decode/exchange.ts";
import * as historyReads from "../../interface/client/decode/history.ts";
import {
  decodeInviteState,
  decodeOrders,
  decodeOwnedAccounts,
  decodeOwnerAssets,
  decodePositions,
  decodeRecipient,
  decodeTransferPage,
  decodeVault,
} from "../../interface/client/decode/owner.ts";
import * as stakingReads from "../../interface/client/decode/staking.ts";
import * as arbitrary from "./arbitraries.ts";

export type Shape = {
  readonly name: string;
  /** Pairs of a value and what stands on the wire for it, as a client parses it. */
  readonly samples: fc.Arbitrary<{ readonly value: unknown; readonly json: unknown }>;
  readonly decode: (json: unknown) => unknown;
  /** As the reference of the devnet publishes it. */
  readonly published: z.ZodType;
};

function shape<T>(
  name: string,
  values: fc.Arbitrary<T>,
  encode: (value: T) => Json,
  decode: Shape["decode"],
  published: z.ZodType,
): Shape {
  const samples = values.map((value) => ({ value, json: parseJson(stringifyJson(encode(value))) }));
  return { name, samples, decode, published };
}

function listShape<T>(
  name: string,
  values: fc.Arbitrary<T>,
  encode: (value: T) => Json,
  decode: Shape["decode"],
  published: z.ZodType,
): Shape {
  return shape(name, fc.array(values, { maxLength: 4 }), (items) => items.map(encode), decode, published);
}

const asked = accountId(0n);
const quotas = { cancelCap: 5n, congestionQuota: null };

export const shapes: readonly Shape[] = [
  shape(
    "transaction",
    arbitrary.transactions,
    (value) => parseJson(encodeTransaction(value)) as Json,
    decodeTransaction,
    transaction,
  ),
  shape("market", arbitrary.markets, encodeMarket, decodeMarket, markets.market),
  shape("book", arbitrary.books, encodeBook, decodeBook, markets.book),
  shape("oracle", arbitrary.oracles, encodeOracle, decodeOracle, markets.oracle),
  shape("oracle history", arbitrary.oracleHistories, encodeOracleHistory, decodeOracleHistory, markets.oracleHistory),
  shape("funding", arbitrary.fundings, encodeFunding, decodeFunding, markets.funding),
  shape("fee tiers", fc.array(arbitrary.feeTiers), encodeFeeTiers, decodeFeeTiers, markets.feeTiers),
  shape(
    "treasury config",
    arbitrary.treasuryConfigs,
    encodeTreasuryConfig,
    decodeTreasuryConfig,
    exchange.treasuryConfig,
  ),
  shape("node", arbitrary.nodes, encodeNodeStatus, decodeNodeStatus, exchange.node),
  shape("insurance fund", arbitrary.insuranceFunds, encodeInsuranceFund, decodeInsuranceFund, exchange.insuranceFund),
  shape("token registry", arbitrary.tokenRegistries, (registry) => registry, decodeTokenRegistry, exchange.tokens),
  shape("bridge state", arbitrary.bridgeStates, encodeBridgeState, decodeBridgeState, exchange.bridgeState),
  shape("account", arbitrary.accounts, encodeAccount, decodeAccount, accounts.account),
  listShape("positions", arbitrary.positions, encodePosition, decodePositions, accounts.positions),
  listShape("orders", arbitrary.orders, encodeOrder, (json) => decodeOrders(json, asked), accounts.orders),
  shape(
    "owned accounts",
    fc.array(arbitrary.ownedAccounts),
    encodeOwnedAccounts,
    decodeOwnedAccounts,
    accounts.ownedAccounts,
  ),
  shape("owner assets", arbitrary.ownerAssets, encodeOwnerAssets, decodeOwnerAssets, accounts.ownerAssets),
  shape(
    "rate limit",
    arbitrary.rateLimits,
    (limit) => ({ ...limit, ...quotas }),
    decodeRateLimit,
    accounts.requestBudget,
  ),
  shape("invites", arbitrary.inviteStates, encodeInviteState, decodeInviteState, accounts.invites),
  shape("recipient", arbitrary.recipients, encodeRecipient, decodeRecipient, accounts.recipient),
  shape("transfer history", arbitrary.transferPages, encodeTransferPage, decodeTransferPage, accounts.transferPage),
  shape(
    "trades",
    fc.array(arbitrary.tradesOfMarketSeven),
    encodeTrades,
    (json) => decodeTrades(json, 7),
    markets.trades,
  ),
  listShape("history of fills", arbitrary.fillRows, history.encodeFillRow, historyReads.decodeFillRows, rows.fillRows),
  listShape(
    "history of orders",
    arbitrary.orderRows,
    history.encodeOrderRow,
    (json) => historyReads.decodeOrderRows(json, asked),
    rows.orderRows,
  ),
  listShape(
    "history of funding",
    arbitrary.fundingRows,
    history.encodeFundingRow,
    historyReads.decodeFundingRows,
    rows.fundingRows,
  ),
  shape("stats", arbitrary.stats, encodeStats, decodeStats, exchange.stats),
  shape(
    "staking validators",
    fc.array(arbitrary.stakeValidators),
    staking.encodeStakeValidators,
    stakingReads.decodeStakeValidators,
    exchange.stakeValidators,
  ),
  shape(
    "staking state",
    arbitrary.stakingStates,
    staking.encodeStakingState,
    stakingReads.decodeStakingState,
    exchange.stakingInfo,
  ),
  shape(
    "staking balance",
    arbitrary.stakingBalances,
    staking.encodeStakingBalance,
    stakingReads.decodeStakingBalance,
    exchange.stakingBalance,
  ),
  shape(
    "delegations",
    fc.array(arbitrary.delegations),
    staking.encodeDelegations,
    stakingReads.decodeDelegations,
    exchange.delegations,
  ),
  shape("vault", arbitrary.vaults, encodeVault, decodeVault, accounts.vaultContent),
  shape("explorer block", arbitrary.blocks, encodeBlock, decodeBlock, exchange.block),
];
