// The cost of an open position, exact to the base unit: every trade moves cost by its notional plus its realized profit, so realized profit
// plus value less cost is the same however the exchange splits the cost of a partial close.

import type { Fill } from "../../domain/fill.ts";
import { divideCeil, notional, notionalCeil } from "../../domain/rounding.ts";
import { type Price, type Size, signOf, size, type Usdc, usdc } from "../../domain/units.ts";

export type Holding = {
  /** Signed; long above zero. */
  readonly inventory: Size;
  /** What the open contracts were bought for; below zero for a short, which was paid for them. 0 when flat. */
  readonly cost: Usdc;
};

type Traded = Pick<Fill, "side" | "price" | "size">;

/** Value of signed contracts, floored: a long is worth less, a short owes more. */
export const valueAt = (at: Price, inventory: Size): Usdc =>
  inventory < 0n ? notionalCeil(at, inventory) : notional(at, inventory);

/** What closing at `at` would add to the collateral, before fees. */
export const unrealizedPnl = ({ inventory, cost }: Holding, at: Price): Usdc => usdc(valueAt(at, inventory) - cost);

/** A position known only by its entry price, whose rounding may hide a base unit or two of its cost. */
export const holdingAt = (entryPrice: Price, inventory: Size): Holding => ({
  inventory,
  cost: valueAt(entryPrice, inventory),
});

/**
 * Returns the profit of the part that a fill closes, before fees: 0 when it opens or adds. By average cost, which the open part keeps;
 * released cost rounds up, so profit rounds down. Used until the exchange reports its own figure.
 */
export function realizedBy(holding: Holding, fill: Traded): Usdc {
  const { inventory, cost } = holding;
  const closes = inventory < 0n ? fill.side === "buy" : inventory > 0n && fill.side === "sell";
  if (!closes) return usdc(0n);
  const held = inventory < 0n ? -inventory : inventory;
  const closed = size(fill.size < held ? fill.size : held);
  const released = divideCeil(cost * closed, held);
  return usdc(-released - signedNotional({ ...fill, size: closed }));
}

/** Returns the holding after a fill with this realized profit. */
export const afterFill = (holding: Holding, fill: Traded, realized: Usdc): Holding => ({
  inventory: size(holding.inventory + signOf(fill.side) * fill.size),
  cost: usdc(holding.cost + signedNotional(fill) + realized),
});

/** A flat position has no cost: what the exchange rounded away stays in the profit. */
export const closed = ({ inventory, cost }: Holding): Holding => ({
  inventory,
  cost: inventory === 0n ? usdc(0n) : cost,
});

const signedNotional = (fill: Traded): bigint => signOf(fill.side) * notional(fill.price, fill.size);
