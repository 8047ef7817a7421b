// The index behind S4.3: orders, fills and funding of each account, and totals of the exchange. It reads only the chain's events; a chain
// that resumes from disk restores it.

import type { Execution } from "../../../domain/fill.ts";
import type { Order } from "../../../domain/order.ts";
import { notional } from "../../../domain/rounding.ts";
import { type AccountId, type OrderId, type Size, size, usdc } from "../../../domain/units.ts";
import { createOldestOutMap } from "../../../kernel/bounded.ts";
import type { ExchangeStats } from "../../../wire/rest/exchange.ts";
import type { FillRow, FundingRow, OrderRow, Place } from "../../../wire/rest/history.ts";
import { parsedText, textOf } from "../../accounts/table.ts";
import type { ChainIndex } from "../../chain/chain-index.ts";
import { createPile, type Kept, keptNothing } from "../../chain/pile.ts";
import type { ChainEvent } from "../../event.ts";

/** Totals since genesis. */
export type Totals = {
  readonly [K in "totalTrades" | "totalVolume" | "totalOrders" | "totalLiquidations"]: NonNullable<ExchangeStats[K]>;
};

export type History = ChainIndex & {
  readonly fills: (account: AccountId) => Kept<FillRow>;
  /** Ordered by the time of placing, which is each row's time. */
  readonly orders: (account: AccountId) => Kept<OrderRow>;
  readonly funding: (account: AccountId) => Kept<FundingRow>;
  readonly totals: () => Totals;
};

type Saved = { readonly totals: Totals; readonly shelves: readonly (readonly [AccountId, SavedShelf])[] };

const nothingYet: Totals = { totalTrades: 0n, totalVolume: usdc(0n), totalOrders: 0n, totalLiquidations: 0n };

/** `unowned`: accounts whose keys no one holds, so their history can never be requested. */
export function createHistory(unowned: ReadonlySet<AccountId>): History {
  const shelves = new Map<AccountId, Shelf>();
  let totals = nothingYet;

  const count = (more: Partial<Totals>): void => {
    totals = {
      totalTrades: totals.totalTrades + (more.totalTrades ?? 0n),
      totalVolume: usdc(totals.totalVolume + (more.totalVolume ?? 0n)),
      totalOrders: totals.totalOrders + (more.totalOrders ?? 0n),
      totalLiquidations: totals.totalLiquidations + (more.totalLiquidations ?? 0n),
    };
  };

  function shelfOf(account: AccountId): Shelf | undefined {
    if (unowned.has(account)) return undefined;
    const shelf = shelves.get(account) ?? createShelf();
    shelves.set(account, shelf);
    return shelf;
  }

  function addFill(execution: Execution, at: Place): void {
    const { takerAccountId, makerAccountId, takerOrderId, makerOrderId } = execution;
    count({ totalTrades: 1n, totalVolume: notional(execution.price, execution.size) });
    const taker = shelfOf(takerAccountId);
    taker?.addFill({ ...at, accountId: takerAccountId, liquidity: "taker", execution });
    taker?.change(takerOrderId, at, (order) => filledBy(order, execution.size));
    const maker = shelfOf(makerAccountId);
    maker?.addFill({ ...at, accountId: makerAccountId, liquidity: "maker", execution });
    maker?.change(makerOrderId, at, (order) => filledBy(order, execution.size));
  }

  function addEvent(event: ChainEvent, at: Place): void {
    switch (event.type) {
      case "Fill":
        addFill(event.execution, at);
        break;
      case "OrderPlaced":
        count({ totalOrders: 1n });
        shelfOf(event.order.accountId)?.place(event.order, at);
        break;
      case "OrderModified":
        shelfOf(event.order.accountId)?.change(event.order.orderId, at, () => event.order);
        break;
      case "OrderTriggered":
        shelfOf(event.accountId)?.change(event.orderId, at, (order) => ({ ...order, status: "Triggered" }));
        break;
      case "OrderCanceled":
        shelfOf(event.accountId)?.change(event.orderId, at, (order) => ({ ...order, status: "Canceled" }));
        break;
      case "FundingPaid":
        shelfOf(event.accountId)?.addFunding({ ...at, payment: event });
        break;
      case "Liquidation":
        count({ totalLiquidations: 1n });
        break;
      default:
    }
  }

  return {
    name: "history",
    add({ height, timeMs, eventIndex, events }) {
      for (const [at, event] of events.entries()) addEvent(event, { height, timeMs, eventIndex: eventIndex + at });
    },
    fills: (account) => shelves.get(account)?.fills() ?? keptNothing,
    orders: (account) => shelves.get(account)?.orders() ?? keptNothing,
    funding: (account) => shelves.get(account)?.funding() ?? keptNothing,
    totals: () => totals,
    save: () => textOf({ totals, shelves: Array.from(shelves, savedShelf) }),
    load(text) {
      const saved = parsedText(text) as Saved;
      totals = saved.totals;
      shelves.clear();
      for (const [id, rows] of saved.shelves) shelves.set(id, createShelf(rows));
    },
  };
}

