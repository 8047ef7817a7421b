// Which markets need no turn: nothing that the last turn depended on has changed, and no instant has come at which time alone changes
// something. The lists below name everything that a turn depends on. When unsure, let the market turn: an extra turn does no harm.

import { isDeepStrictEqual } from "node:util";
import type { Market } from "../../../domain/market.ts";
import type { TrackedOrder } from "../../../domain/order.ts";
import { shownView } from "../../../domain/shown-view.ts";
import { sides } from "../../../domain/units.ts";
import { type Fact, fresh, lastKnown, type View } from "../../../domain/view.ts";
import { DAY_MS, type Instant } from "../../../kernel/clock.ts";
import type { BotState } from "../../account/account-state.ts";
import { type Answers, answersOf, phaseHoldsForMs, phaseOf } from "../../risk/adverse.ts";
import { collarBps } from "../../risk/collar.ts";
import { type GateReading, readGates } from "../../risk/gates/gates.ts";
import type { Limits } from "../../risk/limits/limits.ts";
import { isVolatilityWithin } from "../../risk/observed.ts";
import { atTrustedPrint, followPrint } from "../../risk/prints.ts";
import { toleranceOf } from "../../strategy/plan.ts";
import { loopTiming, riskTiming } from "../../timing.ts";
import type { MarketDesk } from "../desks/market-desk.ts";
import type { Beginning } from "./judgment.ts";
import type { Turn } from "./turn.ts";
import type { DeskPair } from "./turn-queue.ts";
import { viewHoldsForMs } from "./view.ts";

/**
 * The last turn, the beginning with which the market was last found idle, and the dependencies of both. `looked`: the same when drifts were
 * last compared.
 */
type Last = {
  readonly turn: Turn;
  readonly begun: Beginning;
  readonly looked: Beginning;
  readonly readings: readonly GateReading[];
  readonly values: readonly unknown[];
};

export class IdleCheck {
  readonly #state: BotState;
  /** A market without an entry is never idle. */
  readonly #last = new WeakMap<MarketDesk, Last>();

  constructor({ state }: { readonly state: BotState }) {
    this.#state = state;
  }

  /** Call it when the market has turned and all that it sent was noted. Returns as `idleUntilMs`. */
  turned(pair: DeskPair, turn: Turn, begun: Beginning): number {
    const { readings } = turn;
    this.#last.set(pair.market, { turn, begun, looked: begun, readings, values: valuesOf(pair, readings, begun) });
    return this.#dueMs(pair, turn, begun);
  }

  /** The result of another turn is unknown. */
  forget(market: MarketDesk): void {
    this.#last.delete(market);
  }

  /** Returns until when another turn would find what the last one found if nothing happens, monotonic ms; null: the market must turn. */
  idleUntilMs(pair: DeskPair, now: Beginning): number | null {
    const last = this.#last.get(pair.market);
    if (last === undefined) return null;
    const dueMs = this.#dueMs(pair, last.turn, now);
    if (dueMs <= now.now.monotonicMs || !isSameFor(pair.market, last, now)) return null;
    const readings = readingsOf(last, now);
    const values = valuesOf(pair, readings, now);
    if (!areSame(values, last.values)) return null;
    // Keeping the newest objects makes the next comparison cheap: most are identical.
    const looked = isLook(last.turn, now.view) ? now : last.looked;
    this.#last.set(pair.market, { ...last, begun: now, looked, readings });
    return dueMs;
  }

  /** Returns the first instant after the last turn at which time alone changes a turn's result, monotonic ms. */
  #dueMs({ desk, market }: DeskPair, turn: Turn, { view, limits, state, now, day }: Beginning): number {
    const { nowMs } = view;
    const turnedMs = turn.view.nowMs;
    const { pausedUntil, lossSinceMs } = state.observed;
    // A failed strategy is asked again: it may work by now.
    const isAskedEachSecond = market.strategy.running.drifts === undefined || turn.fault !== null;
    const instants = [
      isAskedEachSecond ? turnedMs + loopTiming.lookMs : Number.POSITIVE_INFINITY,
      desk.correlatedRisk.dueMs(desk.markets),
      market.premium?.dueMs ?? Number.POSITIVE_INFINITY,
      nowMs + viewHoldsForMs(this.#state, view, market.quoted.signals),
      nowMs + openForMs(view, limits),
      nowMs + phaseHoldsForMs(view),
      nowMs + dayLeftMs(view, now, day),
      pausedUntil.volatilityMs,
      pausedUntil.rejectRatioMs,
      market.quoting.stuckFromMs,
      market.quoting.trialMs,
      (lossSinceMs.market ?? Number.POSITIVE_INFINITY) + riskTiming.unconfirmedLossMs,
      (lossSinceMs.account ?? Number.POSITIVE_INFINITY) + riskTiming.unconfirmedLossMs,
    ];
    // A pause counts from when the volatility last exceeded its limit; an order delayed by the order rate limit may go a moment later.
    const isWild = !isVolatilityWithin(view.signals, limits.market);
    if (isWild || turn.verdict.denied.some(isRateDenied)) instants.push(turnedMs + loopTiming.tickMs);
    let firstMs = Number.POSITIVE_INFINITY;
    for (const atMs of instants) if (atMs + loopTiming.passedMs > turnedMs && atMs < firstMs) firstMs = atMs;
    return firstMs + loopTiming.passedMs;
  }
}

