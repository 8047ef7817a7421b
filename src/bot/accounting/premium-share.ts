// The premium book's part of a market: the wanted contracts, as far as the position has them, and what they earned. It takes them from the
// spread book and gives them back at the current mid. Everything else is the spread book's: the two sum to the whole exactly.

import { divideFloor } from "../../domain/rounding.ts";
import { type Price, type Size, size, type Usdc, usdc } from "../../domain/units.ts";
import { afterFill, type Holding, unrealizedPnl } from "./holding.ts";

/** `holding`: its contracts, at the mids at which they were taken. */
export type PremiumShare = { readonly holding: Holding; readonly funding: Usdc };

export const noPremiumShare: PremiumShare = {
  holding: { inventory: size(0n), cost: usdc(0n) },
  funding: usdc(0n),
};

/** The part of the position that lies toward the target, signed. */
export function heldFor(target: Size, inventory: Size): Size {
  if (target >= 0n) return inventory <= 0n ? size(0n) : inventory < target ? inventory : target;
  return inventory >= 0n ? size(0n) : inventory > target ? inventory : target;
}

/** It holds `held` from now on. Returns the same object where nothing changes. */
export function holdAt(share: PremiumShare, held: Size, mid: Price): PremiumShare {
  const moved = held - share.holding.inventory;
  if (moved === 0n) return share;
  const traded = { side: moved > 0n ? "buy" : "sell", price: mid, size: size(moved > 0n ? moved : -moved) } as const;
  return { ...share, holding: afterFill(share.holding, traded, usdc(0n)) };
}

/** Books its part of a settlement of the whole position, by contracts. */
export function fundShare(share: PremiumShare, amount: Usdc, inventory: Size): PremiumShare {
  const { inventory: held } = share.holding;
  if (held === 0n || inventory === 0n) return share;
  return { ...share, funding: usdc(share.funding + divideFloor(amount * held, inventory)) };
}

/** Its earnings since it began, with its contracts at `mid`. */
export const premiumPnl = ({ holding, funding }: PremiumShare, mid: Price): Usdc =>
  usdc(unrealizedPnl(holding, mid) + funding);
