// A command in a few words, for the log.

import type { Command } from "../../../domain/command.ts";
import { PRICE_SCALE, SIZE_SCALE } from "../../../domain/units.ts";
import { formatDecimal } from "../../../kernel/decimal.ts";

/** `cancel of order 2107`, `buy 0.5 at 216.95`. */
export function actText(command: Command): string {
  switch (command.kind) {
    case "place":
      return `${command.side} ${formatDecimal(command.size, SIZE_SCALE)} at ${formatDecimal(command.price, PRICE_SCALE)}`;
    case "modify":
    case "cancel":
      return `${command.kind} of order ${command.orderId}`;
    case "cancelAll":
      return command.marketId === null ? "cancel of all orders" : `cancel of all orders in market ${command.marketId}`;
  }
}
