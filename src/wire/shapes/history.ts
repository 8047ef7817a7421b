// Rows of indexed history (S4.3): an account's fills, orders and funding.

import { z } from "zod";
import { order } from "./accounts.ts";
import { execution } from "./execution.ts";
import * as v from "./values.ts";

const place = { timestamp: v.timeMs, block_height: v.height, event_index: v.count };

export const fillRows = z.array(
  execution.extend({
    account_id: v.accountId,
    side: v.side.describe("the account's own"),
    fee_role: z.enum(["maker", "taker"]),
    fee: v.signedUsdcText,
    realized_pnl: v.signedUsdcText,
    ...place,
  }),
);

export const orderRows = z.array(order.extend(place));

export const fundingRows = z.array(
  z.strictObject({
    account_id: v.accountId,
    market_id: v.marketId,
    size: v.whole("signed size that the payment was computed on, 1e-6 contracts"),
    funding_rate: v.rateText,
    amount: v.whole("1e-6 USDC; above zero: received"),
    ...place,
  }),
);
