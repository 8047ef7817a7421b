// The events of a transaction's answer (S6.1): a PascalCase type, then snake_case fields as in the WebSocket's messages. The
// interface shows only Fill; the other names are the devnet's.

import type { Order } from "../../domain/order.ts";
import type { MarketEvent, OrderEvent, PositionEvent, ReportedEvent } from "../../domain/reported-event.ts";
import type { AccountId, MarketId, OrderId } from "../../domain/units.ts";
import { unreachable } from "../../kernel/assert.ts";
import type { Json } from "../../kernel/json.ts";
import { executionFields } from "../execution.ts";
import { sideToWire } from "../words.ts";

/** One element of `events`. */
export function encodeEvent(event: ReportedEvent): Json {
  switch (event.type) {
    case "Fill":
      return { type: "Fill", ...executionFields(event.execution) };
    case "OrderPlaced":
    case "OrderModified":
    case "OrderCanceled":
    case "OrderTriggered":
      return encodeOrderEvent(event);
    case "OracleUpdated":
    case "FundingUpdated":
    case "MarketStatusChanged":
      return encodeMarketEvent(event);
    case "FundingPaid":
    case "Liquidation":
    case "BackstopTransfer":
    case "MarginAdjusted":
      return encodePositionEvent(event);
    case "AccountChanged":
      return { type: event.name, ...(event.accountId === null ? {} : { account_id: event.accountId }), ...event.facts };
    default:
      return unreachable(event);
  }
}

function encodeOrderEvent(event: OrderEvent): Json {
  const { type } = event;
  switch (type) {
    case "OrderPlaced":
      return { type, ...orderFields(event.order) };
    case "OrderModified": {
      const { filledSize, remainingSize } = event.order;
      return {
        type,
        ...orderFields(event.order),
        filled_size: String(filledSize),
        remaining_size: String(remainingSize),
      };
    }
    case "OrderCanceled":
      return { type, ...orderRef(event), reason: event.reason };
    case "OrderTriggered":
      return { type, ...orderRef(event) };
    default:
      return unreachable(type);
  }
}

function encodeMarketEvent(event: MarketEvent): Json {
  const head = { type: event.type, market_id: event.marketId };
  switch (event.type) {
    case "OracleUpdated":
      return {
        ...head,
        price: String(event.price),
        previous_price: String(event.previousPrice),
        positions_updated: event.positionsUpdated,
        valid_until: event.validUntilSec,
      };
    case "FundingUpdated":
      return { ...head, funding_rate: String(event.fundingRate), last_funding_timestamp: event.timestampSec };
    case "MarketStatusChanged":
      return { ...head, status: event.status };
    default:
      return unreachable(event);
  }
}

function encodePositionEvent(event: PositionEvent): Json {
  const head = { type: event.type, account_id: event.accountId, market_id: event.marketId };
  switch (event.type) {
    case "FundingPaid":
      return {
        ...head,
        inventory: String(event.inventory),
        amount: String(event.amount),
        funding_rate: String(event.fundingRate),
        timestamp: event.timestampSec,
      };
    case "Liquidation":
      return {
        ...head,
        positions_closed: event.positionsClosed,
        liquidation_fee: "0",
        positions_remaining: event.positionsRemaining,
      };
    case "BackstopTransfer":
      return { ...head, side: sideToWire(event.side), size: String(event.size), price: String(event.price) };
    case "MarginAdjusted":
      return { ...head, delta: String(event.delta) };
    default:
      return unreachable(event);
  }
}

const orderRef = (event: {
  readonly orderId: OrderId;
  readonly accountId: AccountId;
  readonly marketId: MarketId;
}) => ({
  order_id: event.orderId,
  account_id: event.accountId,
  market_id: event.marketId,
});

const orderFields = (order: Order) => ({
  ...orderRef(order),
  side: sideToWire(order.side),
  price: String(order.price),
  size: String(order.size),
  ...(order.triggerPrice === null ? {} : { trigger_price: String(order.triggerPrice) }),
});
