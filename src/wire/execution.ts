// One execution as answers, frames and history write it (S6.2): the same facts under snake_case names, in longer and shorter versions.

import { at, omitted, says } from "./description.ts";
import * as v from "./values.ts";

/** The public part. */
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

/** An order's three ids. */
export const orderRefMembers = { orderId: v.orderId, accountId: v.accountId, marketId: v.marketId };

export const orderTermsMembers = { ...orderRefMembers, side: v.side, price: v.price, size: v.size };

/** A member of stops, added by the devnet; readers ignore it. */
export const triggerPrice = says(v.price, "of a stop; the devnet's own");
