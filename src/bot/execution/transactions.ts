// The transaction that a command becomes.

import type { Command } from "../../domain/command.ts";
import { plainTerms, type TradingTransaction } from "../../wire/transaction/trading.ts";

export function transactionOf(command: Command): TradingTransaction {
  switch (command.kind) {
    case "cancel":
      return { type: "CancelOrder", orderId: command.orderId };
    case "cancelAll":
      return { type: "CancelAllOrders", marketId: command.marketId };
    case "modify":
      return {
        type: "ModifyOrder",
        orderId: command.orderId,
        newPrice: command.newPrice,
        newSize: command.newSize,
      };
    case "place": {
      const { accountId, marketId, side, orderType, price, size, reduceOnly, postOnly, timeInForce } = command;
      return {
        type: "PlaceOrder",
        ...plainTerms,
        accountId,
        marketId,
        side,
        orderType,
        price,
        size,
        reduceOnly,
        postOnly,
        timeInForce,
        maxSlippageBps: command.maxSlippageBps,
      };
    }
  }
}
