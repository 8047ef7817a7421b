// A queue model's prediction of a recorded session: its orders are placed, moved and canceled when the exchange did so, and the model fills
// them.

import type { ChainEvent } from "../../devnet/event.ts";
import { inventoryOf } from "../../domain/account.ts";
import type { PlaceCommand } from "../../domain/command.ts";
import { type Fill, fillsOf } from "../../domain/fill.ts";
import type { QueueModel } from "../../domain/queue.ts";
import { type AccountId, type MarketId, type OrderId, price, type Size, size, usdc } from "../../domain/units.ts";
import { createVirtualClock } from "../../kernel/virtual-clock.ts";
import { plainTerms } from "../../wire/transaction/trading.ts";
import type { Mids } from "./mids.ts";
import { QueueExchange } from "./queue-exchange.ts";
import type { Happened, OwnOrder, Session } from "./session.ts";
import { Tally } from "./tally.ts";
import { Traded } from "./traded.ts";

/** More than any order needs: the session's orders were within the real margin. */
const COLLATERAL = usdc(10n ** 16n);

/** One order of the session in the model's exchange. */
type Stood = { orderId: OrderId | null; filled: bigint; filledBefore: bigint };

export class Prediction {
  readonly tally: Tally;
  readonly traded = new Traded();
  readonly #market: Mids;
  readonly #world;
  readonly #exchange: QueueExchange;
  /** By the session's order, and the session's order by the model's. */
  readonly #orders = new Map<OrderId, Stood>();
  readonly #names = new Map<OrderId, OrderId>();
  #placing: OrderId | null = null;
  readonly #startMs: number;
  #atMs: number;

