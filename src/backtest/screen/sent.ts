// Commands of a screening on their way, and what orders may be meanwhile: the plan leaves a slot alone until its answer.

import type { Command } from "../../domain/command.ts";
import type { TrackedOrder } from "../../domain/order.ts";
import type { MarketId, Nonce } from "../../domain/units.ts";

/** A command on its way. `nonce`: its name until the exchange has named the order. */
export type Sent = { readonly dueMs: number; readonly command: Command; readonly nonce: Nonce };

/** The orders with what a command on its way may make of them. */
export function withSent(
  orders: readonly TrackedOrder[],
  { command, nonce: name }: Sent,
  of: MarketId,
  nowMs: number,
): readonly TrackedOrder[] {
  switch (command.kind) {
    case "place": {
      if (command.marketId !== of) return orders;
      const { marketId, side, price: at, size: whole, reduceOnly, postOnly, level } = command;
      const base = { nonce: name, orderId: null, marketId, side, price: at, size: whole, remainingSize: whole };
      const rest = { reduceOnly, postOnly, isConditional: false, isForeign: false, level, pending: null };
      return [...orders, { ...base, ...rest, state: "inFlight", movingTo: [], sinceMs: nowMs, queueAhead: null }];
    }
    case "modify":
      return orders.map((order) => {
        if (order.orderId !== command.orderId) return order;
        const to = { price: command.newPrice ?? order.price, size: command.newSize ?? order.size };
        return { ...order, pending: to, movingTo: [to], level: command.level };
      });
    case "cancel":
      return orders.map((order) => (order.orderId === command.orderId ? { ...order, state: "canceling" } : order));
    case "cancelAll":
      return command.marketId === null || command.marketId === of
        ? orders.map((order) => ({ ...order, state: "canceling" }))
        : orders;
  }
}
