// The index behind S4.3: what happened to each account's orders, fills and funding, beside totals of the exchange. It reads
// only the chain's events; a chain that resumes from disk restores it.

import type { Execution } from "../../../domain/fill.ts";
import type { Order } from "../../../domain/order.ts";
import { notional } from "../../../domain/rounding.ts";
import { type AccountId, type OrderId, type Size, size, usdc } from "../../../domain/units.ts";
import { createOldestOutMap, createRing } from "../../../kernel/bounded.ts";
import type { ExchangeStats } from "../../../wire/rest/exchange.ts";
import type { FillRow, FundingRow, OrderRow, Place } from "../../../wire/rest/history.ts";
import { parsedText, textOf } from "../../accounts/table.ts";
import type { ChainIndex } from "../../chain/chain-index.ts";
import type { ChainEvent } from "../../event.ts";

/** Totals since genesis. */
export type Totals = Pick<ExchangeStats, "totalTrades" | "totalVolume" | "totalOrders" | "totalLiquidations">;

export type History = ChainIndex & {
  /** Newest first, as the other two. */
  readonly fills: (account: AccountId) => readonly FillRow[];
  /** In the order of placing. */
  readonly orders: (account: AccountId) => readonly OrderRow[];
  readonly funding: (account: AccountId) => readonly FundingRow[];
  readonly totals: () => Totals;
};

type Saved = { readonly totals: Totals; readonly shelves: readonly (readonly [AccountId, SavedShelf])[] };

const nothingYet: Totals = { totalTrades: 0n, totalVolume: usdc(0n), totalOrders: 0n, totalLiquidations: 0n };

/** `unowned`: accounts whose history nobody can ever ask for, because nobody holds their keys. */
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
    fills: (account) => shelves.get(account)?.rows().fills.toReversed() ?? [],
    orders: (account) => shelves.get(account)?.rows().orders.toReversed() ?? [],
    funding: (account) => shelves.get(account)?.rows().funding.toReversed() ?? [],
    totals: () => totals,
    save: () => textOf({ totals, shelves: Array.from(shelves, ([id, shelf]) => [id, shelf.rows()]) }),
    load(text) {
      const saved = parsedText(text) as Saved;
      totals = saved.totals;
      shelves.clear();
      for (const [id, rows] of saved.shelves) shelves.set(id, createShelf(rows));
    },
  };
}

/** Rows of each kind that an account keeps: hours of a busy bot, and a bound on memory over any number of transactions. */
const ROWS_MAX = 10_000;

/** Oldest first. */
type SavedShelf = {
  readonly fills: readonly FillRow[];
  readonly orders: readonly OrderRow[];
  readonly funding: readonly FundingRow[];
};

/** One account's rows, the newest kept. */
type Shelf = {
  readonly addFill: (row: FillRow) => void;
  readonly addFunding: (row: FundingRow) => void;
  readonly place: (order: Order, at: Place) => void;
  /** Nothing when the order is not remembered. */
  readonly change: (order: OrderId, at: Place, changed: (order: Order) => Order) => void;
  readonly rows: () => SavedShelf;
};

function createShelf(saved: SavedShelf = { fills: [], orders: [], funding: [] }): Shelf {
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
function filledBy(order: Order, by: Size): Order {
  const filledSize = size(order.filledSize + by);
  const remainingSize = size(order.remainingSize - by);
  return { ...order, filledSize, remainingSize, status: remainingSize === 0n ? "Filled" : "PartiallyFilled" };
}
