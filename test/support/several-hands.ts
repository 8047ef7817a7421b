// Levels behind the best one with orders of other sizes, so that no side of a book looks like one counterparty's.

import type { Level } from "../../src/domain/book.ts";
import { price, size } from "../../src/domain/units.ts";

const USD = 100_000_000n;

/** `away`: direction of the levels behind, one USD apart; below zero for bids. */
const behind = ({ price: at, size: contracts, orderCount }: Level, away: 1n | -1n): readonly Level[] =>
  [1n, 2n].map((nth) => ({ price: price(at + away * nth * USD), size: size(contracts * (nth + 1n)), orderCount }));

export const bidsOf = (best: Level): readonly Level[] => [best, ...behind(best, -1n)];
export const asksOf = (best: Level): readonly Level[] => [best, ...behind(best, 1n)];
