// One execution as answers and frames describe it (S6.2).

import { z } from "zod";
import * as v from "./values.ts";

/** What is public. */
export const publicExecution = z.strictObject({
  market_id: v.marketId,
  price: v.priceText,
  size: v.sizeText,
  taker_order_id: v.orderId,
  maker_order_id: v.orderId,
  taker_account_id: v.accountId,
  maker_account_id: v.accountId,
  taker_side: v.side,
  taker_fee: v.signedUsdcText,
  maker_fee: v.signedUsdcText.describe("1e-6 USDC, signed; negative: a rebate"),
  tx_hash: v.hash,
});

export const execution = publicExecution.extend({
  taker_realized_pnl: v.signedUsdcText,
  maker_realized_pnl: v.signedUsdcText,
  timestamp: z.exactOptional(v.timeMs),
});
