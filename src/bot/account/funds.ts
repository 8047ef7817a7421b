// The account's money at the oracle price (S1: only USDC is collateral; real-estate margin uses the oracle). Where a margin schedule is
// unknown, the worst case counts, or the whole is unknown.

import { type MarketId, type Usdc, usdc } from "../../domain/units.ts";
import { absent, type Fact, type Funds } from "../../domain/view.ts";
import { collateralOf } from "../accounting/totals.ts";
import type { AccountState, BotState } from "./account-state.ts";
import type { AccountSums, PricedMarket } from "./account-sums.ts";
import { oraclePriceIn } from "./booking.ts";
import { positionRange } from "./position-range.ts";

/** Null until the account and the markets it holds something in were read. `marketId`: where the orders in question would rest. */
export function fundsOf(state: BotState, account: AccountState, marketId: MarketId): Funds | null {
  if (account.read === null || account.adoptedMs === null) return null;
  const { book } = account;
  const sums = sumsOf(state, account);
  const unrealized = sums.unrealizedPnl.sum;
  const maintenance = sums.maintenanceMargin.sum;
  const elsewhere = sums.initialMargin.without(marketId);
  if (unrealized === null || maintenance === null || elsewhere === null) return null;
  // A withdrawal is in the read before it is believed, a loss of ours in the book before it is read: the smaller value counts at once.
  const reported = account.read.value.collateral;
  const expected = collateralOf(book);
  const collateral = reported < expected ? reported : expected;
  const { availableCollateral, feeTierVolume30d } = account.read.value;
  return Object.freeze({
    collateral,
    availableCollateral,
    equity: usdc(collateral + unrealized),
    maintenanceMargin: usdc(maintenance),
    initialMarginElsewhere: usdc(elsewhere),
    feeTierVolume30d,
  });
}

/**
 * Returns the worst-case notional of the account's other markets together, configured or not, including everything sent so far. Absent
 * before the account was read, and while the price of a market that it holds something in is unknown.
 */
export function grossNotionalElsewhere(state: BotState, account: AccountState, marketId: MarketId): Fact<Usdc> {
  const sum = account.read === null ? null : sumsOf(state, account).grossNotional.without(marketId);
  return sum === null ? absent : { state: "fresh", value: usdc(sum), ageMs: 0 };
}

/** Updated to the current state. */
function sumsOf(state: BotState, account: AccountState): AccountSums {
  const { sums, book, orders, doubts } = account;
  const priced = (marketId: MarketId) => pricedIn(state, marketId);
  sums.update({ book, orders, doubts, range: (marketId) => positionRange(account, marketId), priced });
  return sums;
}

function pricedIn(state: BotState, marketId: MarketId): PricedMarket | null {
  const market = state.markets.get(marketId)?.market?.value;
  if (market === undefined) return null;
  return { market, oraclePrice: oraclePriceIn(state, marketId) ?? market.oraclePrice };
}
