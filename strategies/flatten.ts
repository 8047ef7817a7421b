// Brings the position to zero along the schedule of Almgren and Chriss: the part that is due rests near fair value first, and is taken from
// the book, within a slippage cap, after waiting too long. Every order only reduces. An operator's flatten command closes at once and under
// a halt; this strategy leaves a market in an orderly way.

import {
  type Book,
  bps,
  centerParam,
  closingPrice,
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
  othersBook,
  type Price,
  positive,
  priceFromUsd,
  type Quotes,
  reduction,
  type Side,
  type Size,
  size,
  sizeFromContracts,
  usdOf,
  type View,
} from "quoin/strategy";
import { z } from "zod";

/**
 * Almgren and Chriss 2000: the remainder of `start` after `elapsedSec` of `durationSec`, X sinh(K (T - t)) / sinh(K T) with K =
 * `ratePerSec`, 0 or more; a straight line at 0. Zero from the end on.
 */
export function remainingInventory(start: number, elapsedSec: number, durationSec: number, ratePerSec: number): number {
  const leftSec = Math.min(Math.max(durationSec - elapsedSec, 0), durationSec);
  if (leftSec === 0) return 0;
  const whole = ratePerSec * durationSec;
  // sinh(a) / sinh(b) = exp(a - b) (1 - exp(-2a)) / (1 - exp(-2b)), which never overflows; for tiny values it equals a / b.
  if (whole < 1e-6) return (start * leftSec) / durationSec;
  const left = ratePerSec * leftSec;
  return (start * exp(left - whole) * (1 - exp(-2 * left))) / (1 - exp(-2 * whole));
}

/**
 * K = sqrt(lambda sigma^2 / eta), per second: `riskAversion` is lambda per USD, `sigma` USD per square root second, `impact` eta, the USD
 * by which trading one contract per second moves the price, above zero.
 */
export const urgency = (riskAversion: number, sigma: number, impact: number): number =>
  Math.sqrt((riskAversion * sigma ** 2) / impact);

const params = z.strictObject({
  size: contracts("Most of one order."),
  durationSec: count(1, 2_592_000, "In how many seconds the position goes to zero. Default 3600.").default(3600),
  urgencyPerHour: fraction(0, 1000)
    .describe(
      "K of the schedule, per hour: sqrt(lambda sigma^2 / eta). 0 is a straight line. Default 0; from 0 to 1000.",
    )
    .default(0),
  riskAversion: positive(
    1e6,
    "1 / USD",
    "lambda, instead of urgencyPerHour: sigma is estimated, and eta is what `size` costs in the book, taken once a second; a book that holds less counts as urgencyPerHour.",
  ).optional(),
  endsAt: z.iso
    .datetime()
    .optional()
    .describe(
      "UTC, such as 2026-09-21T16:00:00Z: the schedule takes the durationSec before it. Default: durationSec from the first look at the position.",
    ),
  passiveShare: fraction(0, 1)
    .describe(
      "Share of the duration in which orders only rest; after it, what is behind schedule is taken from the book. Default 0.8; from 0 to 1.",
    )
    .default(0.8),
  passiveBps: bps(0, 1000, "Distance from fair value at which orders rest. Default 1.").default(1),
  maxSlippageBps: bps(0.1, 1000, "How far through fair value an order may take. Default 50.").default(50),
  center: centerParam,
});

type Params = z.output<typeof params>;

/**
 * Memory about the position being closed: when its schedule ends, its largest size since it was first seen (signed contracts), the seconds
 * that were left then, and K per second (null: not computed yet); and when the last order took. Times are the chain's, ms.
 */
const memory = z.strictObject({
  endsMs: z.number(),
  start: z.number(),
  startedLeftSec: z.number().min(0),
  ratePerSec: z.number().min(0).nullable(),
  tookMs: z.number().nullable(),
});
type Memory = z.output<typeof memory>;

/** Smallest order as a share of `size`, except for the last one. */
const LEAST_SHARE = 0.1;
/** An order that found no counterparty is not repeated at once. */
const TAKE_EVERY_MS = 1000;
const HOUR_SEC = 3600;
/** Smallest volatility used for a schedule, bps per square root second. */
const VOLATILITY_FLOOR_BPS = 0.05;