/** Rows kept per account: days of a busy bot's fills, hours of its orders. */
const FILLS_MAX = 100_000;
const OTHERS_MAX = 10_000;

type SavedShelf = {
  readonly fills: Kept<FillRow>;
  readonly orders: Kept<OrderRow>;
  readonly funding: Kept<FundingRow>;
};

/** Rows of one account; only the newest are kept. */
type Shelf = {
  readonly addFill: (row: FillRow) => void;
  readonly addFunding: (row: FundingRow) => void;
  readonly place: (order: Order, at: Place) => void;
  /** Does nothing if the order is no longer kept. */
  readonly change: (order: OrderId, at: Place, changed: (order: Order) => Order) => void;
  readonly fills: () => Kept<FillRow>;
  readonly orders: () => Kept<OrderRow>;
  readonly funding: () => Kept<FundingRow>;
};

const savedShelf = ([id, shelf]: readonly [AccountId, Shelf]): readonly [AccountId, SavedShelf] => [
  id,
  { fills: shelf.fills(), orders: shelf.orders(), funding: shelf.funding() },
];

function createShelf(saved: SavedShelf = { fills: keptNothing, orders: keptNothing, funding: keptNothing }): Shelf {
  const fills = createPile(FILLS_MAX, ({ timeMs }: FillRow) => timeMs, saved.fills);
  const funding = createPile(OTHERS_MAX, ({ timeMs }: FundingRow) => timeMs, saved.funding);
  const byId = createOldestOutMap<OrderId, OrderRow>(OTHERS_MAX);
  const placed = createPile(OTHERS_MAX, ({ createdAtMs }: Order) => createdAtMs, {
    ...saved.orders,
    rows: saved.orders.rows.map(({ order }) => order),
  });
  for (const row of saved.orders.rows.toReversed()) byId.set(row.order.orderId, row);

  return {
    addFill: fills.push,
    addFunding: funding.push,
    place(order, at) {
      placed.push(order);
      byId.set(order.orderId, { ...at, order });
    },
    change(id, at, changed) {
      const row = byId.get(id);
      if (row !== undefined) byId.set(id, { ...at, order: { ...changed(row.order), updatedAtMs: at.timeMs } });
    },
    fills: fills.kept,
    orders() {
      const { rows, droppedMs } = placed.kept();
      return { rows: rows.map(({ orderId }) => byId.get(orderId)).filter((row) => row !== undefined), droppedMs };
    },
    funding: funding.kept,
  };
}

/** The order after a further fill of size `by`. */
function filledBy(order: Order, by: Size): Order {
  const filledSize = size(order.filledSize + by);
  const remainingSize = size(order.remainingSize - by);
  return { ...order, filledSize, remainingSize, status: remainingSize === 0n ? "Filled" : "PartiallyFilled" };
}
