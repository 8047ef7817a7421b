// One side of the others' book in a screening, and what our orders took of it.

import type { Level } from "../../domain/book.ts";
import type { Price, Side } from "../../domain/units.ts";

/** The others' levels, best first, and the size of each that our orders took, which is not offered again. */
export type OthersSide = { levels: readonly Level[]; readonly taken: Map<Price, bigint> };

export const sizeAt = ({ levels }: OthersSide, at: Price): bigint =>
  levels.find(({ price: of }) => of === at)?.size ?? 0n;

/** A post-only order does not trade. */
export function crosses({ levels: [best] }: OthersSide, side: Side, at: Price): boolean {
  return best !== undefined && (side === "buy" ? at >= best.price : at <= best.price);
}

/** Size that others took from a level is offered again. */
export function forgetTaken({ levels: before, taken }: OthersSide, levels: readonly Level[]): void {
  for (const [at, amount] of taken) {
    const was = before.find(({ price: of }) => of === at)?.size ?? 0n;
    const now = levels.find(({ price: of }) => of === at)?.size ?? 0n;
    const left = was > now ? amount - (was - now) : amount;
    if (left > 0n && now > 0n) taken.set(at, left);
    else taken.delete(at);
  }
}
