// What a client submits (S4.5, S4.6). A test holds these shapes and the readers of `wire/transaction/` to the same verdict.

import { z } from "zod";
import { marginModes, orderTypes, timesInForce } from "../../domain/order.ts";
import type { TransactionType } from "../transaction.ts";
import * as v from "./values.ts";

const bytes = (length: number) => z.array(z.int().min(0).max(255)).length(length);
const publicKey = bytes(32).describe("Ed25519 public key as 32 numbers");
const text = (bytesMax: number) =>
  z
    .string()
    .min(1)
    .max(bytesMax)
    .refine((value) => value.isWellFormed() && Buffer.byteLength(value) <= bytesMax)
    .describe(`1 to ${bytesMax} bytes of UTF-8`);
const isBelow = (bound: bigint) => (digits: string) => /^\d+$/.test(digits) && BigInt(digits) < bound;
const amountText = z
  .string()
  .regex(/^[1-9]\d{0,38}$/)
  .refine(isBelow(2n ** 127n))
  .describe("decimal text of base units, above zero");
const idText = z
  .string()
  .regex(/^(0|[1-9]\d{0,19})$/)
  .refine(isBelow(2n ** 64n))
  .describe("decimal text of an id");
/** Null and omission say the same. */
const nullable = <T extends z.ZodType>(schema: T) => z.exactOptional(schema.nullable());

const price = v.u64.describe("1e-8 USD");
const size = v.u64.describe("1e-6 contracts");
const exit = z.strictObject({
  trigger_price: price,
  order_type: z.literal("StopMarket"),
  limit_price: z.null(),
});

const placeOrder = z
  .strictObject({
    account_id: v.accountId,
    market_id: v.marketId,
    side: v.side,
    order_type: z.enum(orderTypes),
    price: price.describe("1e-8 USD, a multiple of tickSize; 0 for market orders"),
    size,
    trigger_price: nullable(price).describe("set for stop orders, null for all others"),
    reduce_only: z.boolean(),
    post_only: z.boolean(),
    time_in_force: z.enum(timesInForce),
    take_profit: nullable(exit),
    stop_loss: nullable(exit),
    max_slippage_bps: nullable(v.u16),
    margin_mode: z.exactOptional(z.enum(marginModes)).describe("default: Cross"),
    leverage: z.exactOptional(v.u16).describe("0 or left out: the market's maximum"),
  })
  .refine(({ order_type, trigger_price = null }) => {
    const isStop = order_type === "StopLimit" || order_type === "StopMarket";
    return isStop === (trigger_price !== null);
  });

const modifyOrder = z
  .strictObject({
    order_id: v.orderId,
    new_price: nullable(price).describe("null: unchanged"),
    new_size: nullable(size).describe("null: unchanged; else the whole new size, what is filled included"),
  })
  .refine(({ new_price = null, new_size = null }) => new_price !== null || new_size !== null);

const stake = z.strictObject({ account_id: v.accountId, validator: text(64), amount: amountText });

const contents = {
  PlaceOrder: placeOrder,
  CancelOrder: z.strictObject({ order_id: v.orderId }),
  CancelAllOrders: z.strictObject({ market_id: v.u16.nullable().describe("null: every market") }),
  ModifyOrder: modifyOrder,
  AdjustIsolatedMargin: z.strictObject({
    account_id: v.accountId,
    market_id: v.marketId,
    delta: v.i128.describe("1e-6 USDC; positive: into the isolated bucket"),
  }),
  CreateFundedAccount: z.strictObject({ mode: z.literal("Cross"), referred_by: nullable(v.accountId) }),
  CreateReferredAccount: z.looseObject({}).describe("retired: it is refused by name"),
  ApproveAgent: z.strictObject({
    account_id: v.accountId,
    agent: publicKey,
    name: nullable(text(64)),
    expires_at: nullable(z.int().min(0).lt(100_000_000_000)).describe("Unix seconds; null: until revoked"),
  }),
  RevokeAgent: z.strictObject({ account_id: v.accountId, agent: publicKey }),
  CreateSubaccount: z.strictObject({ master_account_id: v.accountId }),
  Transfer: z.strictObject({
    from_account_id: idText,
    to_account_id: idText,
    token_id: v.tokenId,
    amount: amountText,
  }),
  CloseSubaccount: z.strictObject({ account_id: v.accountId }),
  RequestWithdrawal: z.strictObject({
    account_id: v.accountId,
    token_id: v.tokenId,
    amount: amountText,
    destination: text(128),
  }),
  CancelWithdrawal: z.strictObject({ account_id: v.accountId, withdrawal_id: idText }),
  CreateVault: z.strictObject({ account_id: v.accountId, name: text(64), amount: amountText }),
  DepositToVault: z.strictObject({ account_id: v.accountId, vault_account_id: v.accountId, amount: amountText }),
  WithdrawFromVault: z.strictObject({ account_id: v.accountId, vault_account_id: v.accountId, shares: amountText }),
  DelegateStake: stake,
  UndelegateStake: stake,
} satisfies Record<TransactionType, z.ZodType>;

/** One key, the name of the action. */
export const transaction = z.union(
  Object.entries(contents).map(([name, content]) => z.strictObject({ [name]: content })),
);

const request = {
  transaction,
  nonce: v.u64.describe("unique per key; near Unix milliseconds"),
  timestamp: v.timeSec,
};

/** POST /v1/tx. */
export const envelope = z.strictObject({
  ...request,
  chain_id: text(128),
  signer: publicKey,
  signature: bytes(64).describe(
    "Ed25519 over the UTF-8 of the JSON array [chain_id, transaction, nonce, timestamp], the transaction as its exact text",
  ),
});

/** POST /tx/sign-and-submit: the exchange signs with the hosted key. */
export const hostedRequest = z.strictObject(request);
