// The exchange of a screening: the market is the tape's, whatever we do, and our orders fill by the queue model. It reports our orders,
// fills and money as the devnet does, so that the same recorder sums them up.

import { afterFill, closed, type Holding, realizedBy } from "../../bot/accounting/holding.ts";
import type { ChainEvent } from "../../devnet/event.ts";
import type { Account, Position } from "../../domain/account.ts";
import type { Book, Level } from "../../domain/book.ts";
import type { Command, PlaceCommand } from "../../domain/command.ts";
import { feeOn, feeTierFor } from "../../domain/fees.ts";
import type { Execution, Liquidity, Trade } from "../../domain/fill.ts";
import type { FeeTier, Market, Oracle } from "../../domain/market.ts";
import type { Order } from "../../domain/order.ts";
import { leaving, type QueueModel } from "../../domain/queue.ts";
import { divideCeil, notional } from "../../domain/rounding.ts";
import {
  type AccountId,
  accountId,
  BPS,
  type MarketId,
  NOTIONAL_DIVISOR,
  type OrderId,
  opposite,
  orderId,
  type Price,
  type Side,
  type Size,
  size,
  type Usdc,
  usdc,
} from "../../domain/units.ts";
import type { RecordedBatch } from "../account-record.ts";
import type { RecordedChain } from "../recorder.ts";
import { accountRead, positionOf, type ScreenAccount } from "./account-read.ts";
import { crosses, forgetTaken, type OthersSide, sizeAt } from "./others-side.ts";
import type { TapeEvent, TapeHead } from "./tape.ts";

/** A screening cannot answer what was asked. */
export class ScreenError extends Error {
  override readonly name = "ScreenError";
}

/** The account of everybody who trades with us. */
const OTHERS = accountId(0n);
/** Funding rates are parts of this, as in the devnet. */
const RATE_PARTS = 1_000_000_000n;

/** An order of ours. `ahead`, `behind`: contracts of others at its price. */
type Resting = { order: Order; ahead: bigint; behind: bigint };

type ScreenMarket = {
  market: Market;
  oracle: Oracle;
  readonly others: Readonly<Record<Side, OthersSide>>;
  readonly resting: Resting[];
  holding: Holding;
  readonly fees: FeeTier;
};

export class ScreenExchange {
  readonly #head: TapeHead;
  readonly #account: ScreenAccount;
  readonly #model: QueueModel;
  readonly #markets = new Map<MarketId, ScreenMarket>();
  #collateral: bigint;
  #lastOrder = 0n;
  #timeMs: number;
  #events: ChainEvent[] = [];
  readonly #onEvents: ((batch: RecordedBatch) => void)[] = [];
  readonly #onBlock: ((block: { readonly timeMs: number }) => void)[] = [];
  #openOrders: readonly Order[] | null = null;

