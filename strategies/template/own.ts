// Two orders per side around fair value: wider when the price moves more, skewed against the position, reducing only once the position is
// at its maximum. Change anything; the rules are in strategies/README.md of Quoin, and docs/view.md lists everything that a strategy sees.

import {
  bps,
  contracts,
  contractsOf,
  count,
  defineStrategy,
  fairValueUsd,
  fraction,
  lastKnown,
  levelQuotes,
  noQuotes,
  reduceWhileThin,
  scaled,
  skewInventory,
} from "quoin/strategy";
import { z } from "zod";

/** Allowed parameters. Each has a unit and bounds; `quoin check` refuses any other value with its line. */
const params = z.strictObject({
  size: contracts("Size of the inner order."),
  outerSize: fraction(0, 10).describe("The outer order is so many times as large. Default 2; from 0 to 10.").default(2),
  maxInventory: contracts("Position from which on quotes only reduce it."),
  halfSpreadBps: bps(0.1, 500, "Distance of the inner orders from fair value, at no volatility. Default 3.").default(3),
  stepBps: bps(0.1, 500, "Distance from the inner to the outer order. Default 3.").default(3),
  horizonSec: count(0, 3600, "To that distance comes what the price moves in so many seconds. Default 4.").default(4),
  skewBps: bps(0, 500, "How far all quotes are shifted against a position of maxInventory. Default 3.").default(3),
});

export const strategy = defineStrategy({
  name: "own", // the file name
  summary: "Two orders a side around fair value, wider with volatility, shifted against the position.",
  params,
  start: () => null, // memory before the first turn; this strategy needs none

  // Called several times a second. Depends only on its arguments (no clock, no randomness, no await), so a recorded run replays.
  quote(view, given) {
    // The mid of others' quotes, in USD. If price or position is unknown, quote nothing and say why.
    const fairUsd = fairValueUsd(view, "mid", given.size);
    if (fairUsd === undefined) return noQuotes("the fair value is unknown");

    const position = lastKnown(view.position);
    if (position === undefined) return noQuotes("the position is unknown");

    // Estimates are null until there is enough data. Volatility is in basis points per square root second.
    const movesBps = (view.signals.volatilityBps ?? 0) * Math.sqrt(given.horizonSec);

    // -1 to 1: position as a share of the maximum, short or long.
    const held = Math.max(-1, Math.min(1, skewInventory(view) / contractsOf(given.maxInventory)));
    const centerUsd = fairUsd * (1 - (held * given.skewBps) / 10_000);

    // Sizes and prices are exact: whole units in a bigint, so 0.5 contracts are 500000n, and `size * 2` throws. scaled(size, 2) multiplies;
    // contractsOf(size) and usdOf(price) give numbers for calculations; sizeFromContracts and priceFromUsd convert back.
    const inner = { distanceBps: given.halfSpreadBps + movesBps, size: given.size };
    const outer = { distanceBps: inner.distanceBps + given.stepBps, size: scaled(given.size, given.outerSize) };
    const side = (sign: 1 | -1) =>
      [inner, outer].map(({ distanceBps, size }) => ({ usd: centerUsd * (1 + (sign * distanceBps) / 10_000), size }));

    // Puts prices on the tick, never crosses the book, and leaves out the side that would pass maxInventory.
    const quotes = levelQuotes(view, {
      fairValueUsd: fairUsd,
      bids: side(-1),
      asks: side(1),
      maxInventory: given.maxInventory,
    });
    const isFull = position.inventory >= given.maxInventory || -position.inventory >= given.maxInventory;
    const allowed = { ...quotes, quotes: quotes.quotes.map((quote) => ({ ...quote, reduceOnly: isFull })) };

    // While others offer less than `size` on a side, fair value is a guess, so nothing may add to the position.
    return reduceWhileThin(view, { center: "mid", size: given.size }, allowed);
  },
});
