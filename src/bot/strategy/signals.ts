// Estimates of one market: volatility, fill intensity, the next print. Plain data, folded over the same events as everything else, so that
// a recorded stream gives the same signals.

import type { Book } from "../../domain/book.ts";
import { bookWeight, depthTouch } from "../../domain/depth.ts";
import type { VenueEvent } from "../../domain/event.ts";
import type { Fill } from "../../domain/fill.ts";
import type { Oracle, OracleHistory } from "../../domain/market.ts";
import { type OwnOrders, othersBook } from "../../domain/others-book.ts";
import type { Lean, Quotes } from "../../domain/quotes.ts";
import { usdOf } from "../../domain/rounding.ts";
import { type MarketId, type OrderId, price, type Size } from "../../domain/units.ts";
import type { Signals } from "../../domain/view.ts";
import { DAY_MS, HOUR_MS } from "../../kernel/clock.ts";
import { exp, ln } from "../../kernel/real.ts";
import { estimateTiming } from "../timing.ts";
import { lastPrintWeight, settlementsBetween } from "./carry.ts";
import { type FillIntensity, noFillIntensity, observeBook, observeTaker, skipTime } from "./fill-intensity.ts";
import { type Forecast, followForecast, forecastShift, judgeForecast, noForecast } from "./forecast.ts";
import {
  type FundingPull,
  kappaPerHour,
  noFundingPull,
  observeFunding,
  observePremium,
  observeSettlement,
} from "./funding-pull.ts";
import {
  type Nowcast,
  noNowcast,
  nowcastErrorBps,
  nowcastPathUsd,
  nowcastUsd,
  observePrint,
  printDeviationBps,
} from "./nowcast.ts";
import {
  followOutside,
  judgeOutside,
  noOutside,
  type OutsideFacts,
  type OutsideForecasts,
  outsideShift,
} from "./outside.ts";
import { awaitMove, noPrintMove, observeMidAround, type PrintMove, printMoveBps } from "./print-move.ts";
import { isAroundPrint, observeFrame, observePublication, type PrintSchedule, withPast } from "./print-schedule.ts";
import type { PrintTimes } from "./print-times.ts";
import { noSkewScale, observeLean, type SkewScale, skipLean } from "./skew-scale.ts";
import { forgetAwaited, noToxicity, observeFill, observeMidAfter, type Toxicity, toxicityOf } from "./toxicity.ts";
import {
  dayVolatilityBps,
  noVolatility,
  observeMid,
  skipMove,
  slowVolatilityBps,
  type Volatility,
  volatilityBps,
} from "./volatility.ts";

export type SignalState = {
  readonly marketId: MarketId;
  /** Mid of the others' book for an order of our size, USD; null while it has none. */
  readonly midUsd: number | null;
  /** Since when it has had one, monotonic ms; null while it has none. */
  readonly midSinceMs: number | null;
  /** The last lasting mid since the last print, weighted against that print: for a moment ours may be taken for others'. */
  readonly heldMidUsd: number | null;
  readonly volatility: Volatility;
  readonly intensity: FillIntensity;
  readonly toxicity: Toxicity;
  /** Scale of the skew, from the inventory that it led to. */
  readonly skew: SkewScale;
  /** From the prints that the bot has seen and the exchange's history before them. */
  readonly nowcast: Nowcast;
  /** The market's own forecast of the next print. */
  readonly market: Forecast;
  /** The outside facts' forecasts of the next print. */
  readonly outside: OutsideForecasts;
  readonly printMove: PrintMove;
  readonly funding: FundingPull;
  /** Only from prints that the bot has seen: the guard uses this, which no history may widen. */
  readonly lived: Nowcast;
  /** Null before the first read of the oracle. */
  readonly schedule: PrintSchedule | null;
  readonly learnedMs: Learned;
};

/** When each last learned something, monotonic ms; null: never. `move`: the move over a print. */
export type Learned = Readonly<
  Record<"book" | "taker" | "fill" | "lean" | "print" | "move" | "settlement", number | null>
