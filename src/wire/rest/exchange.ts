// Messages about the exchange itself (S2.8, S2.11, S4.1, S4.4): node, totals, treasury, tokens, bridge, staking, blocks. Where the
// interface shows no fields, the names are the devnet's.

import type { NodeStatus } from "../../domain/account.ts";
import type { Block } from "../../domain/block.ts";
import { usdc } from "../../domain/units.ts";
import {
  at,
  enveloped,
  fieldsOf,
  type Kind,
  list,
  listOfReadable,
  mapped,
  maybe,
  type Of,
  object,
  omitted,
  orElse,
  orIfAbsent,
  says,
  snakeObject,
} from "../description.ts";
import * as v from "../values.ts";
import { devnetMark } from "./owners.ts";

/** Chain, height and time are required. The interface does not give the unit of block_timestamp: written in seconds, read in both units. */
export const node: Kind<NodeStatus> = snakeObject({
  protocolVersion: orElse(v.integer(), null),
  binaryVersion: orElse(v.integer(), null),
  buildSha: at(["buildSha", "buildTag"], orElse(v.text, null)),
  blockHeight: at(["blockHeight", "height"], v.height),
  blockTimestampSec: at(["blockTimestamp", "blockTime", "timestamp", "time"], v.someTimeSec),
  stateRoot: orElse(v.text, null),
  chainId: v.text,
});

/** Counts and volumes of the whole exchange; null if absent. */
export const stats = object({
  totalTrades: orIfAbsent(v.natural("trades"), null),
  totalVolume: orIfAbsent(says(v.usdc, "1e-6 USDC, each trade counted once"), null),
  totalOrders: orIfAbsent(v.natural("orders"), null),
  totalLiquidations: orIfAbsent(v.natural("liquidations"), null),
  markets: orIfAbsent(v.count, null),
  blockHeight: orIfAbsent(says(v.height, "the last block that is counted in"), null),
});
export type ExchangeStats = Of<typeof stats>;

export const insuranceFund = object({
  balance: v.signedUsdc,
  shortfall: orElse(says(v.usdc, "1e-6 USDC that it owes and does not have; the devnet's addition"), usdc(0n)),
  totalDeposited: orElse(v.usdc, null),
});
export type InsuranceFund = Of<typeof insuranceFund>;

/** The interface names four groups of settings as scaled integer strings, and one field. */
export const treasuryConfig = snakeObject({
  accountActivationFee: at("account_activation_fee_usdc", v.usdc),
  subaccountFirstVolume: at(
    "subaccount_first_volume_usdc",
    says(v.usdc, "1e-6 USDC of family volume that unlocks the first subaccounts"),
  ),
  subaccountFirstCount: v.countText("how many it unlocks"),
  subaccountStepVolume: at("subaccount_step_volume_usdc", says(v.usdc, "1e-6 USDC of volume that unlocks one more")),
  subaccountMax: v.countText("subaccounts at most"),
  vaultMax: v.countText("vaults an owner may lead"),
  openOrderCap: v.countText("open orders an account may have"),
});
export type TreasuryConfig = Of<typeof treasuryConfig>;

/** The only setting whose name the interface shows. */
export const activationFee = snakeObject({ accountActivationFee: treasuryConfig.members.accountActivationFee });

const cap = snakeObject({ openOrderCap: at(["openOrderCap", "maxOpenOrders", "max_open_orders"], maybe(v.count)) });

/**
 * The open-order cap under any known name, at the top level or in a group; null if there is none. Throws WireError if it is not a number.
 */
export function readOpenOrderCap(json: unknown): number | null {
  const fields = fieldsOf(json);
  for (const group of [fields, ...Object.values(fields)]) {
    if (typeof group !== "object" || group === null || Array.isArray(group)) continue;
    const { openOrderCap } = cap.read(group);
    if (openOrderCap !== null) return openOrderCap;
  }
  return null;
}

/** An approved source of a token outside the chain. The interface does not show its fields: an unclear flag means not allowed. */
const representation = object({
  source: at(["source", "chain", "network", "name"], orElse(v.text, "")),
  depositEnabled: at(["depositEnabled", "depositsEnabled", "deposit", "canDeposit"], orElse(v.bool, false)),
  withdrawalEnabled: at(
    ["withdrawalEnabled", "withdrawalsEnabled", "withdrawal", "withdraw", "canWithdraw"],
    orElse(v.bool, false),
  ),
});

const token = object({
  id: v.tokenId,
  symbol: v.text,
  name: orElse(v.text, ""),
  decimals: v.integer(),
  representations: orElse(enveloped(listOfReadable(representation)), []),
});

