// What a strategy wants, as the plan may want it: clipped to what the guard lets pass this turn, in order of price, never crossed.

import type { ActionClass } from "../../domain/command.ts";
import type { Quote, Quotes } from "../../domain/quotes.ts";
import { type Side, type Size, size } from "../../domain/units.ts";

/** Both sides, the price nearest the other side first. */
export type Wishes = { readonly buy: readonly Quote[]; readonly sell: readonly Quote[] };

const none: Wishes = { buy: [], sell: [] };

/**
 * The quotes that may be asked for. `permitted` is the most that the guard lets pass: with "reduce" what brings the position
 * nearer to zero is left, as reduce-only orders; with "cancel" nothing. Reduce-only sizes together stay within the position, and
 * with an unknown position (null) there are none. Of two quotes for one slot the first counts. Quotes that cross each other are a
 * broken strategy: none of them is wanted.
 */
export function wishesOf(quotes: Quotes, inventory: Size | null, permitted: ActionClass): Wishes {
  if (permitted === "cancel") return none;
  const reducing = reducingSide(inventory);
  const wanted =
    permitted === "reduce"
      ? quotes.quotes.filter(({ side }) => side === reducing).map((quote) => ({ ...quote, reduceOnly: true }))
      : quotes.quotes.filter(({ side, reduceOnly }) => !reduceOnly || side === reducing);
  const buy = sideWishes(wanted, "buy", inventory);
  const sell = sideWishes(wanted, "sell", inventory);
  const [bid] = buy;
  const [ask] = sell;
  return bid !== undefined && ask !== undefined && bid.price >= ask.price ? none : { buy, sell };
}

/** The side that brings the position nearer to zero; undefined when flat or unknown. */
export function reducingSide(inventory: Size | null): Side | undefined {
  if (inventory === null || inventory === 0n) return undefined;
  return inventory > 0n ? "sell" : "buy";
}

function sideWishes(quotes: readonly Quote[], side: Side, inventory: Size | null): readonly Quote[] {
  const wishes: Quote[] = [];
  for (const quote of quotes) {
    if (quote.side !== side || quote.size <= 0n || quote.price <= 0n) continue;
    if (wishes.every(({ level }) => level !== quote.level)) wishes.push(quote);
  }
  wishes.sort((a, b) => (side === "buy" ? compare(b.price, a.price) : compare(a.price, b.price)));
  return clipped(wishes, inventory);
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

function clipped(wishes: readonly Quote[], inventory: Size | null): readonly Quote[] {
  if (!wishes.some(({ reduceOnly }) => reduceOnly)) return wishes;
  let left = inventory === null ? 0n : inventory < 0n ? -inventory : inventory;
  const kept: Quote[] = [];
  for (const wish of wishes) {
    if (!wish.reduceOnly) {
      kept.push(wish);
      continue;
    }
    const amount = wish.size < left ? wish.size : left;
    left -= amount;
    if (amount > 0n) kept.push(amount === wish.size ? wish : { ...wish, size: size(amount) });
  }
  return kept;
}
