// One account's rows in the index of history: its fills, orders and funding payments, the newest kept.

import type { Order } from "../../../domain/order.ts";
import { type OrderId, type Size, size } from "../../../domain/units.ts";
import { createOldestOutMap, createRing } from "../../../kernel/bounded.ts";
import type { FillRow, FundingRow, OrderRow, Place } from "../../../wire/rest/history.ts";

/** Rows of each kind that an account keeps: hours of a busy bot, and a bound on memory over any number of transactions. */
const ROWS_MAX = 10_000;

/** Oldest first. */
export type SavedShelf = {
  readonly fills: readonly FillRow[];
  readonly orders: readonly OrderRow[];
  readonly funding: readonly FundingRow[];
};

export type Shelf = {
  readonly addFill: (row: FillRow) => void;
  readonly addFunding: (row: FundingRow) => void;
  readonly place: (order: Order, at: Place) => void;
  /** Nothing when the order is not remembered. */
  readonly change: (order: OrderId, at: Place, changed: (order: Order) => Order) => void;
  readonly rows: () => SavedShelf;
};

export function createShelf(saved: SavedShelf = { fills: [], orders: [], funding: [] }): Shelf {
  const fills = createRing<FillRow>(ROWS_MAX);
  const funding = createRing<FundingRow>(ROWS_MAX);
  const orders = createOldestOutMap<OrderId, OrderRow>(ROWS_MAX);
  for (const row of saved.fills) fills.push(row);
  for (const row of saved.funding) funding.push(row);
  for (const row of saved.orders) orders.set(row.order.orderId, row);

  return {
    addFill: fills.push,
    addFunding: funding.push,
    place: (order, at) => orders.set(order.orderId, { ...at, order }),
    change(id, at, changed) {
      const row = orders.get(id);
      if (row !== undefined) orders.set(id, { ...at, order: { ...changed(row.order), updatedAtMs: at.timeMs } });
    },
    rows: () => ({
      fills: fills.items(),
      funding: funding.items(),
      orders: Array.from(orders.keys(), (id) => orders.get(id)).filter((row) => row !== undefined),
    }),
  };
}

/** The order after some more of it was filled. */
export function filledBy(order: Order, by: Size): Order {
  const filledSize = size(order.filledSize + by);
  const remainingSize = size(order.remainingSize - by);
  return { ...order, filledSize, remainingSize, status: remainingSize === 0n ? "Filled" : "PartiallyFilled" };
}