export const strategy = defineStrategy({
  name: "flatten",
  summary: "Reduces the position to zero on a schedule, resting first, then taking within a cap.",
  params,
  memory,
  start: (): Memory => ({ endsMs: 0, start: 0, startedLeftSec: 0, ratePerSec: null, tookMs: null }),
  quote(view: View, given: Params, memory: Memory) {
    const inventory = lastKnown(view.position)?.inventory;
    const market = lastKnown(view.market);
    const fair = fairValueUsd(view, given.center, given.size);
    if (inventory === undefined) return noQuotes("the position is unknown");
    const held = contractsOf(inventory);
    if (held === 0) memory.start = 0;
    if (held === 0) return noQuotes("the position is flat");
    if (fair === undefined || market === undefined) return noQuotes("the fair value is unknown");
    const { side, size: whole } = reduction(inventory, given.size);
    const { durationSec } = given;
    const nowMs = lastKnown(view.chain)?.timeMs;
    if (nowMs === undefined) return noQuotes("the time of the chain is unknown");
    const isNew = memory.start * held <= 0;
    if (isNew) memory.endsMs = given.endsAt === undefined ? nowMs + durationSec * 1000 : Date.parse(given.endsAt);
    const leftSec = Math.min(Math.max((memory.endsMs - nowMs) / 1000, 0), durationSec);
    if (isNew) Object.assign(memory, { start: held, startedLeftSec: leftSec, ratePerSec: null });
    // A position that has grown keeps its end time.
    else if (Math.abs(held) > Math.abs(memory.start)) memory.start = held;
    memory.ratePerSec ??= rateOf(view, given, { side, fair });
    const { start, startedLeftSec, ratePerSec } = memory;
    // The rest of the optimal schedule is the optimal schedule of the rest: starting in the middle continues it unchanged.
    const planned = remainingInventory(Math.abs(start), startedLeftSec - leftSec, startedLeftSec, ratePerSec);
    const late = Math.max(0, Math.abs(held) - planned);
    const least = Math.min(contractsOf(given.size) * LEAST_SHARE, Math.abs(held));
    if (late < least) return waiting(fair, "the position is on its schedule");
    const { size: amount } = reduction(inventory, sizeFromContracts(Math.min(late, contractsOf(whole))));
    if (durationSec - leftSec < given.passiveShare * durationSec)
      return resting(view, fair, { side, amount, bps: given.passiveBps });
    if (memory.tookMs !== null && nowMs - memory.tookMs < TAKE_EVERY_MS)
      return waiting(fair, "the last order that took has just ended");
    const worst = fair * (1 + ((side === "sell" ? -1 : 1) * given.maxSlippageBps) / 10_000);
    const price = priceFromUsd(worst, market.tickSize, side);
    const offered = takeable(view, side, price);
    if (offered === 0n) return waiting(fair, "nobody trades within maxSlippageBps of fair value");
    memory.tookMs = nowMs;
    const taken = offered < amount ? offered : amount;
    return {
      quotes: [{ side, level: 0, price, size: taken, reduceOnly: true, intent: "take" }],
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

/** K per second. A book with less than the size of our order gives no price: then the configured value counts. */
function rateOf(view: View, given: Params, { side, fair }: { readonly side: Side; readonly fair: number }): number {
  const { riskAversion, size, urgencyPerHour } = given;
  const mean = riskAversion === undefined ? undefined : closingPrice(takenSide(view, side), size);
  if (riskAversion === undefined || mean === undefined) return urgencyPerHour / HOUR_SEC;
  const { volatilityBps, dayVolatilityBps } = view.signals;
  const sigma = (fair * Math.max(volatilityBps ?? 0, dayVolatilityBps ?? 0, VOLATILITY_FLOOR_BPS)) / 10_000;
  const perContractASecond = Math.abs(usdOf(mean) - fair) / (contractsOf(size) / (TAKE_EVERY_MS / 1000));
  return urgency(riskAversion, sigma, Math.max(perContractASecond, Number.MIN_VALUE));
}

/** The side from which an order of this side takes, without our own orders. */
function takenSide(view: View, side: Side): Book["bids"] {
  const known = lastKnown(view.book);
  const book = known && othersBook(known, view);
  return (side === "sell" ? book?.bids : book?.asks) ?? [];
}

/** Contracts that others offer down to a price. */
function takeable(view: View, side: Side, worst: Price): Size {
  let sum = 0n;
  for (const level of takenSide(view, side))
    if (side === "sell" ? level.price >= worst : level.price <= worst) sum += level.size;
  return size(sum);
}
