// Parameters and answers of every route of the exchange's two hosts, by method and path. A test fails if a route is missing here or a row
// has no route.

import { answerSchema } from "../../../wire/answer.ts";
import { envelope, hostedRequest } from "../../../wire/envelope.ts";
import * as accounts from "../../../wire/rest/accounts.ts";
import * as exchange from "../../../wire/rest/exchange.ts";
import * as history from "../../../wire/rest/history.ts";
import * as markets from "../../../wire/rest/markets.ts";
import * as owners from "../../../wire/rest/owners.ts";
import * as v from "../../../wire/values.ts";
import { historyQuery, type Operation } from "./operation.ts";

type Operations = Readonly<Record<string, Operation>>;

const document = (name: string, version: string) => ({
  schema: { type: "object", properties: { [name]: { type: "string", const: version } }, required: [name] },
});

const about: Operations = {
  "GET /openapi.json": { id: "getOpenApi", says: "This document.", answer: document("openapi", "3.1.0") },
  "GET /docs": { id: "getDocs", says: "This document as a page.", answer: { contentType: "text/html" } },
};

export const validatorOperations: Operations = {
  "GET /v1/markets": { id: "listMarkets", says: "The active markets (S4.1).", answer: markets.markets },
  "GET /v1/markets/{id}": { id: "getMarket", says: "One market, in any status (S2.2).", answer: markets.market },
  "GET /v1/markets/{id}/orderbook": {
    id: "getOrderBook",
    says: "The order book, all levels, best first (S2.3).",
    answer: markets.book,
  },
  "GET /v1/markets/{id}/funding": { id: "getFunding", says: "The funding state (S2.4).", answer: markets.funding },
  "GET /v1/markets/{id}/trades": {
    id: "listTrades",
    says: "The newest 100 public trades, newest first (S2.5).",
    answer: markets.trades,
  },
  "GET /v1/oracle/{id}": { id: "getOracle", says: "The current print and its expiry (S2.10).", answer: markets.oracle },
  "GET /v1/oracle/{id}/history": {
    id: "getOracleHistory",
    says: "Prints, one point a day, oldest first (S2.10).",
    answer: markets.oracleHistory,
  },
  "GET /v1/fee-tiers": { id: "getFeeTiers", says: "The fee schedule (S2.11).", answer: markets.feeTiers },
  "GET /v1/treasury-config": {
    id: "getTreasuryConfig",
    says: "Fees and caps that accounts meet (S2.11).",
    answer: exchange.treasuryConfig,
  },
  "GET /v1/insurance-fund": {
    id: "getInsuranceFund",
    says: "The insurance fund (S2.11).",
    answer: exchange.insuranceFund,
  },
  "GET /v1/tokens": {
    id: "getTokens",
    says: "The token registry and what it can do (S2.8).",
    answer: exchange.tokenRegistry,
  },
  "GET /v1/bridge/state": {
    id: "getBridgeState",
    says: "Limits, use and pending amounts of the bridge; with an owner, what awaits that key (S4.1).",
    answer: exchange.bridgeState,
    query: { owner: { schema: v.publicKey, says: "owner's public key, hex" } },
  },
  "GET /v1/staking/validators": {
    id: "listStakingValidators",
    says: "Validators that stake can be delegated to (S4.4).",
    answer: exchange.stakeValidators,
  },
  "GET /v1/staking/info": { id: "getStakingInfo", says: "Staking as a whole (S4.4).", answer: exchange.stakingInfo },
  "GET /v1/staking/balance/{owner}": {
    id: "getStakingBalance",
    says: "What an owner has staked and can stake (S4.4).",
    answer: owners.stakingBalance,
  },
  "GET /v1/staking/delegations/{owner}": {
    id: "listDelegations",
    says: "An owner's delegations (S4.4).",
    answer: owners.delegations,
  },
  "GET /v1/node/info": {
    id: "getNodeInfo",
    says: "Versions, height, chain time and chain id (S2.11).",
    answer: exchange.node,
  },
  "GET /v1/accounts/{id}": {
    id: "getAccount",
    says: "An account with positions, open orders and agents (S2.6).",
    answer: accounts.account,
  },
  "GET /v1/accounts/{id}/positions": { id: "listPositions", says: "Its positions (S4.2).", answer: accounts.positions },
  "GET /v1/accounts/{id}/orders": { id: "listOpenOrders", says: "Its open orders (S4.2).", answer: accounts.orders },
  "GET /v1/accounts/{id}/rate-limit": {
    id: "getRateLimit",
    says: "Its request budget (S4.2).",
    answer: accounts.requestBudget,
  },
  "GET /v1/accounts/{id}/invites": {
    id: "getInvites",
    says: "How many others it may bring in (S2.11).",
    answer: owners.invites,
  },
  "GET /v1/accounts/{id}/withdrawals": {
    id: "getWithdrawals",
    says: "Its open withdrawals; the devnet's own.",
    answer: owners.withdrawals,
  },
  "GET /v1/accounts/by-owner/{owner}": {
    id: "getAccountByOwner",
    says: "An owner's personal account (S4.2).",
    answer: accounts.account,
  },
  "GET /v1/accounts/by-owner/{owner}/list": {
    id: "listAccountsByOwner",
    says: "All accounts of an owner (S4.2).",
    answer: owners.ownedAccounts,
  },
  "GET /v1/accounts/by-owner/{owner}/assets": {
    id: "getAssetsByOwner",
    says: "Balances by account and token (S2.7).",
    answer: owners.ownerAssets,
  },
  "GET /v1/transfers/recipient": {
    id: "getTransferRecipient",
    says: "The account that a name, a key or an id means (S4.2).",
    answer: owners.recipient,
    query: {
      kind: { schema: v.word(owners.recipientKinds), says: "what value is", required: true },
      value: {
        schema: { schema: { type: "string", minLength: 1 } },
        says: "a name, a public key or an account id",
        required: true,
      },
    },
    ofOwner: true,
  },
  "GET /v1/transfers/history": {
    id: "getTransferHistory",
    says: "The caller's transfers, newest first, 50 a page (S2.9).",
    answer: owners.transferPage,
    query: { cursor: { schema: { schema: { type: "string", minLength: 1 } }, says: "nextCursor of the page before" } },
    ofOwner: true,
  },
  "GET /v1/explorer/blocks": {
    id: "getBlocks",
    says: "The newest 50 blocks; the devnet's own.",
    answer: exchange.blocks,
  },
  "GET /v1/explorer/blocks/{height}": {
    id: "getBlock",
    says: "One block; the devnet's own.",
    answer: exchange.markedBlock,
  },
  "GET /v1/vaults/{id}": { id: "getVault", says: "A vault; the devnet's own.", answer: owners.vault },
  "POST /v1/tx": {
    id: "submitTransaction",
    says: "Submits a signed transaction; 200 with status failed: executed and refused (S4.5).",
    answer: { schema: answerSchema },
    body: envelope,
  },
  ...about,
  "GET /asyncapi.json": {
    id: "getAsyncApi",
    says: "The stream at /v1/ws, as AsyncAPI.",
    answer: document("asyncapi", "3.0.0"),
  },
};

