// What is said of accounts and their owners (S2.6, S2.7, S2.9, S4.2).

import { z } from "zod";
import { marginModes, orderTypes, timesInForce } from "../../domain/order.ts";
import * as v from "./values.ts";

const exit = z.strictObject({
  triggerPrice: v.priceText,
  orderType: z.literal("StopMarket"),
  limitPrice: z.null(),
});

export const order = z.strictObject({
  orderId: v.orderId,
  accountId: v.accountId,
  marketId: v.marketId,
  side: v.side,
  orderType: z.enum(orderTypes),
  price: v.priceText,
  size: v.sizeText.describe("1e-6 contracts, what is filled included"),
  filledSize: v.sizeText,
  remainingSize: v.sizeText,
  triggerPrice: v.priceText.nullable(),
  reduceOnly: z.boolean(),
  postOnly: z.boolean(),
  timeInForce: z.enum(timesInForce),
  status: z.string(),
  takeProfit: exit.nullable(),
  stopLoss: exit.nullable(),
  createdAt: v.timeMs,
  updatedAt: v.timeMs,
});

export const orders = z.array(order);

export const position = z.strictObject({
  marketId: v.marketId,
  side: v.side,
  size: v.sizeText,
  entryPrice: v.priceText,
  unrealizedPnl: v.signedUsdcText,
  cumulativeFunding: v.whole("signed index of funding at the last settlement"),
  lastOraclePrice: v.priceText.describe("price that values it, 1e-8 USD"),
  openedAt: v.timeMs,
  margin_mode: z.enum(marginModes),
  leverage: z.int(),
  isolated_margin: v.signedUsdcText,
  tierGrandfathered: z.boolean(),
});

export const positions = z.array(position);

const volume = v.u128.describe("1e-6 USDC, a number");

export const account = z.strictObject({
  accountId: v.accountId,
  owner: v.keyHex,
  mode: z.enum(marginModes),
  collateral: v.signedUsdcText,
  availableCollateral: v.signedUsdcText,
  nativeBalance: v.whole("base units of NATIVE"),
  positions,
  openOrders: orders,
  createdAt: v.timeMs,
  volume30d: volume,
  feeTierVolume30d: volume.describe("1e-6 USDC, the family's"),
  lifetimeVolume: volume,
  pendingActivation: z.boolean(),
  pendingActivationFeeUsdc: z.exactOptional(v.usdcText),
  agents: z
    .exactOptional(
      z.array(
        z.strictObject({
          pubkey: z.string().regex(/^0x[0-9a-f]{64}$/),
          name: z.string(),
          expiresAt: v.timeSec.nullable().describe("Unix seconds; null: until revoked"),
        }),
      ),
    )
    .describe("left out where there are none"),
});

export const requestBudget = z.strictObject({
  requestsUsed: v.u64.nullable(),
  requestsCap: v.u64.nullable(),
  requestsRemaining: v.u64.nullable(),
  cancelCap: v.u64.nullable().describe("cancels go on up to here; null: not limited"),
  congestionQuota: v.u64.nullable().describe("requests that may pass within a second; null: not limited"),
});

export const invites = z.strictObject({
  accountId: v.accountId,
  eligible: z.boolean(),
  allowance: z.int(),
  consumed: z.int(),
  remaining: z.int(),
  lifetimeVolume: volume,
  inviteOverride: z.int().nullable().describe("an allowance that the operator set instead of the rule"),
  nextUnlockVolume: z.null(),
});

export const ownedAccounts = z.strictObject({
  accounts: z
    .array(
      z
        .strictObject({
          accountId: v.accountId,
          masterAccountId: v.accountId.nullable().describe("null for a root"),
          isVault: z.boolean(),
          pendingActivation: z.boolean(),
        })
        .readonly(),
    )
    .readonly(),
});

const amountText = v.natural("base units of the token");

export const ownerAssets = z.strictObject({
  accounts: z.array(
    z.strictObject({
      accountId: v.accountId,
      masterAccountId: v.accountId.nullable(),
      isVault: z.boolean(),
      collateral: v.signedUsdcText,
      availableCollateral: v.signedUsdcText,
      nativeBalance: v.whole("base units of NATIVE"),
      positionCount: v.count,
      openOrderCount: v.count,
      balances: z.array(
        z.strictObject({
          tokenId: v.tokenId,
          symbol: z.string(),
          decimals: z.int(),
          total: v.whole("base units of the token"),
          available: v.whole("base units of the token"),
          collateralEligible: z.boolean(),
        }),
      ),
    }),
  ),
  unallocated: z.array(z.strictObject({ tokenId: v.tokenId, amount: amountText })),
  unallocatedNative: v.nativeText,
  stakedNative: v.nativeText,
  unbondingNative: v.nativeText,
});

const idText = v.natural("account id as text");

export const recipient = z.strictObject({
  accountId: idText,
  masterAccountId: idText.nullable(),
  owner: v.keyHex,
  isMaster: z.boolean(),
});

export const transferPage = z.strictObject({
  items: z.array(
    z.strictObject({
      blockHeight: v.height,
      eventIndex: v.count,
      timestamp: v.timeMs,
      txHash: v.hash,
      fromAccountId: idText,
      toAccountId: idText,
      fromOwner: v.keyHex,
      toOwner: v.keyHex,
      tokenId: v.tokenId,
      amount: amountText,
      reason: z.enum(["Transfer", "SubaccountClose"]),
      direction: z.enum(["incoming", "outgoing", "own"]),
    }),
  ),
  nextCursor: z.string().nullable().describe("to be passed back for the next page; null at the end"),
});

export const vaultContent = z.strictObject({
  accountId: v.accountId,
  isVault: z.literal(true),
  vaultName: z.string(),
  leaderAccountId: v.accountId,
  totalShares: v.natural("shares"),
});

export const vault = z.strictObject({ shape: v.ofDevnet, vault: vaultContent });

export const withdrawals = z.strictObject({
  shape: v.ofDevnet,
  withdrawals: z.array(
    z.strictObject({
      withdrawalId: v.natural("withdrawal id"),
      tokenId: v.tokenId,
      amount: amountText,
      destination: z.string(),
      status: z.enum(["Pending", "ReadyToClaim"]),
      requestedAt: v.timeMs,
      readyAt: v.timeMs.describe("Unix milliseconds from which it can be claimed and no longer canceled"),
    }),
  ),
});