/** Compares what is not in the list of values; most objects are identical to those of the last look. */
function isSameFor(market: MarketDesk, { turn, begun, looked }: Last, now: Beginning): boolean {
  const { view, limits, state } = now;
  const { prints, adverse } = state.observed;
  if (followPrint(prints, view, limits.market) !== prints) return false;
  if (!isSameMarket(begun.view.market, view.market) || !areSameOrders(begun, view.orders)) return false;
  if (turn.verdict.denied.length > 0 && !isSameMoney(begun, now)) return false;
  const isSeen = isSameBook(begun.view, view);
  if ((!isSeen || !isSame(lastKnown(begun.view.position), lastKnown(view.position))) && market.isRevalued(view))
    return false;
  if (market.pnl.isRebooked || !readsSame(market, begun, now, isSeen)) return false;
  const isLooked = isLook(turn, view);
  if (
    (isLooked || adverse !== begun.state.observed.adverse) &&
    !areSameAnswers(turn.answers, answersOf(adverse, view, limits.market))
  )
    return false;
  return !isLooked || driftsSame(market, looked, now);
}

const isSameBook = (one: View, other: View): boolean =>
  lastKnown(one.book) === lastKnown(other.book) && one.orders === other.orders && one.vacated === other.vacated;

/** Answers to adverse fills fade with time: compared each second, and after each fill that was judged. */
const areSameAnswers = (one: Answers, other: Answers): boolean =>
  sides.every((side) => (["level", "widened", "share"] as const).every((key) => one[side][key] === other[side][key]));

/** The current gates. The worst case of all orders is expensive, so it is reused while its inputs are unchanged. */
function readingsOf({ turn, begun, readings }: Last, now: Beginning): readonly GateReading[] {
  const { view, limits, state } = now;
  const inputs = { view, limits, state: { ...state, fairValueUsd: turn.quotes.fairValueUsd } };
  const isExposed =
    begun.view.orders !== view.orders ||
    !isSameMoney(begun, now) ||
    !isSame(lastKnown(begun.view.position), lastKnown(view.position)) ||
    !isSame(lastKnown(begun.view.oracle), lastKnown(view.oracle));
  return readGates(inputs, isExposed ? [] : readings.filter(({ gate }) => gate === "exposure"));
}

const isRateDenied = ({ denials }: Turn["verdict"]["denied"][number]): boolean =>
  denials.some(({ reason }) => reason === "orderRate");

/** Identical or of equal content: a replay makes other objects than the run that it repeats. */
const isSame = (one: unknown, other: unknown): boolean =>
  Object.is(one, other) || (typeof one === "object" && isDeepStrictEqual(one, other));

/** Values that a turn depends on, except ages, signals, and what the functions below compare. */
function valuesOf(
  { desk, market }: DeskPair,
  readings: readonly GateReading[],
  { view, limits, modifies, requoteDepths, queueTicks, state, day, profitBeside }: Beginning,
): readonly unknown[] {
  const { observed } = state;
  const { reach, placeReach } = toleranceOf({ requoteDepths, queueTicks }, view);
  return [
    // Without its other markets: in a replay, a reload that changes nothing makes their strategies again.
    desk.quoted.limits,
    desk.quoted.foreignOrders,
    desk.quoted.maxAwayLossRatio,
    market.quoted,
    market.strategy.running,
    market.strategy.fault,
    modifies,
    reach,
    placeReach,
    // Stream, book, clocks, money, journal, key, budget and pauses count only by the gates that they close.
    ...readings.map(({ closed }) => closed === null),
    isVolatilityWithin(view.signals, limits.market),
    collarBps(limits.market, view.signals),
    view.market.state,
    view.book.state,
    view.funding.state,
    view.chain.state,
    view.funds.state,
    view.reconciled.state,
    view.stream.state,
    lastKnown(view.stream),
    view.oracle.state,
    lastKnown(view.oracle),
    view.position.state,
    lastKnown(view.position),
    view.feeTier.state,
    lastKnown(view.feeTier),
    view.openOrderCap.state,
    lastKnown(view.openOrderCap),
    view.unreadable,
    view.accountOrderCount,
    view.guidance.extraInventory,
    state.latches,
    state.rejections,
    state.isAccountPnlUnconfirmed,
    observed.fills,
    observed.lossSinceMs,
    phaseOf(view),
    day,
    profitBeside,
  ];
}

