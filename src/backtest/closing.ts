// Cost of closing a position at once, as a taker against the others' orders, level by level. A value at the mark ignores it, and a large
// position in a thin book is worth much less than its mark.

import { valueAt } from "../bot/accounting/holding.ts";
import type { Level } from "../domain/book.ts";
import { feeOn } from "../domain/fees.ts";
import { notional, notionalCeil } from "../domain/rounding.ts";
import { type Price, type Size, size, type Usdc, usdc } from "../domain/units.ts";

export type Closing = {
  /** USDC by which closing brings less than the value at the mark, taker fees included. */
  readonly cost: Usdc;
  /** Contracts that the book cannot absorb. They count at the worst price found, or at the mark if there was none. */
  readonly unclosed: Size;
};

export const nothingToClose: Closing = { cost: usdc(0n), unclosed: size(0n) };

/** `inventory`: signed; `levels`: others' orders on the side that takes it, best first. */
export function closingOf(
  inventory: Size,
  levels: readonly Level[],
  { mark, takerFeeBps }: { readonly mark: Price; readonly takerFeeBps: number },
): Closing {
  if (inventory === 0n) return nothingToClose;
  const isLong = inventory > 0n;
  // Receipts round down, payments round up.
  const worth = (at: Price, part: bigint): bigint => (isLong ? notional : notionalCeil)(at, size(part));
  let left: bigint = isLong ? inventory : -inventory;
  let value = 0n;
  let fees = 0n;
  let worst = mark;
  const take = (at: Price, part: bigint): void => {
    const amount = worth(at, part);
    value += amount;
    fees += feeOn(usdc(amount), takerFeeBps);
  };
  for (const { price: at, size: resting } of levels) {
    if (left === 0n) break;
    const part = resting < left ? resting : left;
    take(at, part);
    left -= part;
    worst = at;
  }
  take(worst, left);
  const marked = valueAt(mark, inventory);
  return { cost: usdc(marked - (isLong ? value : -value) + fees), unclosed: size(left) };
}
