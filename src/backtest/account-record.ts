// Records one account over a run: folds its exchange events into an account book, and values it. Equity comes from the exchange's own
// account, PnL by source from the book; that both agree to the last unit proves both.

import { type AccountBook, createAccountBook, foldBook } from "../bot/accounting/account-book.ts";
import { valueAt } from "../bot/accounting/holding.ts";
import { emptyMarketBook, type Pnl, pnlComponents, pnlOf } from "../bot/accounting/market-book.ts";
import { queueDecile } from "../bot/analytics/markouts.ts";
import type { EventBatch } from "../devnet/chain/block-maker.ts";
import type { ChainReads } from "../devnet/chain/reads.ts";
import type { ChainEvent } from "../devnet/event.ts";
import { feeTierFor } from "../domain/fees.ts";
import { type Fill, fillsOf } from "../domain/fill.ts";
import { contractsOf } from "../domain/rounding.ts";
import {
  type AccountId,
  type MarketId,
  type OrderId,
  type Price,
  type Size,
  signOf,
  size,
  type Usdc,
  usdc,
} from "../domain/units.ts";
import { type Closing, closingOf, nothingToClose } from "./closing.ts";
import type { MarketRecord } from "./market-record.ts";
import type { Marks } from "./marks.ts";

export type RecordedReads = Pick<ChainReads, "account" | "market" | "book" | "oracle" | "riskPrice" | "feeTiers">;
export type RecordedBatch = Pick<EventBatch, "timeMs" | "isOwn" | "events">;

type Modules = {
  readonly reads: RecordedReads;
  readonly marks: Marks;
  /** Called for each fill, with the mid before its transaction. */
  readonly onFill: (fill: Fill, mid: Price, atMs: number) => void;
};
type Valuation = "mid" | "print";
type Action = keyof MarketRecord["actions"];

export class AccountRecord {
  readonly accountId: AccountId;
  readonly markets: ReadonlyMap<MarketId, MarketRecord>;
  readonly #modules: Modules;
  readonly #book: AccountBook = createAccountBook();
  /** Original sizes of own orders, as long as they rest. */
  #sizes = new Map<OrderId, Size>();
  #hasMoved = true;
  /** PnL when counting began. */
  readonly #before = new Map<MarketId, Readonly<Record<Valuation, Pnl>>>();

