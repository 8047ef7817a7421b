// The worst case of the position in a market, from lowest to highest. It starts from the sum of our fills, and widens by positions that
// unconfirmed reads showed, by the rest of orders that may be over, and by what earlier holders of the account may have sent.

import { type MarketId, size } from "../../domain/units.ts";
import type { PositionRange } from "../../domain/view.ts";
import { inventoryIn } from "../accounting/account-book.ts";
import type { AccountState } from "./account-state.ts";

export function positionRange({ book, orders, doubts }: AccountState, marketId: MarketId): PositionRange {
  const inventory = inventoryIn(book, marketId);
  let [low, high]: [bigint, bigint] = [inventory, inventory];
  const late: bigint = orders.earlierHoldersMayFill(marketId);
  let [bought, sold] = [late, late];
  for (const doubt of doubts.in(marketId)) {
    if (doubt.inventory !== undefined) {
      if (doubt.inventory - doubt.sold < low) low = doubt.inventory - doubt.sold;
      if (doubt.inventory + doubt.bought > high) high = doubt.inventory + doubt.bought;
    }
    if (doubt.adds?.side === "buy") bought += doubt.adds.contracts;
    else if (doubt.adds?.side === "sell") sold += doubt.adds.contracts;
  }
  for (const { side, remainingSize } of orders.fillsPending(marketId)) {
    if (side === "buy") bought += remainingSize;
    else sold += remainingSize;
  }
  return { low: size(low - sold), high: size(high + bought) };
}
