// Where a CancelAllOrders that is sent for its nonce alone may go. A fence burns the nonce of a lost transaction, and cancels what rests
// in its market; so it goes to a market where nothing rests that must stay.

import type { MarketId } from "../../domain/units.ts";
import { type OrderOwnership, reaches } from "./mass-cancel.ts";

export type FenceMarketModules = Pick<OrderOwnership, "own" | "foreignMarkets"> & {
  /** Every market that the exchange lists. */
  readonly markets: () => Promise<readonly MarketId[]>;
};

/**
 * The market of the lost transaction itself, where no foreign order rests there; else one where nothing rests at all, else one where
 * only our own orders do. Undefined: there is none, or the exchange did not say which there are.
 */
export async function fenceMarket(
  lost: MarketId | null,
  { own, foreignMarkets, markets }: FenceMarketModules,
): Promise<MarketId | null | undefined> {
  if (!reaches(lost, foreignMarkets())) return lost;
  const listed = await markets().catch(() => []);
  const free = listed.filter((marketId) => !foreignMarkets().has(marketId));
  const ours = new Set(own().map(({ marketId }) => marketId));
  return free.find((marketId) => !ours.has(marketId)) ?? free[0];
}
