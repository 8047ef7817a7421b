// A command as the transaction it becomes, the lane it travels in, and how much it may do to exposure at worst.

import type { ActionClass, Command } from "../../domain/command.ts";
import { plainTerms, type TradingTransaction } from "../../wire/transaction/trading.ts";
import type { Lane } from "../venue/port.ts";

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

/** At worst: a modify may make an order larger or bring it nearer, whatever it was meant for. */
export function actionClassOf(command: Command): ActionClass {
  if (command.kind === "cancel" || command.kind === "cancelAll") return "cancel";
  return command.reduceOnly ? "reduce" : "increase";
}

export function laneOf(command: Command): Lane {
  if (command.kind === "cancel" || command.kind === "cancelAll") return "cancel";
  if (command.reduceOnly) return "reduce";
  return command.kind;
}

/** Whether the exchange keeps the nonce of the transaction (S5): all but CancelOrder. Only those can be fenced. */
export const commitsNonce = (command: Command): boolean => command.kind !== "cancel";
