// The account's money at the oracle price (S1: only USDC is collateral; real-estate margin goes by the oracle). What cannot be
// computed from known margin schedules is taken at its worst, or the whole is not known.

import { type MarketId, usdc } from "../../../domain/units.ts";
import type { Funds } from "../../../domain/view.ts";
import { collateralOf } from "../../accounting/totals.ts";
import type { FeedState } from "../state.ts";
import type { AccountState } from "./account-state.ts";
import type { PricedMarket } from "./account-sums.ts";
import { oraclePriceIn } from "./booking.ts";

/** Null until the account and the markets it holds something in were read. `marketId` is where the orders asked about would rest. */
export function fundsOf(state: FeedState, account: AccountState, marketId: MarketId): Funds | null {
  if (account.read === null) return null;
  const { sums, book, orders } = account;
  sums.update({ book, orders, priced: (market) => pricedIn(state, market) });
  const unrealized = sums.unrealizedPnl.sum;
  const maintenance = sums.maintenanceMargin.sum;
  const elsewhere = sums.initialMargin.without(marketId);
  if (unrealized === null || maintenance === null || elsewhere === null) return null;
  const collateral = collateralOf(book);
  const { availableCollateral, feeTierVolume30d } = account.read.value;
  return {
    collateral,
    availableCollateral,
    equity: usdc(collateral + unrealized),
    maintenanceMargin: usdc(maintenance),
    initialMarginElsewhere: usdc(elsewhere),
    feeTierVolume30d,
  };
}

function pricedIn(state: FeedState, marketId: MarketId): PricedMarket | null {
  const market = state.markets.get(marketId)?.market?.value;
  if (market === undefined) return null;
  return { market, oraclePrice: oraclePriceIn(state, marketId) ?? market.oraclePrice };
}
