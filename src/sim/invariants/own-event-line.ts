// Trace lines for events of the bot's account.

import type { ChainEvent } from "../../devnet/event.ts";
import type { AccountId } from "../../domain/units.ts";

/** One line; undefined if the event is not of the account. */
export function ownEventLine(event: ChainEvent, account: AccountId): string | undefined {
  switch (event.type) {
    case "OrderPlaced":
    case "OrderModified": {
      const { orderId, accountId, marketId, side, price, remainingSize } = event.order;
      if (accountId !== account) return undefined;
      return `${event.type} ${orderId} market ${marketId} ${side} ${remainingSize} at ${price}`;
    }
    case "OrderCanceled":
      return event.accountId === account ? `OrderCanceled ${event.orderId} ${event.reason}` : undefined;
    case "Fill": {
      const { makerAccountId, takerAccountId, makerOrderId, takerOrderId, size, price } = event.execution;
      if (makerAccountId === account) return `Fill of ${makerOrderId} as maker, ${size} at ${price}`;
      return takerAccountId === account ? `Fill of ${takerOrderId} as taker, ${size} at ${price}` : undefined;
    }
    default:
      return undefined;
  }
}