>;

export const startSignals = (marketId: MarketId): SignalState => ({
  marketId,
  midUsd: null,
  midSinceMs: null,
  heldMidUsd: null,
  volatility: noVolatility,
  intensity: noFillIntensity,
  toxicity: noToxicity,
  skew: noSkewScale,
  nowcast: noNowcast,
  market: noForecast,
  outside: noOutside,
  printMove: noPrintMove,
  funding: noFundingPull,
  lived: noNowcast,
  schedule: null,
  learnedMs: { book: null, taker: null, fill: null, lean: null, print: null, move: null, settlement: null },
});

/** Our part of the market: our orders are left out of the book, and a level counts by the size of one of them, contracts. */
export type Own = OwnOrders & {
  readonly orderSize: Size;
  /** Chain time, ms; null while unknown. Around a print the estimates of the market between prints stay unchanged. */
  readonly chainTimeMs: number | null;
  /** When its index prints, from the configuration; absent: as the exchange shows. */
  readonly printTimes?: PrintTimes | null;
  /** Outside facts that its fair value may use; absent: none is known. */
  readonly outside?: OutsideFacts;
};

/** Takes one event; events of other markets and kinds leave the state unchanged. */
export function foldSignals(state: SignalState, event: VenueEvent, own: Own): SignalState {
  const after = folded(state, event, own);
  return dated(state, withOutside(after, own, event.receivedMs), event.receivedMs);
}

/** Notes when each changed estimate was learned. */
function dated(before: SignalState, after: SignalState, nowMs: number): SignalState {
  if (after === before) return after;
  const { learnedMs } = after;
  const changed: Learned = {
    book: after.volatility.samples === before.volatility.samples ? learnedMs.book : nowMs,
    taker: after.intensity.seen === before.intensity.seen ? learnedMs.taker : nowMs,
    fill: after.toxicity.fills === before.toxicity.fills ? learnedMs.fill : nowMs,
    lean: after.skew.seconds === before.skew.seconds ? learnedMs.lean : nowMs,
    print: after.nowcast === before.nowcast ? learnedMs.print : nowMs,
    move: after.printMove.prints === before.printMove.prints ? learnedMs.move : nowMs,
    settlement: after.funding.sums === before.funding.sums ? learnedMs.settlement : nowMs,
  };
  return { ...after, learnedMs: changed };
}

function folded(state: SignalState, event: VenueEvent, own: Own): SignalState {
  switch (event.kind) {
    case "book":
    case "bookRead":
      return event.book.marketId === state.marketId ? foldBook(state, event, own) : state;
    case "trade": {
      const { marketId, takerOrderId, makerOrderId } = event.trade;
      if (marketId !== state.marketId || state.midUsd === null || isResting(state, own)) return state;
      const isOwn = (id: OrderId): boolean => own.orders.some(({ orderId }) => orderId === id);
      if (isOwn(takerOrderId)) return state;
      const seen = { atMs: event.receivedMs, isOurs: isOwn(makerOrderId) };
      return { ...state, intensity: observeTaker(state.intensity, event.trade, seen) };
    }
    case "oracleUpdate":
      if (event.marketId !== state.marketId) return state;
      return {
        ...withPrint(state, event, event.receivedMs),
        schedule: state.schedule && observeFrame(state.schedule, event.validUntilSec, own.printTimes ?? null),
      };
    case "oracleRead": {
      const { marketId, validUntilSec, lastUpdateTimestampMs: publishedMs } = event.oracle;
      if (marketId !== state.marketId) return state;
      return {
        ...withPrint(state, event.oracle, event.receivedMs),
        schedule: observePublication(state.schedule, { publishedMs, validUntilSec }, own.printTimes ?? null),
      };
    }
    case "marketRead":
      if (event.market.marketId !== state.marketId) return state;
      return { ...state, funding: observePremium(state.funding, event.market, event.receivedMs) };
    case "fundingRead":
      if (event.funding.marketId !== state.marketId) return state;
      return { ...state, funding: observeFunding(state.funding, event.funding) };
    case "fundingUpdate": {
      if (event.marketId !== state.marketId) return state;
      const { fundingRate, lastFundingTimestampSec } = event;
      return { ...state, funding: observeSettlement(state.funding, Number(fundingRate), lastFundingTimestampSec) };
    }
    case "oracleHistoryRead":
      return event.history.marketId === state.marketId ? withHistory(state, event.history, own) : state;
    default:
      return state;
  }
}