  /** Throws ScreenError where the fee schedule leaves a market out. */
  constructor(head: TapeHead, account: ScreenAccount, model: QueueModel) {
    this.#head = head;
    this.#account = account;
    this.#model = model;
    this.#collateral = account.collateral;
    this.#timeMs = head.startMs;
    for (const { market, oracle } of head.markets) {
      const fees = feeTierFor(head.feeTiers, market.assetClass, account.volume30d);
      if (fees === undefined) throw new ScreenError(`market ${market.marketId}: the fee schedule has no row for it`);
      this.#markets.set(market.marketId, {
        market,
        oracle,
        others: { buy: { levels: [], taken: new Map() }, sell: { levels: [], taken: new Map() } },
        resting: [],
        holding: { inventory: size(0n), cost: usdc(0n) },
        fees,
      });
    }
  }

  /** What a recorder reads: the account with its orders and position, and books including our orders. */
  get chain(): RecordedChain {
    return {
      head: () => ({ timeMs: this.#timeMs, stateRoot: "" }),
      onEvents: (heard) => void this.#onEvents.push(heard),
      onBlock: (heard) => void this.#onBlock.push(heard),
      reads: {
        account: (id: AccountId) => (id === this.#account.accountId ? this.#describe() : undefined),
        market: (id: MarketId) => this.#markets.get(id)?.market,
        oracle: (id: MarketId) => this.#markets.get(id)?.oracle,
        riskPrice: (id: MarketId) => this.#markets.get(id)?.oracle.price,
        feeTiers: () => this.#head.feeTiers,
        book: (id: MarketId, depth?: number) => this.#wholeBook(id, depth),
      },
    };
  }

  /** Contracts of others ahead of an order of ours. */
  queueAhead(marketId: MarketId, id: OrderId): Size {
    const resting = this.#of(marketId).resting.find(({ order }) => order.orderId === id);
    return size(resting?.ahead ?? 0n);
  }

  orders(marketId: MarketId): readonly Order[] {
    return this.#of(marketId).resting.map(({ order }) => order);
  }

  feeTier(marketId: MarketId): FeeTier {
    return this.#of(marketId).fees;
  }

  get collateral(): Usdc {
    return usdc(this.#collateral);
  }

  /** Takes a public event. `timeMs`: Unix ms. */
  take(event: TapeEvent, timeMs: number): void {
    this.#timeMs = timeMs;
    switch (event.kind) {
      case "book":
        this.#follow(this.#of(event.book.marketId), event.book);
        break;
      case "trade":
        this.#repeat(this.#of(event.trade.marketId), event.trade);
        break;
      case "marketRead":
        this.#of(event.market.marketId).market = event.market;
        break;
      case "oracleRead":
        this.#of(event.oracle.marketId).oracle = event.oracle;
        break;
      case "oracleUpdate": {
        const { marketId, price: at, previousPrice, validUntilSec } = event;
        const market = this.#of(marketId);
        market.oracle = { ...market.oracle, price: at, validUntilSec };
        const told = { marketId, price: at, previousPrice, validUntilSec, positionsUpdated: 1 };
        this.#events.push({ type: "OracleUpdated", ...told });
        break;
      }
      case "fundingUpdate":
        this.#settle(event.marketId, event.fundingRate, event.lastFundingTimestampSec);
        break;
      default:
        break;
    }
  }

  /** Executes a command of ours. */
  execute(command: Command, timeMs: number): readonly ChainEvent[] {
    this.#timeMs = timeMs;
    switch (command.kind) {
      case "place":
        this.#place(command);
        break;
      case "modify":
        this.#modify(command.marketId, command.orderId, command);
        break;
      case "cancel":
        for (const market of this.#markets.values()) this.#cancel(market, (order) => order.orderId === command.orderId);
        break;
      case "cancelAll":
        for (const market of this.#markets.values())
          this.#cancel(market, ({ marketId }) => command.marketId === null || marketId === command.marketId);
        break;
    }
    return this.flush(false);
  }

  /** Reports what has happened since the last call. `isOwn`: of the chain itself. */
  flush(isOwn = true): readonly ChainEvent[] {
    const events = this.#events;
    if (events.length === 0) return events;
    this.#events = [];
    const batch = { timeMs: this.#timeMs, isOwn, events };
    for (const heard of this.#onEvents) heard(batch);
    return events;
  }

  /** An instant has passed. */
  endBlock(timeMs: number): void {
    this.#timeMs = timeMs;
    for (const heard of this.#onBlock) heard({ timeMs });
  }

  #of(marketId: MarketId): ScreenMarket {
    const market = this.#markets.get(marketId);
    if (market === undefined) throw new ScreenError(`market ${marketId} is not on the tape`);
    return market;
  }

  /** A post-only order that would trade is refused. */
  #place(command: PlaceCommand): void {
    const { marketId, side, price: at, size: contracts, reduceOnly, postOnly, orderType, timeInForce } = command;
    const market = this.#of(marketId);
    if (postOnly && crosses(market.others[opposite(side)], side, at)) return;
    this.#lastOrder += 1n;
    const order: Order = {
      orderId: orderId(this.#lastOrder),
      accountId: this.#account.accountId,
      marketId,
      side,
      orderType,
      price: at,
      size: contracts,
      filledSize: size(0n),
      remainingSize: contracts,
      triggerPrice: null,
      reduceOnly,
      postOnly,
      timeInForce,
      status: "Open",
      takeProfit: null,
      stopLoss: null,
      createdAtMs: this.#timeMs,
      updatedAtMs: this.#timeMs,
    };
    const resting: Resting = { order, ahead: 0n, behind: 0n };
    market.resting.push(resting);
    this.#changed({ type: "OrderPlaced", order });
    if (!postOnly) this.#take(market, resting, command);
    if (!market.resting.includes(resting)) return;
    if (timeInForce !== "GTC" || orderType === "Market") this.#remove(market, resting);
    else resting.ahead = sizeAt(market.others[side], at);
  }

  /** An order takes from the tape's book; the tape continues unchanged. */
  #take(market: ScreenMarket, resting: Resting, { side, price: at, orderType, maxSlippageBps }: PlaceCommand): void {
    const against = market.others[opposite(side)];
    const mark = market.market.markPrice ?? market.oracle.price;
    const slip = (mark * BigInt(maxSlippageBps ?? 0)) / BPS;
    const isUnbound = orderType === "Market" && maxSlippageBps === null;
    const worst = orderType === "Limit" ? at : side === "buy" ? mark + slip : mark - slip;
    for (const level of against.levels) {
      if (!isUnbound && (side === "buy" ? level.price > worst : level.price < worst)) return;
      this.#meetLevel(market, resting, level, "taker");
      if (!market.resting.includes(resting)) return;
    }
  }

  /** A new price, or more size, goes to the end of the queue; one that would cross leaves the order unchanged. */
  #modify(
    marketId: MarketId,
    id: OrderId,
    { newPrice, newSize }: { readonly newPrice: Price | null; readonly newSize: Size | null },
  ): void {
    const market = this.#of(marketId);
    const resting = market.resting.find(({ order }) => order.orderId === id);
    if (resting === undefined) return;
    const { order } = resting;
    const [at, whole] = [newPrice ?? order.price, newSize ?? order.size];
    const remaining = size(whole - order.filledSize);
    if (at !== order.price && crosses(market.others[opposite(order.side)], order.side, at)) return;
    if (remaining <= 0n) {
      this.#cancel(market, (other) => other === order);
      return;
    }
    if (at !== order.price || whole > order.size) {
      market.resting.splice(market.resting.indexOf(resting), 1);
      market.resting.push(resting);
      resting.ahead = sizeAt(market.others[order.side], at);
      resting.behind = 0n;
    }
    resting.order = { ...order, price: at, size: whole, remainingSize: remaining, updatedAtMs: this.#timeMs };
    this.#changed({ type: "OrderModified", order: resting.order });
  }

  #cancel(market: ScreenMarket, which: (order: Order) => boolean): void {
    for (const resting of market.resting.filter(({ order }) => which(order))) this.#remove(market, resting);
  }

  #remove(market: ScreenMarket, resting: Resting): void {
    const { orderId: id, marketId } = resting.order;
    market.resting.splice(market.resting.indexOf(resting), 1);
    const told = { orderId: id, accountId: this.#account.accountId, marketId, reason: "UserCanceled" } as const;
    this.#changed({ type: "OrderCanceled", ...told });
  }

  #changed(event: ChainEvent): void {
    this.#openOrders = null;
    this.#events.push(event);
  }

  /** Follows the others' book: the model decides who left a shortened queue; new offers at our price or better meet our order. */
  #follow(market: ScreenMarket, book: Book): void {
    for (const [side, levels] of [
      ["buy", book.bids],
      ["sell", book.asks],
    ] as const) {
      const others = market.others[side];
      if (others.taken.size > 0) forgetTaken(others, levels);
      others.levels = levels;
    }
    for (const resting of [...market.resting]) {
      this.#requeue(market, resting);
      this.#meet(market, resting);
    }
  }

  #requeue({ others }: ScreenMarket, resting: Resting): void {
    const { order, ahead, behind } = resting;
    const now = sizeAt(others[order.side], order.price);
    const before = ahead + behind;
    if (now >= before) {
      resting.behind = now - ahead;
      return;
    }
    const front = { left: ahead, staying: ahead, count: 2 };
    const back = { left: behind, staying: behind, count: 2 };
    const queue = [front, back].filter(({ left }) => left > 0n);
    for (const { piece, amount } of leaving(queue, before - now, this.#model)) {
      if (piece === front) resting.ahead -= amount;
      else resting.behind -= amount;
    }
  }

  /** Others whose price has come to ours would have traded with us. */
  #meet(market: ScreenMarket, resting: Resting): void {
    const { side, price: at } = resting.order;
    for (const level of market.others[opposite(side)].levels) {
      if (side === "buy" ? level.price > at : level.price < at) return;
      this.#meetLevel(market, resting, level, "maker");
      if (!market.resting.includes(resting)) return;
    }
  }

  /** Fills of what others offer there and we have not taken. */
  #meetLevel(market: ScreenMarket, resting: Resting, level: Level, liquidity: Liquidity): void {
    const { side, price: at } = resting.order;
    const { taken } = market.others[opposite(side)];
    const before = taken.get(level.price) ?? 0n;
    // A maker's price holds.
    const price = liquidity === "maker" ? at : level.price;
    const filled = this.#fill(market, resting, level.size - before, { price, liquidity });
    if (filled > 0n) taken.set(level.price, before + filled);
  }

  /** A taker meets our orders that are better than its price, then those at its price behind what is ahead of them. */
  #repeat(market: ScreenMarket, trade: Trade): void {
    const side = opposite(trade.takerSide);
    const sign = side === "buy" ? -1n : 1n;
    let left: bigint = trade.size;
    let passed = 0n;
    const met = market.resting
      .filter(({ order }) => order.side === side && sign * (trade.price - order.price) >= 0n)
      .sort((a, b) => Number(sign * (a.order.price - b.order.price)));
    for (const resting of met) {
      if (resting.order.price === trade.price) {
        const ahead = resting.ahead - passed;
        const others = ahead < left ? ahead : left;
        if (others > 0n) {
          passed += others;
          left -= others;
        }
        resting.ahead -= passed < resting.ahead ? passed : resting.ahead;
      }
      if (left <= 0n) continue;
      left -= this.#fill(market, resting, left, { price: resting.order.price, liquidity: "maker" });
    }
    // The rest was taken from those behind us.
    for (const resting of met) {
      if (resting.order.price !== trade.price) continue;
      resting.behind -= left < resting.behind ? left : resting.behind;
    }
  }

  /** Returns how much of `offered` it filled. */
  #fill(
    market: ScreenMarket,
    resting: Resting,
    offered: bigint,
    { price: at, liquidity }: { readonly price: Price; readonly liquidity: Liquidity },
  ): bigint {
    const { order } = resting;
    const { side, reduceOnly, remainingSize } = order;
    const { inventory } = market.holding;
    const reducible = side === "buy" ? -inventory : inventory;
    const most = reduceOnly && reducible < remainingSize ? reducible : remainingSize;
    const filled = size(offered < most ? offered : most);
    if (filled <= 0n) {
      if (reduceOnly && reducible <= 0n) this.#remove(market, resting);
      return 0n;
    }
    const traded = { side, price: at, size: filled };
    const realized = realizedBy(market.holding, traded);
    const { makerFeeBps, takerFeeBps } = market.fees;
    const fee = feeOn(notional(at, filled), liquidity === "maker" ? makerFeeBps : takerFeeBps);
    market.holding = closed(afterFill(market.holding, traded, realized));
    this.#collateral += realized - fee;
    const filledSize = size(order.filledSize + filled);
    resting.order = { ...order, filledSize, remainingSize: size(order.size - filledSize), status: "PartiallyFilled" };
    if (resting.order.remainingSize <= 0n) market.resting.splice(market.resting.indexOf(resting), 1);
    this.#changed({ type: "Fill", execution: this.#executionOf(resting.order, traded, { liquidity, fee, realized }) });
    return filled;
  }

  #executionOf(
    { marketId, orderId: id, filledSize, side }: Order,
    { price: at, size: filled }: { readonly price: Price; readonly size: Size },
    { liquidity, fee, realized }: { readonly liquidity: Liquidity; readonly fee: Usdc; readonly realized: Usdc },
  ): Execution {
    const none = usdc(0n);
    const ours = { account: this.#account.accountId, order: id, fee, realized };
    const others = { account: OTHERS, order: orderId(0n), fee: none, realized: none };
    const [taker, maker] = liquidity === "taker" ? [ours, others] : [others, ours];
    return {
      marketId,
      price: at,
      size: filled,
      takerSide: liquidity === "taker" ? side : opposite(side),
      takerOrderId: taker.order,
      makerOrderId: maker.order,
      // Identifies the fill: an order may fill more than once at one instant.
      txHash: `${filledSize}`,
      timestampMs: this.#timeMs,
      takerAccountId: taker.account,
      makerAccountId: maker.account,
      takerFee: taker.fee,
      makerFee: maker.fee,
      takerRealizedPnl: taker.realized,
      makerRealizedPnl: maker.realized,
    };
  }

  #settle(marketId: MarketId, fundingRate: bigint, timestampSec: number): void {
    const { holding, oracle } = this.#of(marketId);
    const { inventory } = holding;
    if (inventory === 0n) return;
    const amount = usdc(-divideCeil(inventory * ((fundingRate * oracle.price) / RATE_PARTS), NOTIONAL_DIVISOR));
    this.#collateral += amount;
    const { accountId: id } = this.#account;
    this.#events.push({ type: "FundingPaid", accountId: id, marketId, inventory, amount, fundingRate, timestampSec });
  }

  #describe(): Account {
    this.#openOrders ??= [...this.#markets.values()].flatMap(({ resting }) => resting.map(({ order }) => order));
    const positions = [...this.#markets].flatMap(([marketId, { holding, oracle }]): readonly Position[] =>
      holding.inventory === 0n ? [] : [positionOf(marketId, holding, oracle.price)],
    );
    return accountRead(this.#account, { collateral: usdc(this.#collateral), positions, openOrders: this.#openOrders });
  }

  /** The book as the exchange would show it. */
  #wholeBook(marketId: MarketId, depth = Number.POSITIVE_INFINITY): Book {
    const { others, resting } = this.#of(marketId);
    const side = (of: Side): readonly Level[] => {
      const sign = of === "buy" ? -1n : 1n;
      const levels = others[of].levels.slice(0, depth);
      for (const { order } of resting) {
        if (order.side !== of) continue;
        const behind = levels.findIndex(({ price: at }) => sign * (at - order.price) >= 0n);
        const at = behind < 0 ? levels.length : behind;
        const shared = levels[at]?.price === order.price ? levels[at] : undefined;
        const whole = size((shared?.size ?? 0n) + order.remainingSize);
        const level = { price: order.price, size: whole, orderCount: (shared?.orderCount ?? 0) + 1 };
        levels.splice(at, shared === undefined ? 0 : 1, level);
      }
      return levels.slice(0, depth);
    };
    return { marketId, bids: side("buy"), asks: side("sell") };
  }
}