  constructor(model: QueueModel, session: Session, market: Mids) {
    this.#market = market;
    this.#startMs = session.fromMs;
    this.#atMs = session.fromMs;
    this.tally = new Tally(session.fromMs);
    this.#world = createVirtualClock({ startMs: session.fromMs });
    const accounts = session.accounts.map(({ accountId, feeTierVolume30d }) => ({
      accountId,
      collateral: COLLATERAL,
      volume30d: feeTierVolume30d ?? usdc(0n),
    }));
    this.#exchange = new QueueExchange(session, { chainId: "recorded", model, accounts }, this.#world);
    for (const { accountId, positions } of session.accounts)
      for (const position of positions) this.#hold(accountId, position.marketId, inventoryOf(position));
    this.#exchange.mirrored.exchange.chain.onEvents(({ events }) => {
      for (const event of events) this.#hear(event);
    });
  }

  /** Takes effect from now on. */
  setModel(model: QueueModel): void {
    this.#exchange.mirrored.mirror.setModel(model);
  }

  take(happened: Happened, atMs: number): void {
    this.#world.advanceSync(Math.max(0, atMs - this.#atMs));
    this.#atMs = Math.max(atMs, this.#atMs);
    this.#exchange.happen(happened);
    switch (happened.kind) {
      case "placed":
        this.#place(happened.order, happened.command);
        break;
      case "modified":
        this.#modify(happened.order);
        break;
      case "gone":
        this.#cancel(happened.order);
        break;
      default:
        break;
    }
  }

  /** Resolves with the model's prediction for the whole session. */
  async end(atMs: number) {
    const predicted = this.tally.end(this.#market.mids, atMs);
    await this.#exchange.mirrored.exchange.close();
    return predicted;
  }

  /** Sets the position held before the session. */
  #hold(accountId: AccountId, marketId: MarketId, inventory: Size): void {
    if (inventory === 0n) return;
    const { exchange, mirror } = this.#exchange.mirrored;
    const tick = exchange.chain.reads.market(marketId)?.tickSize ?? price(1n);
    const at = price((this.#market.mid(marketId) / tick) * tick);
    const contracts = size(inventory < 0n ? -inventory : inventory);
    const level = { price: at, size: contracts, orderCount: 1 };
    const isLong = inventory > 0n;
    const show = (levels: readonly (typeof level)[]) => {
      const book = { marketId, bids: isLong ? [] : levels, asks: isLong ? levels : [] };
      mirror.apply({ kind: "book", book, receivedMs: 0 });
    };
    show([level]);
    this.#act(accountId, { marketId, side: isLong ? "buy" : "sell", price: at, size: contracts, timeInForce: "IOC" });
    show([]);
  }

  #place(order: OwnOrder, command: PlaceCommand | null): void {
    this.#orders.set(order.orderId, { orderId: null, filled: 0n, filledBefore: 0n });
    this.#put(order, size(order.size - order.filled), command);
  }

  #put(
    { orderId, accountId, marketId, side, price: at }: OwnOrder,
    contracts: Size,
    command: PlaceCommand | null,
  ): void {
    this.#placing = orderId;
    const {
      orderType = "Limit",
      postOnly = false,
      reduceOnly = false,
      timeInForce = "GTC",
      maxSlippageBps = null,
    } = command ?? {};
    const terms = { orderType, postOnly, reduceOnly, timeInForce, maxSlippageBps };
    this.#act(accountId, { ...terms, marketId, side, price: orderType === "Market" ? price(0n) : at, size: contracts });
    this.#placing = null;
  }

  /** The whole size includes what was filled, which may differ here. */
  #modify(order: OwnOrder): void {
    const stood = this.#orders.get(order.orderId);
    if (stood === undefined) return;
    const left = order.size - stood.filled;
    if (left <= 0n) this.#cancel(order);
    else if (stood.orderId === null) {
      stood.filledBefore = stood.filled;
      this.#put(order, size(left), null);
    } else {
      const newSize = size(order.size - stood.filledBefore);
      const transaction = { type: "ModifyOrder", orderId: stood.orderId, newPrice: order.price, newSize } as const;
      this.#exchange.act(order.accountId, transaction);
    }
  }

  #cancel({ accountId, orderId }: OwnOrder): void {
    const stood = this.#orders.get(orderId);
    if (stood?.orderId === undefined || stood.orderId === null) return;
    this.#exchange.act(accountId, { type: "CancelOrder", orderId: stood.orderId });
  }

  #act(
    accountId: AccountId,
    order: Pick<PlaceCommand, "marketId" | "side" | "price" | "size" | "timeInForce"> & Partial<PlaceCommand>,
  ): void {
    const { marketId, side, price: at, size: contracts, timeInForce } = order;
    const { orderType = "Limit", reduceOnly = false, postOnly = false, maxSlippageBps = null } = order;
    const terms = { orderType, reduceOnly, postOnly, timeInForce };
    const transaction = {
      type: "PlaceOrder",
      ...plainTerms,
      accountId,
      marketId,
      side,
      price: at,
      size: contracts,
      ...terms,
      maxSlippageBps,
    } as const;
    this.#exchange.act(accountId, transaction);
  }

  #hear(event: ChainEvent): void {
    const { isOurs } = this.#exchange.mirrored;
    if (event.type === "OrderPlaced" && isOurs(event.order.accountId) && this.#placing !== null) {
      this.#names.set(event.order.orderId, this.#placing);
      const stood = this.#orders.get(this.#placing);
      if (stood !== undefined) stood.orderId = event.order.orderId;
    } else if (event.type === "OrderCanceled" && isOurs(event.accountId)) {
      this.#forget(event.orderId);
    } else if (event.type === "Fill") {
      const { makerAccountId, takerAccountId } = event.execution;
      for (const id of new Set([makerAccountId, takerAccountId]))
        if (isOurs(id)) this.#fill(fillsOf(event.execution, id));
    }
  }

  #fill(fills: readonly Fill[]): void {
    for (const fill of fills) {
      const orderId = this.#names.get(fill.orderId);
      if (orderId === undefined) continue;
      this.tally.fill(fill, this.#market.mid(fill.marketId), this.#atMs);
      this.traded.note(orderId, fill, this.#atMs - this.#startMs);
      const stood = this.#orders.get(orderId);
      if (stood === undefined) continue;
      stood.filled += fill.size;
      const order = this.#exchange.mirrored.exchange.chain.reads.account(fill.accountId)?.openOrders;
      if (order?.every((each) => each.orderId !== fill.orderId)) this.#forget(fill.orderId);
    }
  }

  #forget(orderId: OrderId): void {
    const name = this.#names.get(orderId);
    const stood = name === undefined ? undefined : this.#orders.get(name);
    if (stood?.orderId === orderId) stood.orderId = null;
  }
}