  constructor(accountId: AccountId, markets: readonly MarketRecord[], modules: Modules) {
    this.accountId = accountId;
    this.markets = new Map(markets.map((market) => [market.marketId, market]));
    this.#modules = modules;
    const amount = modules.reads.account(accountId)?.collateral ?? usdc(0n);
    foldBook(this.#book, {
      kind: "transfer",
      key: "opening",
      reason: "opening",
      marketId: null,
      amount,
      fillKeys: [],
    });
  }

  /** Takes the changes of one transaction, or of the chain itself. */
  take({ events, timeMs, isOwn }: RecordedBatch): void {
    const done = new Map<Action, MarketId>();
    for (const event of events) {
      const action = this.#fold(event, events, timeMs);
      if (action !== null && !isOwn) done.set(action.kind, action.marketId);
    }
    for (const [kind, marketId] of done) {
      const market = this.markets.get(marketId);
      if (market !== undefined) market.actions[kind] += 1;
    }
  }

  /** A block ended at `atMs`. */
  block(atMs: number): void {
    const { marks } = this.#modules;
    for (const market of this.markets.values()) {
      const print = market.block(atMs, () => marks.now(market.marketId));
      if (print !== null) foldBook(this.#book, print);
    }
    if (!this.#hasMoved) return;
    this.#hasMoved = false;
    const orders = marks.orders(this.accountId);
    this.#sizes = new Map(orders.map((order) => [order.orderId, order.size]));
    for (const market of this.markets.values()) {
      const sides = new Set(orders.filter((each) => each.marketId === market.marketId).map(({ side }) => side));
      market.isQuoted = sides.size === 2;
    }
  }

  /** Starts counting at `atMs`: nothing before it is in any figure. */
  begin(atMs: number): void {
    for (const market of this.markets.values()) {
      const { marketId } = market;
      market.begin(atMs, this.#modules.marks.now(marketId));
      this.#before.set(marketId, { mid: this.#pnlAt(marketId, "mid"), print: this.#pnlAt(marketId, "print") });
    }
  }

  end(atMs: number): void {
    for (const market of this.markets.values()) {
      const print = market.end(atMs, this.#modules.marks.now(market.marketId));
      if (print !== null) foldBook(this.#book, print);
    }
  }

  /** PnL by source since counting began; `print` values at the current oracle price: in a backtest every print is trusted. */
  pnl(marketId: MarketId, valuation: Valuation): Pnl {
    const now = this.#pnlAt(marketId, valuation);
    const before = this.#before.get(marketId)?.[valuation];
    const since = pnlComponents.map((component) => [component, usdc(now[component] - (before?.[component] ?? 0n))]);
    return Object.fromEntries(since) as Pnl;
  }

  #pnlAt(marketId: MarketId, valuation: Valuation): Pnl {
    const { reads, marks } = this.#modules;
    const print = valuation === "print" ? reads.oracle(marketId)?.price : undefined;
    return pnlOf(this.#book.markets.get(marketId) ?? emptyMarketBook, print ?? marks.now(marketId));
  }

  /** Cost of closing its position there now, as a taker. */
  closing(marketId: MarketId): Closing {
    const { reads, marks } = this.#modules;
    const inventory = this.markets.get(marketId)?.inventory ?? size(0n);
    const market = reads.market(marketId);
    if (inventory === 0n || market === undefined) return nothingToClose;
    const volume = reads.account(this.accountId)?.feeTierVolume30d ?? usdc(0n);
    const takerFeeBps = feeTierFor(reads.feeTiers(), market.assetClass, volume)?.takerFeeBps ?? 0;
    const levels = marks.others(marketId, inventory > 0n ? "buy" : "sell");
    return closingOf(inventory, levels, { mark: marks.now(marketId), takerFeeBps });
  }

  /** Collateral and unrealized profit from the exchange, with positions valued at the mid without our orders. */
  equity(): Usdc {
    const { reads, marks } = this.#modules;
    const account = reads.account(this.accountId);
    if (account === undefined) return usdc(0n);
    let equity: bigint = account.collateral;
    for (const { marketId, side, size: held, unrealizedPnl, isolatedMargin } of account.positions) {
      const inventory = size(signOf(side) * held);
      // The exchange values at its risk price; this adds the difference to the value at the mid.
      const risk = reads.riskPrice(marketId);
      const revalued = risk === undefined ? 0n : valueAt(marks.now(marketId), inventory) - valueAt(risk, inventory);
      equity += isolatedMargin + (unrealizedPnl ?? 0n) + revalued;
    }
    return usdc(equity);
  }

  #fold(
    event: ChainEvent,
    batch: readonly ChainEvent[],
    timeMs: number,
  ): { readonly kind: Action; readonly marketId: MarketId } | null {
    switch (event.type) {
      case "Fill":
        for (const fill of fillsOf(event.execution, this.accountId)) this.#fill(fill, batch, timeMs);
        return null;
      case "OracleUpdated":
        this.#printed(event, timeMs);
        return null;
      case "FundingPaid": {
        const { marketId, timestampSec: atSec, amount } = event;
        if (event.accountId === this.accountId) foldBook(this.#book, { kind: "funding", marketId, atSec, amount });
        return null;
      }
      case "OrderPlaced":
      case "OrderModified": {
        const { order } = event;
        if (order.accountId !== this.accountId) return null;
        this.#changed();
        const isPlaced = event.type === "OrderPlaced";
        const before = this.#sizes.get(order.orderId) ?? (isPlaced ? 0n : order.size);
        this.#sizes.set(order.orderId, order.size);
        const market = this.markets.get(order.marketId);
        if (market !== undefined && order.size > before) market.placed += contractsOf(size(order.size - before));
        return { kind: isPlaced ? "place" : "modify", marketId: order.marketId };
      }
      case "OrderCanceled":
        if (event.accountId !== this.accountId) return null;
        this.#changed();
        return event.reason === "UserCanceled" ? { kind: "cancel", marketId: event.marketId } : null;
      default:
        return null;
    }
  }

  #fill(fill: Fill, batch: readonly ChainEvent[], timeMs: number): void {
    this.#changed();
    const mid = this.#modules.marks.before(fill.marketId, batch);
    this.#modules.onFill(fill, mid, timeMs);
    const event = this.markets.get(fill.marketId)?.fill(fill, mid, timeMs, this.#decileOf(fill, batch));
    if (event !== undefined) foldBook(this.#book, event);
  }

  /** Earlier fills at this price in the same transaction were ahead of the order; the size still resting there is behind it. */
  #decileOf(
    { liquidity, marketId, orderId, side, price, size: own }: Fill,
    batch: readonly ChainEvent[],
  ): number | null {
    if (liquidity === "taker") return null;
    let [ahead, whole, isBehind] = [0n, own as bigint, false];
    for (const event of batch) {
      if (event.type !== "Fill") continue;
      const { execution } = event;
      if (execution.marketId !== marketId || execution.price !== price || execution.takerSide === side) continue;
      if (execution.makerOrderId === orderId) isBehind = true;
      else {
        whole += execution.size;
        if (!isBehind) ahead += execution.size;
      }
    }
    const book = this.#modules.reads.book(marketId);
    const levels = side === "buy" ? book?.bids : book?.asks;
    return queueDecile(ahead, whole + (levels?.find((level) => level.price === price)?.size ?? 0n));
  }

  #printed(
    { marketId, validUntilSec }: { readonly marketId: MarketId; readonly validUntilSec: number },
    timeMs: number,
  ): void {
    const before = this.markets.get(marketId)?.printed(validUntilSec, this.#modules.marks.now(marketId), timeMs);
    if (before !== undefined && before !== null) foldBook(this.#book, before);
  }

  #changed(): void {
    this.#hasMoved = true;
    this.#modules.marks.changed(this.accountId);
  }
}
