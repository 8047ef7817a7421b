// Desired − working = the fewest commands, in an order in which every prefix is safe if the next transaction never lands: first cancels,
// then orders that step back or shrink, then those that add. Own orders never meet, not even in passing.

import type { ActionClass, CancelCommand, Command, ModifyCommand, PlaceCommand } from "../../domain/command.ts";
import type { Modifies } from "../../domain/dialect.ts";
import type { TrackedOrder } from "../../domain/order.ts";
import type { Quote, Quotes } from "../../domain/quotes.ts";
import { priceFromUsd, usdOf } from "../../domain/rounding.ts";
import {
  type AccountId,
  type MarketId,
  type OrderId,
  type Price,
  price,
  type Side,
  type Size,
  size,
} from "../../domain/units.ts";
import { lastKnown, type View } from "../../domain/view.ts";
import { isEnough, isNear, type Match, matchSide, meets, type NamedOrder, type Tolerance } from "./quote-matching.ts";
import { nearest, reducingSide, targetQuotesOf } from "./target-quotes.ts";

export type PlanContext = {
  readonly accountId: AccountId;
  readonly marketId: MarketId;
  /** Signed position; null while unknown: then no reduce-only order is planned. */
  readonly inventory: Size | null;
  /** The most that the guard permits this turn; orders beyond it are canceled. */
  readonly permitted: ActionClass;
  /** `limits.maxOpenOrders`: if there are more quotes, those nearest the other side are planned. */
  readonly maxOpenOrders: number;
  readonly tolerance: Tolerance;
  readonly modifies: Modifies;
};

/** Half of an order may be filled before it is restored; hardly more than wanted ever rests. */
const SIZES = { smallerBps: 5000, largerBps: 100 } as const;
/** Used while the fall-off of fills is unknown, basis points. */
const UNKNOWN_BPS = 1;

/** From a market's configuration: a share of 1 / k, and ticks. */
export type Requoting = { readonly requoteDepths: number; readonly queueTicks: number };

/**
 * Returns how far orders may be from their quotes: a share of 1 / k, the depth at which fills are e times fewer, and at least a tick.
 * Following the mid only beyond x costs (k x)^2 / 12 of the edge, 2 % at half of 1 / k; a requote costs the place in the queue.
 */
export function toleranceOf(
  { requoteDepths, queueTicks }: Requoting,
  { market, signals }: Pick<View, "market" | "signals">,
): Tolerance {
  const known = lastKnown(market);
  if (known === undefined) return { reach: price(0n), placeReach: price(0n), ...SIZES };
  const { tickSize, oraclePrice } = known;
  const { intensityK } = signals;
  const usd = intensityK === null ? (usdOf(oraclePrice) * UNKNOWN_BPS) / 10_000 : requoteDepths / intensityK;
  return {
    reach: priceFromUsd(Math.max(usd, usdOf(tickSize)), tickSize, "buy"),
    placeReach: price(BigInt(queueTicks) * tickSize),
    ...SIZES,
  };
}

/** What is not yet as wanted on a side, transactions on their way included. */
export type SidePlan = {
  readonly wanted: number;
  /** Levels of target quotes without a resting order. */
  readonly unmet: readonly number[];
  /** Orders that rest where no target quote wants them. */
  readonly extra: readonly OrderId[];
};

/** `leftOut`: quotes beyond `maxOpenOrders`. */
export type Plan = {
  readonly commands: readonly Command[];
  readonly buy: SidePlan;
  readonly sell: SidePlan;
  readonly leftOut: number;
};

/** A command and its rank: cancels are sent first, then steps back, then reductions of the position, then levels from the touch. */
type Step = { readonly command: Command; readonly rank: number };
const CANCELS = 0;
const STEPS_BACK = 1;
const REDUCES = 2;
const ADDS = 3;

/**
 * Returns the commands that turn `working` (all of the account's tracked orders in the market) into `quotes`. Foreign orders stay, and
 * count where quotes would trade with them. A quote that would meet one of the account's orders, where it rests or where it is being sent,
 * waits for a later turn; so does one whose slot has a transaction on its way. Once all have landed, the same plan has no commands.
 */
