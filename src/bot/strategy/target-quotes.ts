// The target quotes of a turn: the strategy's quotes, clipped to what the guard permits, in order of price.

import type { ActionClass } from "../../domain/command.ts";
import type { Quote, Quotes } from "../../domain/quotes.ts";
import { type Side, type Size, size } from "../../domain/units.ts";

/** Both sides, the price nearest the other side first. */
export type TargetQuotes = { readonly buy: readonly Quote[]; readonly sell: readonly Quote[] };

/** Signed position, null while unknown, and the part that foreign reduce-only orders claim. Contracts. */
export type Reducible = { readonly inventory: Size | null; readonly claimed: Size };

/**
 * `permitted` is the most that the guard lets pass: with "reduce" only quotes that bring the position nearer to zero remain, as reduce-only
 * orders; with "cancel" none. Reduce-only sizes together stay within the position, less what foreign orders claim, since the exchange
 * cancels the excess; with an unknown position there are none. Of two quotes for one slot the first counts.
 */
export function targetQuotesOf(quotes: Quotes, reducible: Reducible, permitted: ActionClass): TargetQuotes {
  const { inventory } = reducible;
  if (permitted === "cancel") return { buy: [], sell: [] };
  const reducing = reducingSide(inventory);
  const wanted =
    permitted === "reduce"
      ? quotes.quotes.filter(({ side }) => side === reducing).map((quote) => ({ ...quote, reduceOnly: true }))
      : quotes.quotes.filter(({ side, reduceOnly }) => !reduceOnly || side === reducing);
  return { buy: sideTargets(wanted, "buy", reducible), sell: sideTargets(wanted, "sell", reducible) };
}

/** Returns at most `most` quotes of both sides together, from the touch outward; an odd one goes to the side that reduces the position. */
export function nearest(targets: TargetQuotes, most: number, reducing: Side | undefined): TargetQuotes {
  const { buy, sell } = targets;
  if (buy.length + sell.length <= most) return targets;
  const [first, other] = reducing === "sell" ? [sell, buy] : [buy, sell];
  const ofOther = Math.min(other.length, Math.max(Math.floor(most / 2), most - first.length));
  const [ofFirst, rest] = [first.slice(0, most - ofOther), other.slice(0, ofOther)];
  return reducing === "sell" ? { buy: rest, sell: ofFirst } : { buy: ofFirst, sell: rest };
}

/** Returns the side that brings the position nearer to zero; undefined when flat or unknown. */
export function reducingSide(inventory: Size | null): Side | undefined {
  if (inventory === null || inventory === 0n) return undefined;
  return inventory > 0n ? "sell" : "buy";
}

/** Returns the order that brings a position nearer to zero: its side, and at most `most` contracts, never beyond zero. */
export function reduction(inventory: Size, most: Size): { readonly side: Side; readonly size: Size } {
  const held = inventory < 0n ? -inventory : inventory;
  return { side: reducingSide(inventory) ?? "sell", size: size(held < most ? held : most) };
}

function sideTargets(quotes: readonly Quote[], side: Side, reducible: Reducible): readonly Quote[] {
  const targets: Quote[] = [];
  const levels = new Set<number>();
  for (const quote of quotes) {
    if (quote.side !== side || quote.size <= 0n || quote.price <= 0n || levels.has(quote.level)) continue;
    levels.add(quote.level);
    targets.push(quote);
  }
  targets.sort((a, b) => (side === "buy" ? compare(b.price, a.price) : compare(a.price, b.price)));
  return clipped(targets, reducible);
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

function clipped(targets: readonly Quote[], { inventory, claimed }: Reducible): readonly Quote[] {
  if (!targets.some(({ reduceOnly }) => reduceOnly)) return targets;
  let left = inventory === null ? 0n : inventory < 0n ? -inventory : inventory;
  const kept: Quote[] = [];
  for (const target of targets) {
    if (!target.reduceOnly) {
      kept.push(target);
      continue;
    }
    const most = target.intent === "rest" ? left - claimed : left;
    const amount = target.size < most ? target.size : most;
    if (amount <= 0n) continue;
    left -= amount;
    kept.push(amount === target.size ? target : { ...target, size: size(amount) });
  }
  return kept;
}
