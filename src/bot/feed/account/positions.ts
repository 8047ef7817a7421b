// Position arithmetic: how one fill moves inventory and entry price, and what it realizes. The exchange's own figures replace
// ours at every agreeing read, so entry price and PnL here only bridge the seconds between two reads.

import { divideFloor } from "../../../domain/rounding.ts";
import {
  NOTIONAL_DIVISOR,
  type Price,
  price,
  type Side,
  type Size,
  signOf,
  size,
  type Usdc,
  usdc,
} from "../../../domain/units.ts";
import type { PositionState } from "./account-state.ts";

/** Flat as of a chain time; null where there was no clock. */
export const flatPosition = (basedAtChainMs: number | null): PositionState => ({
  inventory: size(0n),
  entryPrice: price(0n),
  filledMs: null,
  fillCount: 0,
  basedAtChainMs,
  peak: size(0n),
});

/** PnL of `inventory` (signed) from `entry` to `at`, floored. */
export function pnlOf(inventory: Size, entry: Price, at: Price): Usdc {
  return usdc(divideFloor((at - entry) * inventory, NOTIONAL_DIVISOR));
}

export const magnitude = (signed: Size): Size => (signed < 0n ? size(-signed) : signed);

/** Moves the position by a fill and returns the PnL it realized before fees. */
export function movePosition(
  position: PositionState,
  fill: { readonly side: Side; readonly price: Price; readonly size: Size },
): Usdc {
  const before = position.inventory;
  const change = signOf(fill.side) * fill.size;
  const after = size(before + change);
  const sameWay = before === 0n || before > 0n === change > 0n;
  const held = magnitude(before);
  let realized = usdc(0n);
  if (sameWay) {
    const cost = held * position.entryPrice + fill.size * fill.price;
    const whole = held + fill.size;
    position.entryPrice = whole === 0n ? price(0n) : price(cost / whole);
  } else {
    const closed = fill.size < held ? fill.size : held;
    realized = pnlOf(size(before > 0n ? closed : -closed), position.entryPrice, fill.price);
    if (after === 0n) position.entryPrice = price(0n);
    else if (after > 0n !== before > 0n) position.entryPrice = fill.price;
  }
  position.inventory = after;
  position.fillCount += 1;
  if (magnitude(after) > position.peak) position.peak = magnitude(after);
  return realized;
}
