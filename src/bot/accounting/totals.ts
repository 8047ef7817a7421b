// Sums over an account's markets, in one place.

import { type Usdc, usdc } from "../../domain/units.ts";
import type { AccountBook } from "./account-book.ts";

/** Everything ever booked for an account: collateral = realized + funding - fees + transfers, to the base unit. */
export type Totals = {
  readonly realizedPnl: Usdc;
  readonly fees: Usdc;
  readonly funding: Usdc;
  readonly transfers: Usdc;
};

/** The collateral if the book knows everything that moved it. */
export const collateralOf = ({ collateral }: AccountBook): Usdc => collateral;

export function totalsOf({ markets, transfers }: AccountBook): Totals {
  const totals = { realizedPnl: 0n, fees: 0n, funding: 0n };
  for (const { now, postedAmount, funding } of markets.values()) {
    totals.realizedPnl += now.realized;
    totals.fees += now.fees - postedAmount;
    totals.funding += funding;
  }
  return {
    realizedPnl: usdc(totals.realizedPnl),
    fees: usdc(totals.fees),
    funding: usdc(totals.funding),
    transfers,
  };
}