type ReportedPrint = Pick<Oracle, "price" | "validUntilSec">;

function withPrint(state: SignalState, { price, validUntilSec }: ReportedPrint, nowMs: number): SignalState {
  const missing = missingBefore(state, validUntilSec);
  const lived = observePrint(state.lived, usdOf(price), validUntilSec, missing);
  const heldMidUsd = lived === state.lived ? state.heldMidUsd : null;
  const isSame = state.nowcast === state.lived;
  const nowcast = isSame ? lived : observePrint(state.nowcast, usdOf(price), validUntilSec, missing);
  if (nowcast === state.nowcast) return { ...state, lived, heldMidUsd };
  const predicted = nowcast.leap === null && missing === 0 ? nowcastUsd(state.nowcast) : null;
  const missed = predicted === null ? null : ln(usdOf(price) / predicted);
  const surprise = errorOf(state.nowcast);
  const left = missed === null ? null : missed - forecastShift(state.market);
  return {
    ...state,
    lived,
    nowcast,
    heldMidUsd,
    market: judgeForecast(state.market, missed, surprise),
    outside: judgeOutside(state.outside, { usd: usdOf(price), missed: left }, surprise),
    printMove: state.schedule === null ? state.printMove : awaitMove(state.printMove, state.schedule.everyMs, nowMs),
  };
}

/** Returns the number of unseen prints before one that is valid until then, by the rhythm of the seen ones; 0 while that is unknown. */
function missingBefore({ schedule, lived: { last } }: SignalState, validUntilSec: number): number {
  if (schedule === null || schedule.intervalsMs.length === 0 || last === null) return 0;
  return Math.max(0, Math.round(((validUntilSec - last.validUntilSec) * 1000) / schedule.everyMs) - 1);
}

/** In log price. */
const errorOf = (nowcast: Nowcast): number => nowcastErrorBps(nowcast) / 10_000;

/** A print is valid until the next one: points further apart than this multiple of its validity have prints missing between them. */
const VALIDITIES_MAX = 1.5;

/**
 * Folds past prints before the first one that the bot saw: later they would come in the wrong order. The last day's point is that print
 * itself. A history that this print does not continue belongs to another index, and teaches nothing.
 */
function withHistory(state: SignalState, { prices }: OracleHistory, { printTimes = null }: Own): SignalState {
  const { schedule, lived } = state;
  const { last } = lived;
  if (schedule === null || last === null || lived.prints > 1 || lived.leap !== null) return state;
  const { publishedMs } = schedule;
  const today = (Math.floor(publishedMs / DAY_MS) * DAY_MS) / 1000;
  const past = prices.filter(({ timeSec }) => timeSec < today);
  const rhythm = withPast(schedule, past, printTimes);
  const validForMs = last.validUntilSec * 1000 - publishedMs;
  if (rhythm === null || rhythm.everyMs > VALIDITIES_MAX * validForMs) return state;
  const validForSec = Math.round(validForMs / 1000);
  const before = past.reduce((nowcast, { timeSec, price }, index) => {
    const sinceMs = (timeSec - (past[index - 1]?.timeSec ?? timeSec)) * 1000;
    const missing = Math.max(0, Math.round(sinceMs / rhythm.everyMs) - 1);
    return observePrint(nowcast, usdOf(price), timeSec + validForSec, missing);
  }, noNowcast);
  const nowcast = observePrint(before, last.usd, last.validUntilSec);
  if (nowcast.leap !== null) return state;
  const surprise = errorOf(nowcast);
  const outside = judgeOutside(state.outside, { usd: last.usd, missed: null }, surprise);
  return { ...state, nowcast, schedule: rhythm, market: judgeForecast(state.market, null, surprise), outside };
}