export const restOperations: Operations = {
  "GET /v1/accounts/{id}/trades": {
    id: "listFills",
    says: "An account's fills (S4.3).",
    answer: history.fillRows,
    query: historyQuery,
    ofOwner: true,
  },
  "GET /v1/accounts/{id}/trades/csv": {
    id: "getFillsCsv",
    says: "All its fills as CSV, the same columns (S4.3).",
    answer: { contentType: "text/csv" },
    query: historyQuery,
    ofOwner: true,
  },
  "GET /v1/accounts/{id}/orders": {
    id: "listOrderHistory",
    says: "An account's orders as they stood last (S4.3).",
    answer: history.orderRows,
    query: historyQuery,
    ofOwner: true,
  },
  "GET /v1/accounts/{id}/funding": {
    id: "listFundingPayments",
    says: "An account's funding payments (S4.3).",
    answer: history.fundingRows,
    query: historyQuery,
    ofOwner: true,
  },
  "GET /v1/stats": {
    id: "getStats",
    says: "Counts and volumes of the whole exchange (S4.3).",
    answer: exchange.stats,
    ofOwner: true,
  },
  "POST /tx/sign-and-submit": {
    id: "signAndSubmitTransaction",
    says: "Signs with the caller's hosted key and submits (S4.5).",
    answer: { schema: answerSchema },
    body: hostedRequest,
    ofOwner: true,
  },
  ...about,
};
