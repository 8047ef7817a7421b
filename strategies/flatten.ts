// Brings the position to zero along the schedule of Almgren and Chriss: what should be gone by now rests near fair value first, and is
// taken from the book, within a cap on slippage, once it has waited for too long. Every order only reduces. An operator's flatten
// command closes at once and under a halt; this strategy is for a market that is to be left in an orderly way.

import {
  bps,
  centerParam,
  contracts,
  contractsOf,
  count,
  defineStrategy,
  exp,
  fairValueUsd,
  fraction,
  lastKnown,
  levelQuotes,
  noQuotes,
  priceFromUsd,
  type Quotes,
  reduction,
  type Side,
  type Size,
  sizeFromContracts,
  type View,
} from "quoin/strategy";
import { z } from "zod";

/**
 * Almgren and Chriss 2000: what is left of `start` after `elapsedSec` of `durationSec`, X sinh(K (T - t)) / sinh(K T) with K = `ratePerSec`,
 * 0 or more; at 0 a straight line. Zero from the end on.
 */
export function remainingInventory(start: number, elapsedSec: number, durationSec: number, ratePerSec: number): number {
  const leftSec = Math.min(Math.max(durationSec - elapsedSec, 0), durationSec);
  if (leftSec === 0) return 0;
  const whole = ratePerSec * durationSec;
  // sinh(a) / sinh(b) = exp(a - b) (1 - exp(-2a)) / (1 - exp(-2b)), which never overflows; below that its digits are those of a / b.
  if (whole < 1e-6) return (start * leftSec) / durationSec;
  const left = ratePerSec * leftSec;
  return (start * exp(left - whole) * (1 - exp(-2 * left))) / (1 - exp(-2 * whole));
}

/**
 * K = sqrt(lambda sigma^2 / eta), per second: `riskAversion` lambda per USD, `sigma` USD per square root second, `impact` eta, the USD that
 * trading one contract a second moves the price by, above zero.
 */
export const urgency = (riskAversion: number, sigma: number, impact: number): number =>
  Math.sqrt((riskAversion * sigma ** 2) / impact);

const params = z.strictObject({
  size: contracts("Most of one order."),
  durationSec: count(1, 2_592_000, "Seconds in which the position goes to zero. Default 3600.").default(3600),
  urgencyPerHour: fraction(0, 1000)
    .describe(
      "K of the schedule, per hour: sqrt(lambda sigma^2 / eta). 0 is a straight line. Default 0; from 0 to 1000.",
    )
    .default(0),
  passiveShare: fraction(0, 1)
    .describe(
      "Share of the duration in which orders only rest; after it what is late is taken. Default 0.8; from 0 to 1.",
    )
    .default(0.8),
  passiveBps: bps(0, 1000, "Distance from fair value at which orders rest. Default 1.").default(1),
  maxSlippageBps: bps(0.1, 1000, "How far through fair value an order may take. Default 50.").default(50),
  center: centerParam,
});

type Params = z.output<typeof params>;

/** Monotonic ms at which the position that is being closed was first seen, what it was at most since, signed contracts, and the last order that took. */
type Memory = { startedMs: number; start: number; tookMs: number | null };

/** No order is smaller than this share of `size`, but for the last one. */
const LEAST_SHARE = 0.1;
/** An order that found nobody to trade with is not repeated at once. */
const TAKE_EVERY_MS = 1000;

export const strategy = defineStrategy({
  name: "flatten",
  summary: "Reduces the position to zero on a schedule, resting first, then taking within a cap.",
  params,
  start: (): Memory => ({ startedMs: 0, start: 0, tookMs: null }),
  quote(view: View, given: Params, memory: Memory) {
    const inventory = lastKnown(view.position)?.inventory;
    const market = lastKnown(view.market);
    const fair = fairValueUsd(view, given.center, given.size);
    if (inventory === undefined) return noQuotes("the position is unknown");
    const held = contractsOf(inventory);
    follow(memory, held, view.nowMs);
    if (held === 0) return noQuotes("the position is flat");
    if (fair === undefined || market === undefined) return noQuotes("the fair value is unknown");
    const elapsedSec = (view.nowMs - memory.startedMs) / 1000;
    const { durationSec, urgencyPerHour } = given;
    const planned = remainingInventory(Math.abs(memory.start), elapsedSec, durationSec, urgencyPerHour / 3600);
    const { side, size: whole } = reduction(inventory, given.size);
    const late = Math.max(0, Math.abs(held) - planned);
    const least = Math.min(contractsOf(given.size) * LEAST_SHARE, Math.abs(held));
    if (late < least) return waiting(fair, "the position is on its schedule");
    const { size: amount } = reduction(inventory, sizeFromContracts(Math.min(late, contractsOf(whole))));
    if (elapsedSec < given.passiveShare * durationSec)
      return resting(view, fair, { side, amount, bps: given.passiveBps });
    if (memory.tookMs !== null && view.nowMs - memory.tookMs < TAKE_EVERY_MS)
      return waiting(fair, "the last order that took has just ended");
    memory.tookMs = view.nowMs;
    const worst = fair * (1 + ((side === "sell" ? -1 : 1) * given.maxSlippageBps) / 10_000);
    const price = priceFromUsd(worst, market.tickSize, side);
    return {
      quotes: [{ side, level: 0, price, size: amount, reduceOnly: true, intent: "take" }],
      fairValueUsd: fair,
      reason: null,
    };
  },
});

const waiting = (fairValueUsd: number, reason: string): Quotes => ({ quotes: [], fairValueUsd, reason });

/** One order on the reducing side, behind the others' touch. */
function resting(
  view: View,
  fair: number,
  order: { readonly side: Side; readonly amount: Size; readonly bps: number },
): Quotes {
  const { side, amount, bps: distance } = order;
  const level = { usd: fair * (1 + ((side === "sell" ? 1 : -1) * distance) / 10_000), size: amount };
  const [bids, asks] = side === "sell" ? [[], [level]] : [[level], []];
  const quotes = levelQuotes(view, { fairValueUsd: fair, bids, asks, maxInventory: null });
  return { ...quotes, quotes: quotes.quotes.map((quote) => ({ ...quote, reduceOnly: true })) };
}

/** A position that was flat, has changed its sign or has grown is closed by a schedule of its own; the end of a grown one stays. */
function follow(memory: Memory, held: number, nowMs: number): void {
  if (memory.start * held <= 0) {
    memory.startedMs = nowMs;
    memory.start = held;
  } else if (Math.abs(held) > Math.abs(memory.start)) memory.start = held;
}