function foldBook(
  state: SignalState,
  { book, receivedMs }: Extract<VenueEvent, { kind: "book" | "bookRead" }>,
  own: Own,
): SignalState {
  const others = othersBook(book, own);
  const touch = depthTouch(others, own.orderSize);
  if (touch === undefined) return { ...state, midUsd: null, midSinceMs: null, intensity: skipTime(state.intensity) };
  const midUsd = usdOf(price((touch.bid + touch.ask) / 2n));
  const { volatility, intensity, toxicity, lived } = state;
  const printUsd = lived.last?.usd ?? midUsd;
  const midSinceMs = state.midSinceMs ?? receivedMs;
  const heldMidUsd =
    receivedMs - midSinceMs < estimateTiming.midLastedMs
      ? state.heldMidUsd
      : printUsd + bookWeight(others, own.orderSize) * (midUsd - printUsd);
  const market = withMarket(state, others, midUsd, receivedMs, own);
  const printMove = withMidAround(state, midUsd, receivedMs);
  if (isResting(state, own))
    return {
      ...state,
      midUsd,
      market,
      printMove,
      midSinceMs,
      heldMidUsd,
      volatility: skipMove(volatility, midUsd, receivedMs),
      intensity: skipTime(intensity),
      toxicity: forgetAwaited(toxicity),
    };
  return {
    ...state,
    midUsd,
    market,
    printMove,
    midSinceMs,
    heldMidUsd,
    volatility: observeMid(volatility, midUsd, receivedMs),
    intensity: observeBook(intensity, book, midUsd, receivedMs),
    toxicity: observeMidAfter(toxicity, midUsd, receivedMs),
  };
}

/** Whoever moves the book moves its forecast, so that is limited. */
const MARKET_SURPRISES_PER_HOUR = 0.5;

/** Takes the mid's forecast of the next print, weighted as the book is against the last print. */
function withMarket(
  { market, nowcast, schedule, funding }: SignalState,
  others: Book,
  midUsd: number,
  nowMs: number,
  { orderSize, chainTimeMs }: Own,
): Forecast {
  const predictedUsd = nowcastUsd(nowcast);
  if (nowcast.last === null || predictedUsd === null || schedule === null || funding.schedule === null) return market;
  if (chainTimeMs === null) return market;
  const { lastFundingTimestampSec, fundingIntervalSecs } = funding.schedule;
  const dueSec = schedule.dueMs / 1000;
  const kappa = (kappaPerHour(funding) * fundingIntervalSecs * 1000) / HOUR_MS;
  const settlements = settlementsBetween(chainTimeMs / 1000, dueSec, lastFundingTimestampSec, fundingIntervalSecs);
  const lastUsd = nowcast.last.usd;
  const seenUsd = lastUsd + bookWeight(others, orderSize) * (midUsd - lastUsd);
  // Funding holds a contract near the last print, so its price shows only a share of what is expected.
  const share = 1 - lastPrintWeight(kappa, settlements);
  const said = {
    next: ln(seenUsd / lastUsd) / share,
    own: ln(predictedUsd / lastUsd),
    share,
    surprisesPerHour: MARKET_SURPRISES_PER_HOUR,
  };
  return followForecast(market, said, errorOf(nowcast), nowMs);
}

/** Outside facts are followed whatever the book shows. */
function withOutside(state: SignalState, { outside: facts = {} }: Own, nowMs: number): SignalState {
  const { nowcast, market, schedule, outside: states } = state;
  if (states === noOutside && Object.keys(facts).length === 0) return state;
  const predictedUsd = nowcastUsd(nowcast);
  if (nowcast.last === null || predictedUsd === null || schedule === null) return state;
  const lastUsd = nowcast.last.usd;
  const own = ln(predictedUsd / lastUsd) + forecastShift(market);
  const beside = { lastUsd, own, surprise: errorOf(nowcast), everyMs: schedule.everyMs };
  const outside = followOutside(states, facts, beside, nowMs);
  return outside === states ? state : { ...state, outside };
}

