// The answer to a submitted transaction (S4.5) with its events (S6.1), and the refusal of any request.

import { z } from "zod";
import { execution } from "./execution.ts";
import * as v from "./values.ts";

const orderRef = { order_id: v.orderId, account_id: v.accountId, market_id: v.marketId };
const orderTerms = {
  ...orderRef,
  side: v.side,
  price: v.priceText,
  size: v.sizeText,
  trigger_price: z.exactOptional(v.priceText).describe("of a stop; the devnet's own"),
};
const event = <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.strictObject({ type: z.literal(type), ...shape });
const inMarket = { account_id: v.accountId, market_id: v.marketId };

const tradingEvents = [
  event("Fill", execution.shape),
  event("OrderPlaced", orderTerms),
  event("OrderModified", { ...orderTerms, filled_size: v.sizeText, remaining_size: v.sizeText }),
  event("OrderCanceled", { ...orderRef, reason: z.string() }),
  event("OrderTriggered", orderRef),
  event("OracleUpdated", {
    market_id: v.marketId,
    price: v.priceText,
    previous_price: v.priceText,
    positions_updated: v.count,
    valid_until: v.timeSec,
  }),
  event("FundingUpdated", { market_id: v.marketId, funding_rate: v.rateText, last_funding_timestamp: v.timeSec }),
  event("MarketStatusChanged", { market_id: v.marketId, status: z.string() }),
  event("FundingPaid", {
    ...inMarket,
    inventory: v.whole("signed size, 1e-6 contracts"),
    amount: v.signedUsdcText,
    funding_rate: v.rateText,
    timestamp: v.timeSec,
  }),
  event("Liquidation", {
    ...inMarket,
    positions_closed: v.count,
    liquidation_fee: z.literal("0"),
    positions_remaining: v.count,
  }),
  event("BackstopTransfer", { ...inMarket, side: v.side, size: v.sizeText, price: v.priceText }),
  event("MarginAdjusted", { ...inMarket, delta: v.signedUsdcText }),
] as const;

const names: readonly string[] = tradingEvents.map(({ shape }) => shape.type.value);

/** A change outside trading, named in PascalCase, with its facts as text. */
const accountEvent = z
  .object({
    type: z
      .string()
      .regex(/^[A-Z][A-Za-z]*$/)
      .refine((type) => !names.includes(type)),
    account_id: z.exactOptional(v.accountId),
  })
  .catchall(z.string())
  .describe("a change outside trading: accounts, agents, bridge, vaults, staking");

export const reportedEvent = z.union([...tradingEvents, accountEvent]);

/** HTTP 200: executed, or executed and refused. */
export const answer = z.discriminatedUnion("status", [
  z.strictObject({ status: z.literal("success"), hash: v.hash, events: z.array(reportedEvent) }),
  z.strictObject({
    status: z.literal("failed"),
    hash: v.hash,
    events: z.array(z.never()).length(0),
    error: z.string(),
    code: z.string(),
  }),
]);

/** Any request that was refused before it was executed. */
export const refusal = z.strictObject({
  error: z.string().describe("one sentence"),
  code: z.string().describe("stable; programs branch on it"),
});
