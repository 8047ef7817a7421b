// The target quotes of a turn: what the strategy quotes, clipped to what the guard lets pass, in order of price.

import type { ActionClass } from "../../domain/command.ts";
import type { Quote, Quotes } from "../../domain/quotes.ts";
import { type Side, type Size, size } from "../../domain/units.ts";

/** Both sides, the price nearest the other side first. */
export type TargetQuotes = { readonly buy: readonly Quote[]; readonly sell: readonly Quote[] };

/**
 * `permitted` is the most that the guard lets pass: with "reduce" only quotes that bring the position nearer to zero remain, as
 * reduce-only orders; with "cancel" none. Reduce-only sizes together stay within the position, and
 * with an unknown position (null) there are none. Of two quotes for one slot the first counts.
 */
export function targetQuotesOf(quotes: Quotes, inventory: Size | null, permitted: ActionClass): TargetQuotes {
  if (permitted === "cancel") return { buy: [], sell: [] };
  const reducing = reducingSide(inventory);
  const wanted =
    permitted === "reduce"
      ? quotes.quotes.filter(({ side }) => side === reducing).map((quote) => ({ ...quote, reduceOnly: true }))
      : quotes.quotes.filter(({ side, reduceOnly }) => !reduceOnly || side === reducing);
  return { buy: sideTargets(wanted, "buy", inventory), sell: sideTargets(wanted, "sell", inventory) };
}

/** The side that brings the position nearer to zero; undefined when flat or unknown. */
export function reducingSide(inventory: Size | null): Side | undefined {
  if (inventory === null || inventory === 0n) return undefined;
  return inventory > 0n ? "sell" : "buy";
}

/** The order that brings a position nearer to zero: its side, and at most `most` contracts of it, so that it never changes its sign. */
export function reduction(inventory: Size, most: Size): { readonly side: Side; readonly size: Size } {
  const held = inventory < 0n ? -inventory : inventory;
  return { side: reducingSide(inventory) ?? "sell", size: size(held < most ? held : most) };
}

function sideTargets(quotes: readonly Quote[], side: Side, inventory: Size | null): readonly Quote[] {
  const targets: Quote[] = [];
  for (const quote of quotes) {
    if (quote.side !== side || quote.size <= 0n || quote.price <= 0n) continue;
    if (targets.every(({ level }) => level !== quote.level)) targets.push(quote);
  }
  targets.sort((a, b) => (side === "buy" ? compare(b.price, a.price) : compare(a.price, b.price)));
  return clipped(targets, inventory);
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

function clipped(targets: readonly Quote[], inventory: Size | null): readonly Quote[] {
  if (!targets.some(({ reduceOnly }) => reduceOnly)) return targets;
  let left = inventory === null ? 0n : inventory < 0n ? -inventory : inventory;
  const kept: Quote[] = [];
  for (const target of targets) {
    if (!target.reduceOnly) {
      kept.push(target);
      continue;
    }
    const amount = target.size < left ? target.size : left;
    left -= amount;
    if (amount > 0n) kept.push(amount === target.size ? target : { ...target, size: size(amount) });
  }
  return kept;
}
