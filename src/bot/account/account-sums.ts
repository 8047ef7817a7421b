// Sums over an account's markets: unrealized profit, margin and notional. Only terms of markets touched since the last request are
// recomputed.

import { worstCase } from "../../domain/exposure.ts";
import { initialMargin, leverageCap, maintenanceMargin, worstPrice } from "../../domain/margin.ts";
import type { Market } from "../../domain/market.ts";
import { notionalCeil } from "../../domain/rounding.ts";
import { type MarketId, type Price, type Size, size, type Usdc } from "../../domain/units.ts";
import type { PositionRange } from "../../domain/view.ts";
import { KeyedSum } from "../../kernel/keyed-sum.ts";
import { type AccountBook, inventoryIn } from "../accounting/account-book.ts";
import { unrealizedPnl } from "../accounting/holding.ts";
import type { Doubts } from "./doubts.ts";
import type { OrderTracker } from "./orders/orders.ts";

export type PricedMarket = { readonly market: Market; readonly oraclePrice: Price };

/** Inputs of the sums. `priced`: null for a market that was never read; its terms are unknown. */
export type Summed = {
  readonly book: AccountBook;
  readonly orders: Pick<OrderTracker, "touched" | "inMarket">;
  readonly doubts: Pick<Doubts, "touched">;
  readonly range: (marketId: MarketId) => PositionRange;
  readonly priced: (marketId: MarketId) => PricedMarket | null;
};

export class AccountSums {
  /** Sum over positions, at the oracle price. */
  readonly unrealizedPnl = new KeyedSum<MarketId>();
  readonly maintenanceMargin = new KeyedSum<MarketId>();
  /** Sum over the worse side of each market: the position and all orders on that side, at the market's own leverage cap. */
  readonly initialMargin = new KeyedSum<MarketId>();
  /** Sum over the same, at the larger of oracle and mark price: what the account may come to hold, without netting. */
  readonly grossNotional = new KeyedSum<MarketId>();
  readonly #repriced = new Set<MarketId>();

  /** The oracle price or the margin schedule of a market may have changed. */
  reprice(marketId: MarketId): void {
    this.#repriced.add(marketId);
  }

  /** Updates the sums to the current state. */
  update(summed: Summed): void {
    for (const touched of [summed.book.touched, summed.orders.touched, summed.doubts.touched, this.#repriced]) {
      for (const marketId of touched) this.#updateMarket(marketId, summed);
      touched.clear();
    }
  }

  #updateMarket(marketId: MarketId, { book, orders, range, priced }: Summed): void {
    const inventory = inventoryIn(book, marketId);
    const held = size(inventory < 0n ? -inventory : inventory);
    const { long, short } = worstCase(range(marketId), orders.inMarket(marketId));
    const worst = size(long > short ? long : short);
    const market = priced(marketId);
    const holding = book.markets.get(marketId)?.now;
    const isFlat = holding === undefined || inventory === 0n;
    this.unrealizedPnl.set(marketId, isFlat ? 0n : market && unrealizedPnl(holding, market.oraclePrice));
    this.maintenanceMargin.set(marketId, isFlat ? 0n : market && maintenanceOf(market, held));
    this.initialMargin.set(marketId, worst <= 0n ? 0n : market && initialOf(market, worst));
    this.grossNotional.set(marketId, worst <= 0n ? 0n : market && notionalOf(market, worst));
  }
}

const maintenanceOf = ({ market, oraclePrice }: PricedMarket, contracts: Size): Usdc =>
  maintenanceMargin(market.marginTiers, notionalCeil(oraclePrice, contracts));

const notionalOf = ({ market, oraclePrice }: PricedMarket, contracts: Size): Usdc =>
  notionalCeil(worstPrice(oraclePrice, market.markPrice), contracts);

function initialOf({ market, oraclePrice }: PricedMarket, contracts: Size): Usdc {
  const worth = notionalCeil(oraclePrice, contracts);
  return initialMargin(worth, Math.max(1, leverageCap(market, worth)));
}
