// The messages of the WebSocket (S6.2): what a client says, and what the exchange says on each channel.

import { z } from "zod";
import { CHANNELS_PER_MESSAGE_MAX } from "../stream/client.ts";
import { publicExecution } from "./execution.ts";
import * as v from "./values.ts";

const orderRef = { order_id: v.orderId, account_id: v.accountId, market_id: v.marketId };
const orderTerms = {
  ...orderRef,
  side: v.side,
  price: v.priceText,
  size: v.sizeText,
  trigger_price: z.exactOptional(v.priceText).describe("of a stop; the devnet's own"),
};
const level = z.strictObject({ price: v.priceText, size: v.sizeText, orderCount: v.count });
const message = <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.strictObject({ type: z.literal(type), ...shape });

const orderPlaced = message("orderPlaced", orderTerms);
const orderModified = message("orderModified", orderTerms).describe("the devnet's own; price and whole size after it");
const orderCanceled = message("orderCanceled", { ...orderRef, reason: z.string() });
const orderTriggered = message("orderTriggered", orderRef).describe("the devnet's own");
const trade = message("fill", publicExecution.shape).describe("a fill without realized PnL and time");
const fill = message("fill", {
  ...publicExecution.shape,
  taker_realized_pnl: v.signedUsdcText,
  maker_realized_pnl: v.signedUsdcText,
  timestamp: v.timeMs,
});
const orderbook = message("orderbookSnapshot", {
  market_id: v.marketId,
  bids: z.array(level),
  asks: z.array(level),
}).describe("the whole book, every time");
const liquidation = message("liquidation", {
  account_id: v.accountId,
  positions_closed: v.count,
  liquidation_fee: z.literal("0"),
  positions_remaining: v.count,
});
const funding = message("fundingUpdate", {
  market_id: v.marketId,
  funding_rate: v.rateText,
  last_funding_timestamp: v.timeSec,
});
const oracle = message("oraclePriceUpdate", {
  market_id: v.marketId,
  price: v.priceText,
  previous_price: v.priceText,
  positions_updated: v.count,
  valid_until: v.timeSec,
});
const blockFinalized = message("blockFinalized", {
  height: v.height,
  hash: v.hash,
  parent_hash: v.hash,
  state_root: z.string(),
  proposer: z.string(),
  timestamp: v.timeMs,
  tx_count: v.count,
  transactions: z
    .array(
      z.strictObject({
        hash: v.hash,
        tx_index: v.count,
        tx_type: z.string(),
        sender: v.keyHex,
        status: z.string(),
        timestamp: v.timeMs,
      }),
    )
    .max(1)
    .describe("the first of the block alone"),
});

/** By channel: its parameter and what it says. */
export const channels = {
  orderbook: { by: "market_id", says: { orderbook } },
  trades: { by: "market_id", says: { trade } },
  funding: { by: "market_id", says: { funding } },
  oracleUpdates: { by: "market_id", says: { oracle } },
  fills: { by: "account_id", says: { fill } },
  orders: { by: "account_id", says: { orderPlaced, orderModified, orderCanceled, orderTriggered } },
  liquidations: { by: "account_id", says: { liquidation } },
  positions: { by: "account_id", says: {} },
  explorer: { by: null, says: { blockFinalized } },
} as const;

/** To one client, on no channel. */
export const connectionMessages = {
  pong: message("pong", { blockHeight: v.height, blockTimeMs: v.timeMs }),
  error: message("error", { code: z.string(), message: z.string() }),
};

const { positions: _silent, ...speaking } = channels;

/** Any message of the exchange. */
export const serverMessage = z.union([
  ...Object.values(speaking).flatMap(({ says }): z.ZodType[] => Object.values(says)),
  ...Object.values(connectionMessages),
]);

const channelRef = z.union([
  z.object({ channel: z.enum(["orderbook", "trades", "funding", "oracleUpdates"]), market_id: v.marketId }),
  z.object({ channel: z.enum(["fills", "orders", "liquidations", "positions"]), account_id: v.accountId }),
  z.object({ channel: z.literal("explorer") }),
]);
const refs = z.array(channelRef).max(CHANNELS_PER_MESSAGE_MAX);

export const clientMessages = {
  subscribe: z.object({ type: z.literal("subscribe"), channels: refs }),
  unsubscribe: z.object({ type: z.literal("unsubscribe"), channels: refs }),
  ping: z.object({ type: z.literal("ping") }),
};
