// The account's money at the oracle price (S1: only USDC is collateral; real-estate margin goes by the oracle). What cannot be
// computed from known margin schedules is taken at its worst, or the whole is not known.

import { initialMargin, leverageCap, maintenanceMargin } from "../../../domain/margin.ts";
import type { Market } from "../../../domain/market.ts";
import { notionalCeil } from "../../../domain/rounding.ts";
import { type MarketId, type Price, type Size, size, type Usdc, usdc } from "../../../domain/units.ts";
import type { Funds } from "../../../domain/view.ts";
import { inventoryIn } from "../../accounting/account-book.ts";
import { unrealizedPnl } from "../../accounting/holding.ts";
import { collateralOf } from "../../accounting/totals.ts";
import type { FeedState } from "../state.ts";
import type { AccountState } from "./account-state.ts";
import { magnitude, oraclePriceIn } from "./booking.ts";

/** Null until the account and the markets it holds something in were read. `marketId` is where the orders asked about would rest. */
export function fundsOf(state: FeedState, account: AccountState, marketId: MarketId): Funds | null {
  if (account.read === null) return null;
  const collateral = collateralOf(account.book);
  let equity: bigint = collateral;
  let maintenance = 0n;
  for (const [held, { now }] of account.book.markets) {
    if (now.inventory === 0n) continue;
    const priced = pricedMarket(state, held);
    if (priced === null) return null;
    equity += unrealizedPnl(now, priced.oraclePrice);
    const worth = notionalCeil(priced.oraclePrice, magnitude(now.inventory));
    maintenance += maintenanceMargin(priced.market.marginTiers, worth);
  }
  const elsewhere = initialMarginElsewhere(state, account, marketId);
  if (elsewhere === null) return null;
  const { availableCollateral, feeTierVolume30d } = account.read.value;
  return {
    collateral,
    availableCollateral,
    equity: usdc(equity),
    maintenanceMargin: usdc(maintenance),
    initialMarginElsewhere: elsewhere,
    feeTierVolume30d,
  };
}

/** Initial margin of the worse side of each other market: position and all that rests on its side, at the market's own leverage cap. */
function initialMarginElsewhere(state: FeedState, account: AccountState, marketId: MarketId): Usdc | null {
  const worst = new Map<MarketId, { long: bigint; short: bigint }>();
  const sidesOf = (market: MarketId): { long: bigint; short: bigint } => {
    const known = worst.get(market);
    if (known !== undefined) return known;
    const inventory = inventoryIn(account.book, market);
    const sides = { long: inventory, short: -inventory };
    worst.set(market, sides);
    return sides;
  };
  for (const market of account.book.markets.keys()) sidesOf(market);
  for (const { order } of account.orders.live) {
    if (order.reduceOnly) continue;
    if (order.side === "buy") sidesOf(order.marketId).long += order.remainingSize;
    else sidesOf(order.marketId).short += order.remainingSize;
  }
  worst.delete(marketId);
  let margin = 0n;
  for (const [market, { long, short }] of worst) {
    const contracts = size(long > short ? long : short);
    if (contracts <= 0n) continue;
    const priced = pricedMarket(state, market);
    if (priced === null) return null;
    margin += marginOf(priced.market, priced.oraclePrice, contracts);
  }
  return usdc(margin);
}

function marginOf(market: Market, oraclePrice: Price, contracts: Size): Usdc {
  const worth = notionalCeil(oraclePrice, contracts);
  return initialMargin(worth, Math.max(1, leverageCap(market, worth)));
}

function pricedMarket(state: FeedState, marketId: MarketId): { market: Market; oraclePrice: Price } | null {
  const market = state.markets.get(marketId)?.market?.value;
  if (market === undefined) return null;
  return { market, oraclePrice: oraclePriceIn(state, marketId) ?? market.oraclePrice };
}