/** Fields of a market that change all the time and that no plan or limit uses directly. */
const moving: ReadonlySet<keyof Market> = new Set([
  "markPrice",
  "bestBid",
  "bestAsk",
  "openInterestLong",
  "openInterestShort",
  "fundingRate",
]);

function isSameMarket(one: Fact<Market>, other: Fact<Market>): boolean {
  const [before, now] = [lastKnown(one), lastKnown(other)];
  if (before === now || before === undefined || now === undefined) return before === now;
  for (const key of Object.keys(now) as (keyof Market)[])
    if (!moving.has(key) && !isSame(before[key], now[key])) return false;
  return true;
}

/** Where an order is in the queue matters to a plan that would leave it there. */
function areSameOrders({ view: { orders: before }, queueTicks }: Beginning, now: View["orders"]): boolean {
  if (before === now) return true;
  return before.length === now.length && before.every((order, at) => isSameOrder(order, now[at], queueTicks > 0));
}

function isSameOrder(one: TrackedOrder, other: TrackedOrder | undefined, withQueue: boolean): boolean {
  if (one === other || other === undefined) return one === other;
  const { queueAhead, sinceMs: _, movingTo: __, ...rest } = one;
  const { queueAhead: queueNow, sinceMs: ___, movingTo: ____, ...now } = other;
  return (!withQueue || queueAhead === queueNow) && isDeepStrictEqual(rest, now);
}

/** Compares the money that limits on a new order depend on. */
const isSameMoney = (one: Beginning, other: Beginning): boolean =>
  isSame(lastKnown(one.view.market), lastKnown(other.view.market)) &&
  isSame(lastKnown(one.view.funds), lastKnown(other.view.funds)) &&
  isSame(lastKnown(one.state.grossNotionalElsewhere), lastKnown(other.state.grossNotionalElsewhere));

/** Whether the strategy would read the same facts. One that does not declare its reads is asked again whenever any fact changes. */
function readsSame({ strategy: { running } }: MarketDesk, before: Beginning, now: Beginning, isSeen: boolean): boolean {
  const { reads } = running;
  const [one, other] = [before.view, now.view];
  if (reads !== undefined)
    return (isSeen && one.signals === other.signals) || areSame(readBy(reads, before), readBy(reads, now));
  return lastKnown(one.book) === lastKnown(other.book) && areSame(factsOf(one), factsOf(other));
}

/** Strategies are looked at each second, by a timer that may fire early. */
export const isLook = (turn: Turn, { nowMs }: View): boolean =>
  nowMs - turn.view.nowMs >= loopTiming.lookMs - loopTiming.earlyMs;

function driftsSame({ strategy: { running } }: MarketDesk, before: Beginning, now: Beginning): boolean {
  const { drifts } = running;
  return drifts !== undefined && areSame(readBy(drifts, before), readBy(drifts, now));
}

const areSame = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((value, at) => isSame(value, other[at]));

const factsOf = ({ market, funding, funds, agent, orders, vacated, outside }: View): readonly unknown[] => [
  lastKnown(market),
  lastKnown(funding),
  lastKnown(funds),
  lastKnown(agent),
  orders,
  vacated,
  ...Object.values(outside).map(lastKnown),
];

/** The reads of a strategy that throws never count as equal. */
function readBy(reads: (view: View) => readonly unknown[], { view, state }: Beginning): readonly unknown[] {
  try {
    return reads(shownView(atTrustedPrint(view, state.observed.prints)));
  } catch {
    return [Symbol("unknown")];
  }
}

/** Returns how long the gates that depend on the chain's clock stay open, ms; infinity: they are closed, and time does not open them. */
function openForMs({ oracle, agent, chain }: View, { market }: Limits): number {
  const clock = fresh(chain);
  if (clock === undefined) return Number.POSITIVE_INFINITY;
  const { timeMs, blockMs } = clock;
  const untilMs = (lastKnown(oracle)?.validUntilSec ?? 0) * 1000 - blockMs - market.oracleGuardMs;
  const expiresMs = (lastKnown(agent)?.expiresAtSec ?? Number.POSITIVE_INFINITY) * 1000 - market.agentExpiryMarginMs;
  const left = [untilMs - timeMs, expiresMs - timeMs].filter((leftMs) => leftMs > 0);
  return Math.min(...left);
}

/** Returns the time until a day begins by chain time and wall time, ms. */
function dayLeftMs({ chain }: View, { wallMs }: Instant, day: number | null): number {
  const timeMs = lastKnown(chain)?.timeMs;
  return day === null || timeMs === undefined
    ? Number.POSITIVE_INFINITY
    : (day + 1) * DAY_MS - Math.min(timeMs, wallMs);
}
