// One execution as answers, frames and history describe it (S6.2): the same facts under snake_case names, with more or fewer of them.

import { at, omitted, says } from "./description.ts";
import * as v from "./values.ts";

/** What is public. */
export const publicExecutionMembers = {
  marketId: v.marketId,
  price: v.realPrice,
  size: v.realSize,
  takerOrderId: v.orderId,
  makerOrderId: v.orderId,
  takerAccountId: v.accountId,
  makerAccountId: v.accountId,
  takerSide: v.side,
  takerFee: v.signedUsdc,
  makerFee: says(v.signedUsdc, "1e-6 USDC, signed; negative: a rebate"),
  txHash: v.hash,
};

/** The whole record with both sides. */
export const executionMembers = {
  ...publicExecutionMembers,
  takerRealizedPnl: v.signedUsdc,
  makerRealizedPnl: v.signedUsdc,
  timestampMs: at("timestamp", omitted(v.timeMs)),
};

/** An order by its three numbers. */
export const orderRefMembers = { orderId: v.orderId, accountId: v.accountId, marketId: v.marketId };

export const orderTermsMembers = { ...orderRefMembers, side: v.side, price: v.price, size: v.size };

/** Beside the terms of a stop; the devnet's own, and of no interest to a reader. */
export const triggerPrice = says(v.price, "of a stop; the devnet's own");
