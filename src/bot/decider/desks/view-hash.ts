// The facts of a decision as one short hash for the journal: those that quotes and gates read, in a fixed order.

import type { Level } from "../../../domain/book.ts";
import { lastKnown, type View } from "../../../domain/view.ts";
import { sha256Hex } from "../../../kernel/hash.ts";

/** Levels hashed per side: deeper ones move no quote, and hashing the whole book costs more than the turn. */
const LEVELS = 5;

/** Returns SHA-256, hex. Views that differ in a fact that decides have different hashes. */
export function viewHash(view: View): string {
  const { oracle, book, chain, position, funds, signals } = view;
  const levels = (side: readonly Level[] | undefined) =>
    side?.slice(0, LEVELS).map(({ price, size }) => `${price}x${size}`);
  const known = {
    oracle: lastKnown(oracle),
    book: lastKnown(book),
    chain: lastKnown(chain),
    position: lastKnown(position),
    funds: lastKnown(funds),
  };
  const facts = [
    view.nowMs,
    view.accountId,
    view.marketId,
    lastKnown(view.market)?.status,
    ...[view.stream, view.market, oracle, book, chain, position, funds, view.agent, view.reconciled].map(
      ({ state }) => state,
    ),
    known.oracle?.price,
    known.oracle?.validUntilSec,
    known.oracle?.status,
    levels(known.book?.bids),
    levels(known.book?.asks),
    known.chain?.height,
    known.chain?.timeMs,
    known.position?.inventory,
    known.funds?.equity,
    signals.volatilityBps,
    signals.dayVolatilityBps,
    signals.slowVolatilityBps,
    signals.heldMidUsd,
    signals.intensityA,
    signals.intensityK,
    signals.adverseBps,
    signals.markoutBps,
    signals.skewScale,
    signals.nowcastUsd,
    signals.nowcastPathUsd?.at(-1),
    signals.marketNowcastUsd,
    signals.outsideNowcastUsd,
    signals.nowcastErrorBps,
    signals.printMoveBps,
    signals.kappaPerHour,
    signals.nextPrint?.atMs,
    signals.nextPrint?.earliestMs,
    signals.nextPrint?.lastMs,
    view.guidance.extraInventory,
    ...Object.entries(view.outside).map(([name, fact]) => `${name}:${lastKnown(fact)?.value}`),
    ...view.orders.map(
      ({ nonce, orderId, price, remainingSize, state, queueAhead }) =>
        `${nonce}:${orderId}:${price}:${remainingSize}:${state}:${queueAhead}`,
    ),
  ];
  return sha256Hex(facts.join("|"));
}
