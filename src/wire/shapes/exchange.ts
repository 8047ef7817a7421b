// What the exchange says of itself (S2.8, S2.11, S4.1, S4.4): node, totals, treasury, tokens, bridge, staking, blocks.

import { z } from "zod";
import * as v from "./values.ts";

export const node = z.strictObject({
  protocol_version: z.int(),
  binary_version: z.int(),
  build_sha: z.string(),
  block_height: v.height,
  block_timestamp: v.timeSec,
  state_root: z.string(),
  chain_id: z.string(),
});

export const stats = z.strictObject({
  totalTrades: v.natural("trades"),
  totalVolume: v.usdcText.describe("1e-6 USDC, each trade counted once"),
  totalOrders: v.natural("orders"),
  totalLiquidations: v.natural("liquidations"),
  markets: v.count,
  blockHeight: v.height.describe("the last block that is counted in"),
});

export const insuranceFund = z.strictObject({
  balance: v.signedUsdcText,
  shortfall: v.usdcText.describe("1e-6 USDC that it owes and does not have; the devnet's addition"),
  totalDeposited: v.usdcText,
});

export const treasuryConfig = z.strictObject({
  account_activation_fee_usdc: v.usdcText,
  subaccount_first_volume_usdc: v.usdcText.describe("1e-6 USDC of family volume that unlocks the first subaccounts"),
  subaccount_first_count: v.natural("how many it unlocks"),
  subaccount_step_volume_usdc: v.usdcText.describe("1e-6 USDC of volume that unlocks one more"),
  subaccount_max: v.natural("subaccounts at most"),
  vault_max: v.natural("vaults an owner may lead"),
  open_order_cap: v.natural("open orders an account may have"),
});

export const tokens = z.strictObject({
  tokens: z
    .array(
      z
        .strictObject({
          id: v.tokenId,
          symbol: z.string(),
          name: z.string(),
          decimals: z.int(),
          representations: z
            .array(
              z
                .strictObject({ source: z.string(), depositEnabled: z.boolean(), withdrawalEnabled: z.boolean() })
                .readonly(),
            )
            .readonly(),
        })
        .readonly(),
    )
    .readonly(),
  capabilities: z.strictObject({ genericTransfers: z.boolean(), atomicSubaccountClosure: z.boolean() }).readonly(),
});

const bridgeAmount = v.natural("base units of the token");

export const bridgeState = z.strictObject({
  deposits_enabled: z.boolean(),
  withdrawals_enabled: z.boolean(),
  withdrawal_window_secs: z.int(),
  tokens: z.array(
    z.strictObject({
      token_id: v.tokenId,
      deposit_limit: bridgeAmount,
      deposit_used: bridgeAmount,
      withdrawal_limit: bridgeAmount,
      withdrawal_used: bridgeAmount,
      pending_deposits: bridgeAmount,
      pending_withdrawals: bridgeAmount,
    }),
  ),
  owner: z.exactOptional(v.keyHex).describe("where it was asked for"),
  unclaimed_usdc: z.exactOptional(v.usdcText).describe("1e-6 USDC that awaits the owner's account"),
});

export const stakeValidators = z.array(
  z.strictObject({
    name: z.string(),
    stake: v.nativeText,
    commissionBps: z.int(),
    uptimeBps: z.int(),
    status: z.string(),
  }),
);

export const stakingInfo = z.strictObject({
  totalStaked: v.nativeText,
  activeValidators: v.count,
  epoch: v.count.describe("days of chain time since 1970"),
  epochEndsAt: v.timeMs,
  unbondingSecs: z.int(),
  apyBps: z.int(),
});

export const stakingBalance = z.strictObject({
  pubkey: v.keyHex,
  available: v.nativeText,
  availableFrom: z.enum(["master", "unallocated"]),
  staked: v.nativeText,
  unbonding: z.array(z.strictObject({ amount: v.nativeText, releasedAt: v.timeMs })),
});

export const delegations = z.array(z.strictObject({ validator: z.string(), amount: v.nativeText }));

export const block = z.strictObject({
  height: v.height,
  hash: v.hash,
  parentHash: v.hash,
  stateRoot: z.string(),
  proposer: z.string(),
  timestamp: v.timeMs,
  txCount: v.count,
  transactions: z.array(
    z.strictObject({
      hash: v.hash,
      txIndex: v.count,
      txType: z.string(),
      sender: v.keyHex,
      status: z.string(),
      timestamp: v.timeMs,
    }),
  ),
});

export const markedBlock = block.extend({ shape: v.ofDevnet });
export const blocks = z.strictObject({ shape: v.ofDevnet, blocks: z.array(block) });