export function plan(quotes: Quotes, working: readonly TrackedOrder[], context: PlanContext): Plan {
  const { inventory, permitted, maxOpenOrders } = context;
  const wanted = targetQuotesOf(quotes, { inventory, claimed: claimedOf(working, inventory) }, permitted);
  const { buy, sell } = nearest(wanted, maxOpenOrders, reducingSide(inventory));
  const buys = working.filter(({ side, isConditional }) => side === "buy" && !isConditional);
  const sells = working.filter(({ side, isConditional }) => side === "sell" && !isConditional);
  const matchedBuys = matchSide(buy, buys.filter(isOwn), sell[0]?.price, context.tolerance);
  const matchedSells = matchSide(sell, sells.filter(isOwn), buy[0]?.price, context.tolerance);
  const steps = [
    ...stepsOf(matchedBuys, nearestPrice(sells, "sell"), context),
    ...stepsOf(matchedSells, nearestPrice(buys, "buy"), context),
  ];
  return {
    commands: steps.sort((a, b) => a.rank - b.rank).map(({ command }) => command),
    buy: sidePlan(buy, matchedBuys),
    sell: sidePlan(sell, matchedSells),
    leftOut: wanted.buy.length + wanted.sell.length - buy.length - sell.length,
  };
}

/** Contracts of the position that foreign reduce-only orders claim. */
function claimedOf(working: readonly TrackedOrder[], inventory: Size | null): Size {
  const side = reducingSide(inventory);
  let claimed = 0n;
  for (const order of working) {
    if (order.isForeign && order.reduceOnly && !order.isConditional && order.side === side)
      claimed += order.remainingSize;
  }
  return size(claimed);
}

const sidePlan = ({ length }: readonly Quote[], { unmet, extra }: Match): SidePlan => ({
  wanted: length,
  unmet: unmet.map(({ level }) => level),
  extra: extra.flatMap(({ orderId }) => orderId ?? []),
});

const isOwn = ({ isForeign }: TrackedOrder): boolean => !isForeign;

/** Returns the steps of one side; `edge`: the nearest price at which an order of the account may be live on the other side. */
function stepsOf(match: Match, edge: Price | undefined, context: PlanContext): readonly Step[] {
  const steps: Step[] = [];
  for (const order of match.unwanted) steps.push({ command: cancellation(order, context), rank: CANCELS });
  for (const { order, target } of match.moves) {
    const command = modification(order, target, context);
    if (context.modifies === "none" || (context.modifies === "prices" && command.newSize !== null)) {
      steps.push({ command: cancellation(order, context), rank: CANCELS });
      continue;
    }
    if (meets(command.newPrice ?? order.price, target.side, edge)) continue;
    steps.push({ command, rank: adds(command, order) ? addingRank(target, context) : STEPS_BACK });
  }
  for (const target of match.unmatched) {
    if (meets(target.price, target.side, edge)) continue;
    steps.push({ command: placement(target, context), rank: addingRank(target, context) });
  }
  return steps;
}

/** Returns the price of a side nearest the other one, counting each order where it is and where it may be going. */
function nearestPrice(orders: readonly TrackedOrder[], side: Side): Price | undefined {
  let nearest: Price | undefined;
  const consider = (at: Price) => {
    if (nearest === undefined || (side === "buy" ? at > nearest : at < nearest)) nearest = at;
  };
  for (const order of orders) {
    consider(order.price);
    if (order.pending !== null) consider(order.pending.price);
  }
  return nearest;
}

/** Whether a modify enlarges the order or, at the same size, brings it nearer the other side. */
function adds({ newPrice, newSize }: ModifyCommand, order: TrackedOrder): boolean {
  if (newSize !== null) return newSize > order.size;
  return newPrice !== null && (order.side === "buy" ? newPrice > order.price : newPrice < order.price);
}

const addingRank = (target: Quote, { inventory }: PlanContext): number =>
  target.side === reducingSide(inventory) ? REDUCES : ADDS + target.level;

function placement(target: Quote, { accountId, marketId }: PlanContext): PlaceCommand {
  const rests = target.intent === "rest";
  return {
    kind: "place",
    accountId,
    marketId,
    side: target.side,
    orderType: "Limit",
    price: target.price,
    size: target.size,
    reduceOnly: target.reduceOnly,
    postOnly: rests,
    timeInForce: rests ? "GTC" : "IOC",
    maxSlippageBps: null,
    level: target.level,
  };
}

/** A price within tolerance stays, so that a change of size alone keeps the place in the queue where the exchange allows it. */
function modification(
  order: NamedOrder,
  target: Quote,
  { accountId, marketId, tolerance }: PlanContext,
): ModifyCommand {
  const filled = order.size - order.remainingSize;
  const newSize = isEnough(order.remainingSize, target.size, tolerance) ? null : size(filled + target.size);
  const stays = newSize !== null && isNear(order.price, target.price, tolerance);
  return {
    kind: "modify",
    accountId,
    marketId,
    orderId: order.orderId,
    side: order.side,
    reduceOnly: order.reduceOnly,
    newPrice: stays ? null : target.price,
    newSize,
    level: target.level,
  };
}

function cancellation({ orderId }: NamedOrder, { accountId, marketId }: PlanContext): CancelCommand {
  return { kind: "cancel", accountId, marketId, orderId };
}
