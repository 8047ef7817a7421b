// What we estimate of one market from what we observe of it: volatility, fill intensity, the next print. Plain data, folded over the
// same events as everything else, so that a recorded stream gives the same signals.

import { depthMid } from "../../domain/depth.ts";
import type { VenueEvent } from "../../domain/event.ts";
import { type OwnOrders, othersBook } from "../../domain/others-book.ts";
import { usdOf } from "../../domain/rounding.ts";
import type { MarketId, Size } from "../../domain/units.ts";
import type { Signals } from "../../domain/view.ts";
import { type Intensity, intensityOf, noIntensity, observeTaker, observeTime } from "./intensity.ts";
import { type Nowcast, noNowcast, nowcastErrorBps, nowcastUsd, observePrint, printDeviationBps } from "./nowcast.ts";
import { observePublication, type PrintSchedule } from "./print-schedule.ts";
import { noVolatility, observeMid, type Volatility, volatilityBps } from "./volatility.ts";

export type SignalState = {
  readonly marketId: MarketId;
  /** Mid of the others' book for an order of our size, USD; null while it has none. */
  readonly midUsd: number | null;
  readonly volatility: Volatility;
  readonly intensity: Intensity;
  readonly nowcast: Nowcast;
  /** Null before the first read of the oracle. */
  readonly schedule: PrintSchedule | null;
};

export const startSignals = (marketId: MarketId): SignalState => ({
  marketId,
  midUsd: null,
  volatility: noVolatility,
  intensity: noIntensity,
  nowcast: noNowcast,
  schedule: null,
});

/** What we have in the market: orders of ours are left out of the book, and a level counts by the size of one of them, contracts. */
export type Own = OwnOrders & { readonly orderSize: Size };

/** Takes one event; those of other markets and kinds leave the state as it is. */
export function foldSignals(state: SignalState, event: VenueEvent, own: Own): SignalState {
  switch (event.kind) {
    case "book":
    case "bookRead":
      return event.book.marketId === state.marketId ? foldBook(state, event, own) : state;
    case "trade": {
      const { marketId, price, takerSide, takerOrderId } = event.trade;
      if (marketId !== state.marketId || state.midUsd === null) return state;
      const aboveMid = usdOf(price) - state.midUsd;
      const depthUsd = takerSide === "buy" ? aboveMid : -aboveMid;
      return { ...state, intensity: observeTaker(state.intensity, takerOrderId, depthUsd, event.receivedMs) };
    }
    case "oracleUpdate":
      if (event.marketId !== state.marketId) return state;
      return { ...state, nowcast: observePrint(state.nowcast, usdOf(event.price), event.validUntilSec) };
    case "oracleRead": {
      const { marketId, price, validUntilSec, lastUpdateTimestampMs } = event.oracle;
      if (marketId !== state.marketId) return state;
      return {
        ...state,
        nowcast: observePrint(state.nowcast, usdOf(price), validUntilSec),
        schedule: observePublication(state.schedule, lastUpdateTimestampMs, validUntilSec),
      };
    }
    default:
      return state;
  }
}

function foldBook(
  state: SignalState,
  { book, receivedMs }: Extract<VenueEvent, { kind: "book" | "bookRead" }>,
  own: Own,
): SignalState {
  const mid = depthMid(othersBook(book, own), own.orderSize);
  if (mid === undefined) return { ...state, midUsd: null };
  const midUsd = usdOf(mid);
  return {
    ...state,
    midUsd,
    volatility: observeMid(state.volatility, midUsd, receivedMs),
    intensity: observeTime(state.intensity, receivedMs),
  };
}

/** The estimates of now; null where there is not enough to estimate from. */
export function readSignals({ midUsd, volatility, intensity, nowcast, schedule }: SignalState): Signals {
  const fairUsd = midUsd ?? nowcast.last?.usd ?? null;
  const fills = fairUsd === null ? null : intensityOf(intensity, fairUsd);
  return {
    volatilityBps: volatilityBps(volatility),
    intensityA: fills?.a ?? null,
    intensityK: fills?.k ?? null,
    nowcastUsd: nowcastUsd(nowcast),
    nowcastErrorBps: nowcastErrorBps(nowcast),
    printDeviationBps: printDeviationBps(nowcast),
    nextPrint: schedule && { atMs: schedule.publishedMs + schedule.everyMs, everyMs: schedule.everyMs },
  };
}
