// The events of a transaction's answer (S6.1): a PascalCase type, then snake_case fields as in WebSocket messages. The interface shows only
// Fill; the other names are the devnet's. A reader takes what each event says about an order, and keeps the name of unknown events: the
// transaction has executed, whatever its events mean.

import type { SaidOrder, TransactionEvent } from "../../domain/event.ts";
import type { ReportedEvent } from "../../domain/reported-event.ts";
import {
  at,
  type Fields,
  fixed,
  type JsonSchema,
  omitted,
  orElse,
  snakeObject,
  unread,
  unreadOmitted,
} from "../description.ts";
import { WireError } from "../errors.ts";
import { executionMembers, orderRefMembers, orderTermsMembers, triggerPrice } from "../execution.ts";
import * as v from "../values.ts";

const stop = { triggerPrice: unreadOmitted(triggerPrice) };
const inMarket = { accountId: v.accountId, marketId: v.marketId };

const fill = snakeObject({ type: fixed("Fill"), ...executionMembers });
const orderPlaced = snakeObject({ type: fixed("OrderPlaced"), ...orderTermsMembers, ...stop });
const orderModified = snakeObject({
  type: fixed("OrderModified"),
  ...orderTermsMembers,
  side: unread(v.side),
  ...stop,
  filledSize: unread(v.size),
  remainingSize: unread(v.size),
});
const orderCanceled = snakeObject({ type: fixed("OrderCanceled"), ...orderRefMembers, reason: v.text });
/** Fields that a reader takes from any event about an order: its id, and others if present. */
const saidOrder = snakeObject({
  orderId: at(["orderId", "id"], v.orderId),
  accountId: orElse(v.accountId, null),
  marketId: orElse(v.marketId, null),
  side: orElse(v.side, null),
  price: orElse(v.price, null),
  size: orElse(v.size, null),
});
const saidRemaining = snakeObject({ remainingSize: orElse(v.size, null) });
const saidReason = snakeObject({ reason: orElse(v.text, null) });
const orderTriggered = snakeObject({ type: fixed("OrderTriggered"), ...orderRefMembers });
const oracleUpdated = snakeObject({
  type: fixed("OracleUpdated"),
  marketId: v.marketId,
  price: v.price,
  previousPrice: v.price,
  positionsUpdated: v.count,
  validUntilSec: at("validUntil", v.timeSec),
});
const fundingUpdated = snakeObject({
  type: fixed("FundingUpdated"),
  marketId: v.marketId,
  fundingRate: v.fundingRate,
  timestampSec: at("lastFundingTimestamp", v.timeSec),
});
const marketStatusChanged = snakeObject({ type: fixed("MarketStatusChanged"), marketId: v.marketId, status: v.text });
const fundingPaid = snakeObject({
  type: fixed("FundingPaid"),
  ...inMarket,
  inventory: v.signedSize,
  amount: v.signedUsdc,
  fundingRate: v.fundingRate,
  timestampSec: at("timestamp", v.timeSec),
});
const liquidation = snakeObject({
  type: fixed("Liquidation"),
  ...inMarket,
  positionsClosed: v.count,
  liquidationFee: fixed("0"),
  positionsRemaining: v.count,
});
const backstopTransfer = snakeObject({
  type: fixed("BackstopTransfer"),
  ...inMarket,
  side: v.side,
  size: v.size,
  price: v.price,
});
const marginAdjusted = snakeObject({ type: fixed("MarginAdjusted"), ...inMarket, delta: v.signedUsdc });

/** Writes one element of `events`. */
export function eventText(event: ReportedEvent): string {
  switch (event.type) {
    case "Fill":
      return fill.text(event.execution);
    case "OrderPlaced":
      return orderPlaced.text(event.order);
    case "OrderModified":
      return orderModified.text(event.order);
    case "OrderCanceled":
      return orderCanceled.text(event);
    case "OrderTriggered":
      return orderTriggered.text(event);
    case "OracleUpdated":
      return oracleUpdated.text(event);
    case "FundingUpdated":
      return fundingUpdated.text(event);
    case "MarketStatusChanged":
      return marketStatusChanged.text(event);
    case "FundingPaid":
      return fundingPaid.text(event);
    case "Liquidation":
      return liquidation.text(event);
    case "BackstopTransfer":
      return backstopTransfer.text(event);
    case "MarginAdjusted":
      return marginAdjusted.text(event);
    case "AccountChanged":
      return accountChangedText(event);
  }
}

/** A change outside trading: its facts are further members, as text. */
const head = snakeObject({ type: v.text, accountId: omitted(v.accountId) });
function accountChangedText({
  name,
  accountId,
  facts,
}: Extract<ReportedEvent, { readonly type: "AccountChanged" }>): string {
  const members = Object.entries(facts).map(([fact, value]) => `,${JSON.stringify(fact)}:${JSON.stringify(value)}`);
  return `${head.text({ type: name, accountId }).slice(0, -1)}${members.join("")}}`;
}

/** Schemas by type; `Other` is for all other types. */
export const eventSchemas: Readonly<Record<string, JsonSchema>> = {
  Fill: fill.schema,
  OrderPlaced: orderPlaced.schema,
  OrderModified: orderModified.schema,
  OrderCanceled: orderCanceled.schema,
  OrderTriggered: orderTriggered.schema,
  OracleUpdated: oracleUpdated.schema,
  FundingUpdated: fundingUpdated.schema,
  MarketStatusChanged: marketStatusChanged.schema,
  FundingPaid: fundingPaid.schema,
  Liquidation: liquidation.schema,
  BackstopTransfer: backstopTransfer.schema,
  MarginAdjusted: marginAdjusted.schema,
  Other: {
    ...head.schema,
    additionalProperties: { type: "string" },
    description: "a change outside trading: accounts, agents, bridge, vaults, staking",
  },
};

export const eventSchema: JsonSchema = { anyOf: Object.values(eventSchemas) };

type Reader = (fields: Fields, txHash: string) => TransactionEvent;

const readCanceled: Reader = (of) => {
  const { orderId, accountId, marketId } = saidOrder.read(of);
  return { type: "orderCanceled", orderId, accountId, marketId, ...saidReason.read(of) };
};

/** By the type in lower case: PascalCase here, camelCase on the WebSocket. */
const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["fill", (of, tx_hash) => ({ type: "fill", execution: fill.read({ tx_hash, ...of }) })],
  ["orderplaced", (of) => ({ type: "orderPlaced", ...orderPlaced.read(of) })],
  ["ordercanceled", readCanceled],
  ["ordercancelled", readCanceled],
  [
    "ordermodified",
    (of) => {
      const { side: _, ...order } = saidOrder.read(of);
      return { type: "orderModified", ...order, ...saidRemaining.read(of) };
    },
  ],
]);

/** Reads one element of `events`; `txHash` is the answer's, for fills that do not repeat it. Never throws. */
export function readEvent(item: unknown, txHash: string): TransactionEvent {
  if (typeof item !== "object" || item === null || Array.isArray(item)) return { type: "other", name: typeof item };
  const fields = item as Fields;
  const name = fields.type;
  if (typeof name !== "string") return { type: "other", name: "untyped" };
  return (
    understood(() => readers.get(name.toLowerCase())?.(fields, txHash)) ?? {
      type: "other",
      name,
      ...orderIn(fields),
    }
  );
}

function orderIn(fields: Fields): { readonly order?: SaidOrder } {
  const order = understood(() => saidOrder.read(fields));
  return order === undefined ? {} : { order };
}

function understood<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof WireError) return undefined;
    throw thrown;
  }
}