/** Check before using Transfer and CloseSubaccount (S2.8): an absent capability is not available. */
const capabilities = object({
  genericTransfers: orIfAbsent(v.bool, false),
  atomicSubaccountClosure: orIfAbsent(v.bool, false),
});

/** Tokens are identified by id, never by symbol. */
export const tokenRegistry = object({
  tokens: enveloped(list(token)),
  capabilities: orElse(capabilities, { genericTransfers: false, atomicSubaccountClosure: false }),
});
export type TokenRegistry = Of<typeof tokenRegistry>;

const bridgeToken = snakeObject({
  tokenId: v.tokenId,
  depositLimit: v.amount,
  depositUsed: v.amount,
  withdrawalLimit: v.amount,
  withdrawalUsed: v.amount,
  /** Attested deposits that wait for an account. */
  pendingDeposits: orIfAbsent(v.amount, 0n),
  /** Withdrawals requested and not claimed yet. */
  pendingWithdrawals: orIfAbsent(v.amount, 0n),
});

/** S8. */
const WITHDRAWAL_WINDOW_SECS = 86_400;

/** The interface describes the content and names two fields: owner and unclaimed_usdc. An absent capability is not available. */
export const bridgeState = snakeObject({
  depositsEnabled: orIfAbsent(v.bool, false),
  withdrawalsEnabled: orIfAbsent(v.bool, false),
  withdrawalWindowSecs: orIfAbsent(v.integer("seconds", 0), WITHDRAWAL_WINDOW_SECS),
  tokens: orElse(enveloped(listOfReadable(bridgeToken)), []),
  owner: omitted(says(v.publicKey, "where it was asked for: Ed25519 public key, 64 hex characters")),
  unclaimedUsdc: omitted(says(v.usdc, "1e-6 USDC that awaits the owner's account")),
});
export type BridgeState = Of<typeof bridgeState>;

/** The amount that waits for CreateFundedAccount, in a bridge state requested with an owner. */
export const bridgeOwner = snakeObject({ owner: v.publicKey, unclaimedUsdc: v.usdc });
export type BridgeOwner = Of<typeof bridgeOwner>;

/** Null: absent or not understood. */
const stakeValidator = object({
  name: at(["name", "moniker", "validator", "address", "pubkey"], orElse(v.text, "")),
  stake: at(["stake", "totalStake", "staked", "delegated"], orElse(v.native, null)),
  commissionBps: at(["commissionBps", "commission"], orElse(v.integer(), null)),
  uptimeBps: at(["uptimeBps", "uptime"], orElse(v.integer(), null)),
  status: orElse(v.text, "Unknown"),
});
export type StakeValidator = Of<typeof stakeValidator>;
export const stakeValidators = enveloped(list(stakeValidator));

/** Null: absent or not understood. */
export const stakingInfo = object({
  totalStaked: at(["totalStaked", "totalStake"], orElse(v.native, null)),
  activeValidators: at(["activeValidators", "validatorCount"], orElse(v.count, null)),
  epoch: at(["epoch", "currentEpoch"], orElse(says(v.count, "days of chain time since 1970"), null)),
  epochEndsAtMs: at("epochEndsAt", orElse(v.someTimeMs, null)),
  unbondingSecs: orElse(says(v.count, "how long what leaves is neither staked nor liquid"), null),
  apyBps: at(["apyBps", "apy"], orElse(v.integer(), null)),
});
export type StakingState = Of<typeof stakingInfo>;

export const blockTransactionMembers = {
  hash: v.hash,
  index: at("txIndex", v.count),
  transactionType: at("txType", v.text),
  sender: v.publicKey,
  status: v.text,
  timestampMs: at("timestamp", v.someTimeMs),
};
/** The WebSocket uses the same fields in snake_case. */
export const blockMembers = {
  height: v.height,
  hash: v.hash,
  parentHash: v.hash,
  stateRoot: v.text,
  proposer: v.text,
  timestampMs: at("timestamp", v.someTimeMs),
  transactionCount: at("txCount", v.count),
};

/** A whole block of the explorer with all its transactions: S4.4 names such reads but does not show them. */
export const block: Kind<Block> = object({ ...blockMembers, transactions: list(object(blockTransactionMembers)) });

export const markedBlock: Kind<Block> = object({
  ...devnetMark,
  ...blockMembers,
  transactions: list(object(blockTransactionMembers)),
});
export const blocks: Kind<readonly Block[]> = mapped(
  object({ ...devnetMark, blocks: list(block) }),
  (marked) => marked.blocks,
  (of) => ({ blocks: of }),
);