const withMidAround = ({ printMove, schedule, lived }: SignalState, midUsd: number, nowMs: number): PrintMove =>
  schedule === null
    ? printMove
    : observeMidAround(printMove, midUsd, schedule.everyMs, printDeviationBps(lived), nowMs);

const isResting = ({ schedule }: SignalState, { chainTimeMs }: Pick<Own, "chainTimeMs">): boolean =>
  schedule !== null && chainTimeMs !== null && isAroundPrint(schedule, chainTimeMs);

/** The lasting mid, USD; null while there is none, and around a print, whose own move is counted elsewhere. */
export const calmMidUsd = (state: SignalState, own: Pick<Own, "chainTimeMs">): number | null =>
  isResting(state, own) ? null : state.heldMidUsd;

/** Takes a fill of ours that was not known before. */
export function foldFill(
  state: SignalState,
  { side, price: at }: Pick<Fill, "side" | "price">,
  nowMs: number,
): SignalState {
  if (state.midUsd === null) return state;
  return { ...state, toxicity: observeFill(state.toxicity, side, usdOf(at), state.midUsd, nowMs) };
}

/** Takes the result of a turn: the inventory counts while the quotes that reduce it rest and no print is near. */
export function foldQuotes(state: SignalState, { lean }: Pick<Quotes, "lean">, own: Own, nowMs: number): SignalState {
  const skew =
    lean === undefined || isResting(state, own) || !isLeaning(lean, own)
      ? skipLean(state.skew)
      : observeLean(state.skew, lean, nowMs);
  return skew === state.skew ? state : dated(state, { ...state, skew }, nowMs);
}

const isLeaning = ({ inventory }: Lean, { orders }: Pick<Own, "orders">): boolean =>
  orders.some(({ side, state }) => state === "working" && (inventory === 0 || (side === "sell") === inventory > 0));

/** Returns the current estimates; null where there is too little data. */
export function readSignals(state: SignalState): Signals {
  const { heldMidUsd, volatility, intensity, toxicity, skew, nowcast, market, outside, printMove, funding } = state;
  const { lived, schedule } = state;
  const nowcastPath = nowcastPathUsd(nowcast);
  const predictedUsd = nowcastPath?.[0] ?? null;
  const marketNowcastUsd = predictedUsd === null ? null : predictedUsd * exp(forecastShift(market));
  const shift = outsideShift(outside);
  const { adverseBps, markoutBps } = toxicityOf(toxicity);
  return Object.freeze({
    volatilityBps: volatilityBps(volatility),
    dayVolatilityBps: dayVolatilityBps(volatility),
    slowVolatilityBps: slowVolatilityBps(volatility),
    heldMidUsd,
    intensityA: intensity.law?.a ?? null,
    intensityK: intensity.law?.k ?? null,
    adverseBps,
    markoutBps,
    skewScale: skew.scale,
    nowcastUsd: predictedUsd,
    nowcastPathUsd: nowcastPath,
    marketNowcastUsd,
    outsideNowcastUsd: marketNowcastUsd === null || shift === null ? null : marketNowcastUsd * exp(shift),
    kappaPerHour: kappaPerHour(funding),
    nowcastErrorBps: nowcastErrorBps(nowcast),
    printDeviationBps: printDeviationBps(lived),
    printMoveBps: printMoveBps(printMove, printDeviationBps(lived)),
    nextPrint:
      schedule &&
      Object.freeze({
        atMs: schedule.dueMs,
        earliestMs: schedule.dueMs - schedule.earlyMs,
        lastMs: schedule.publishedMs,
        everyMs: schedule.everyMs,
      }),
  });
}
