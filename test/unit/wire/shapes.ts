// Every read of the interface as one table: values of its type, how the devnet writes them, how a client reads them.

import fc from "fast-check";
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
};

function shape<T>(name: string, values: fc.Arbitrary<T>, encode: (value: T) => Json, decode: Shape["decode"]): Shape {
  return { name, samples: values.map((value) => ({ value, json: parseJson(stringifyJson(encode(value))) })), decode };
}

function listShape<T>(
  name: string,
  values: fc.Arbitrary<T>,
  encode: (value: T) => Json,
  decode: Shape["decode"],
): Shape {
  return shape(name, fc.array(values, { maxLength: 4 }), (items) => items.map(encode), decode);
}

const asked = accountId(0n);
const quotas = { cancelCap: 5n, congestionQuota: null };

export const shapes: readonly Shape[] = [
  shape(
    "transaction",
    arbitrary.transactions,
    (value) => parseJson(encodeTransaction(value)) as Json,
    decodeTransaction,
  ),
  shape("market", arbitrary.markets, encodeMarket, decodeMarket),
  shape("book", arbitrary.books, encodeBook, decodeBook),
  shape("oracle", arbitrary.oracles, encodeOracle, decodeOracle),
  shape("oracle history", arbitrary.oracleHistories, encodeOracleHistory, decodeOracleHistory),
  shape("funding", arbitrary.fundings, encodeFunding, decodeFunding),
  shape("fee tiers", fc.array(arbitrary.feeTiers), encodeFeeTiers, decodeFeeTiers),
  shape("treasury config", arbitrary.treasuryConfigs, encodeTreasuryConfig, decodeTreasuryConfig),
  shape("node", arbitrary.nodes, encodeNodeStatus, decodeNodeStatus),
  shape("insurance fund", arbitrary.insuranceFunds, encodeInsuranceFund, decodeInsuranceFund),
  shape("token registry", arbitrary.tokenRegistries, (registry) => registry, decodeTokenRegistry),
  shape("bridge state", arbitrary.bridgeStates, encodeBridgeState, decodeBridgeState),
  shape("account", arbitrary.accounts, encodeAccount, decodeAccount),
  listShape("positions", arbitrary.positions, encodePosition, decodePositions),
  listShape("orders", arbitrary.orders, encodeOrder, (json) => decodeOrders(json, asked)),
  shape("owned accounts", fc.array(arbitrary.ownedAccounts), encodeOwnedAccounts, decodeOwnedAccounts),
  shape("owner assets", arbitrary.ownerAssets, encodeOwnerAssets, decodeOwnerAssets),
  shape("rate limit", arbitrary.rateLimits, (limit) => ({ ...limit, ...quotas }), decodeRateLimit),
  shape("invites", arbitrary.inviteStates, encodeInviteState, decodeInviteState),
  shape("recipient", arbitrary.recipients, encodeRecipient, decodeRecipient),
  shape("transfer history", arbitrary.transferPages, encodeTransferPage, decodeTransferPage),
  shape("trades", fc.array(arbitrary.tradesOfMarketSeven), encodeTrades, (json) => decodeTrades(json, 7)),
  listShape("history of fills", arbitrary.fillRows, history.encodeFillRow, historyReads.decodeFillRows),
  listShape("history of orders", arbitrary.orderRows, history.encodeOrderRow, (json) =>
    historyReads.decodeOrderRows(json, asked),
  ),
  listShape("history of funding", arbitrary.fundingRows, history.encodeFundingRow, historyReads.decodeFundingRows),
  shape("stats", arbitrary.stats, encodeStats, decodeStats),
  shape(
    "staking validators",
    fc.array(arbitrary.stakeValidators),
    staking.encodeStakeValidators,
    stakingReads.decodeStakeValidators,
  ),
  shape("staking state", arbitrary.stakingStates, staking.encodeStakingState, stakingReads.decodeStakingState),
  shape("staking balance", arbitrary.stakingBalances, staking.encodeStakingBalance, stakingReads.decodeStakingBalance),
  shape("delegations", fc.array(arbitrary.delegations), staking.encodeDelegations, stakingReads.decodeDelegations),
  shape("vault", arbitrary.vaults, encodeVault, decodeVault),
  shape("explorer block", arbitrary.blocks, encodeBlock, decodeBlock),
];
