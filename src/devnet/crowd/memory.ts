// What the crowd has learned: a fold over the exchange's events, kept with its snapshots, so that a resumed devnet goes on as one
// that never stopped. Only + - x / and sqrt, and kernel/real.ts, touch its floats: the same bits on every machine.

import type { Execution } from "../../domain/fill.ts";
import type { AccountId, MarketId, Price } from "../../domain/units.ts";
import { exp, ln } from "../../kernel/real.ts";
import { parsedText, textOf } from "../accounts/table.ts";
import type { EventBatch } from "../chain/block-maker.ts";
import type { ChainIndex } from "../chain/chain-index.ts";
import { type ArrivalState, newArrivals } from "./arrivals.ts";
import type { Carry } from "./carry.ts";
import { bounded, type IndexPath } from "./index-path.ts";

/** One market's. Levels are logarithms of the price's ratio to print 0, in millionths. */
export type Opinion = {
  /** Where everybody who knows only prints and trades sees the price: what it is worth and the pressure on it. */
  level: number;
  /** What it is worth without the pressure. */
  fair: number;
  /** The last print, its step and the one before. */
  print: number;
  step: number;
  stepBefore: number;
  /** What prints have added to what was expected of them, without the sign, a decaying mean of so many prints. */
  surprise: number;
  prints: number;
  /** Flow since the print that was not to be expected, in impacts of a typical order: it tells of the next one. */
  told: number;
  /** What flow of late moved the level by and is still to come back; and the height that it was last written at. */
  pressure: number;
  pressureHeight: number;
  /** Flow of late, a decaying mean, in impacts of a typical order: what flow is expected to do next. */
  flow: number;
  /** Moves of the level, decaying; and the height that it was last written at. */
  heat: number;
  heatHeight: number;
  /** A slow mean of the level: what a trend is seen against. */
  mean: number;
  /** Block of the last trade or print. */
  changedHeight: number;
  printHeight: number;
  /** Contracts in size units that accounts of the crowd hold, and the level at which they came to; by account number. */
  readonly held: Record<string, number>;
  readonly entry: Record<string, number>;
  arrivals: ArrivalState;
};

export type CrowdMemory = ChainIndex & {
  readonly of: (market: MarketId) => Opinion;
  /** The same, with the level of block `height`. */
  readonly at: (market: MarketId, height: number) => Opinion;
};

export type Learning = {
  readonly seats: ReadonlyMap<MarketId, { readonly path: IndexPath; readonly carry: Carry }>;
  /** Whose holdings are remembered. */
  readonly accounts: ReadonlySet<AccountId>;
  /** Size units of a typical order, and the pressure of one, millionths. */
  readonly typical: number;
  readonly impactPpm: number;
  /** Those who know the next print, for each noise order. */
  readonly knowers: number;
  readonly blockTimeMs: number;
  /** Mean gaps between noise orders that one block takes. */
  readonly gapsPerBlock: number;
};

const PPM = 1_000_000;
/** An order below this share of a typical one is dust: nobody learns from it, however many there are. Above it impact is the root of the size. */
const DUST = 0.15;
const IMPACT_MAX = 9;
/** Memory of some five orders, and how much of it is expected to go on. */
export const FLOW = { rate: 1 / 5, share: 0.62 };
/** How long pressure takes to go, gaps. */
const PRESSURE_GAPS = 0.9;
/** Flow of a gap that was not to be expected: its variance, and its mean for each of those who know, in impacts of a typical order. */
const FLOW_VARIANCE = 1.2;
const SIGNAL = 0.16;
/** Nobody takes a surprise to be more than three usual ones. */
const TOLD_MAX = 3;
/** Memory of surprises, prints. */
const SURPRISES = 20;
/** Memory of moves and of the trend, gaps and trades. */
export const HEAT_GAPS = 15;
const TREND_RATE = 1 / 40;

export function createMemory(learning: Learning): CrowdMemory {
  const { seats } = learning;
  const markets = new Map([...seats].map(([marketId, { path }]) => [marketId, newOpinion(path.meanPpm)]));

  const of = (market: MarketId): Opinion => {
    const opinion = markets.get(market);
    if (opinion === undefined) throw new RangeError(`the crowd knows no market ${market}`);
    return opinion;
  };

  const carryIn = (market: MarketId): Carry => {
    const seat = seats.get(market);
    if (seat === undefined) throw new RangeError(`the crowd knows no market ${market}`);
    return seat.carry;
  };

  return {
    name: "crowd",
    of,
    at(market, height) {
      const opinion = of(market);
      opinion.fair = fairAt(opinion, carryIn(market), height, learning);
      opinion.level = opinion.fair + pressureAt(opinion, height, learning);
      return opinion;
    },
    add({ height, events }: EventBatch) {
      for (const [at, event] of events.entries()) {
        if (event.type === "OracleUpdated") {
          const seat = seats.get(event.marketId);
          if (seat !== undefined) learnPrint(of(event.marketId), seat, event.price, height);
        } else if (event.type === "Fill") {
          const opinion = of(event.execution.marketId);
          hold(opinion, event.execution, learning);
          const next = events[at + 1];
          const goesOn = next?.type === "Fill" && next.execution.takerOrderId === event.execution.takerOrderId;
          if (!goesOn) learnTrade(opinion, event.execution, filledBy(event.execution, events), learning, height);
        }
      }
    },
    save: () => textOf([...markets]),
    load(text) {
      for (const [market, opinion] of parsedText(text) as [MarketId, Opinion][]) markets.set(market, opinion);
    },
  };
}

const newOpinion = (meanPpm: number): Opinion => ({
  level: 0,
  fair: 0,
  print: 0,
  step: meanPpm,
  stepBefore: meanPpm,
  surprise: 0,
  prints: 0,
  told: 0,
  pressure: 0,
  pressureHeight: 0,
  flow: 0,
  heat: 0,
  heatHeight: 0,
  mean: 0,
  changedHeight: 0,
  printHeight: 0,
  held: {},
  entry: {},
  arrivals: newArrivals(),
});

/** What a taker order filled in this batch, size units. */
function filledBy({ takerOrderId }: Execution, events: EventBatch["events"]): number {
  let units = 0;
  for (const event of events) {
    if (event.type === "Fill" && event.execution.takerOrderId === takerOrderId) units += Number(event.execution.size);
  }
  return units;
}

function hold(opinion: Opinion, execution: Execution, { accounts }: Learning): void {
  const { takerAccountId, makerAccountId, takerSide } = execution;
  const bought = takerSide === "buy" ? Number(execution.size) : -Number(execution.size);
  if (accounts.has(takerAccountId)) holdMore(opinion, `${takerAccountId}`, bought);
  if (accounts.has(makerAccountId)) holdMore(opinion, `${makerAccountId}`, -bought);
}

function holdMore(opinion: Opinion, account: string, units: number): void {
  const before = opinion.held[account] ?? 0;
  if (before === 0) opinion.entry[account] = opinion.level;
  opinion.held[account] = before + units;
}

/**
 * What prints and funding are expected to pay, and what flow tells of the next print. Of a surprise that takers know, flow since the last
 * print shows a mean of `signal` a gap with its sign; the estimate is the one that the surprise is worth in the mean, given the flow, so
 * that nobody earns by trading it back.
 */
export function fairAt(opinion: Opinion, carry: Carry, height: number, learning: Learning): number {
  const { knowers, blockTimeMs, gapsPerBlock } = learning;
  const gaps = (height - opinion.printHeight) * gapsPerBlock;
  const signal = SIGNAL * knowers;
  const told = (opinion.surprise * signal * opinion.told) / (FLOW_VARIANCE + signal * signal * gaps);
  const coming = carry.aheadOf(opinion.step, opinion.stepBefore) + bounded(told, TOLD_MAX * opinion.surprise);
  return opinion.print + carry.keptAt(height * blockTimeMs) * coming;
}

/** What is left of the pressure. */
function pressureAt({ pressure, pressureHeight }: Opinion, height: number, { gapsPerBlock }: Learning): number {
  return pressure === 0 ? 0 : pressure * exp((-(height - pressureHeight) * gapsPerBlock) / PRESSURE_GAPS);
}

/** Concave: the part of an order's impact that flow did not lead to expect tells of the next print, and presses on the price for a while. */
function learnTrade(opinion: Opinion, trade: Execution, units: number, learning: Learning, height: number): void {
  const { typical, impactPpm, gapsPerBlock } = learning;
  opinion.changedHeight = height;
  const impact = impactOf(units / typical);
  if (impact === 0) return;
  const pushed = trade.takerSide === "buy" ? impact : -impact;
  const unexpected = pushed - FLOW.share * opinion.flow;
  opinion.flow += FLOW.rate * (pushed - opinion.flow);
  opinion.told += unexpected;
  opinion.pressure = pressureAt(opinion, height, learning) + impactPpm * unexpected;
  opinion.pressureHeight = height;
  opinion.mean += TREND_RATE * (opinion.level - opinion.mean);
  opinion.heat = heatAt(opinion, height, gapsPerBlock) + Math.abs(impactPpm * unexpected);
  opinion.heatHeight = height;
}

/** In impacts of a typical order. */
export function impactOf(orders: number): number {
  return orders < DUST ? 0 : Math.min(Math.sqrt(orders), IMPACT_MAX);
}

/** Moves of the opinion within the last quarter of an hour of a thin market or so, millionths. */
export function heatAt({ heat, heatHeight }: Opinion, height: number, gapsPerBlock: number): number {
  return heat === 0 ? 0 : heat * exp((-(height - heatHeight) * gapsPerBlock) / HEAT_GAPS);
}

/** A print is taken as it is. The flow before it no longer counts. */
function learnPrint(
  opinion: Opinion,
  { path, carry }: { readonly path: IndexPath; readonly carry: Carry },
  price: Price,
  height: number,
): void {
  const print = ln(Number(price) / Number(path.printAt(0) ?? price)) * PPM;
  const expected = opinion.print + carry.aheadOf(opinion.step, opinion.stepBefore);
  opinion.stepBefore = opinion.step;
  opinion.step = print - opinion.print;
  opinion.print = print;
  const surprise = Math.abs(print + carry.afterPrint(opinion.step, opinion.stepBefore) - expected);
  opinion.prints += 1;
  opinion.surprise += (surprise - opinion.surprise) / Math.min(opinion.prints, SURPRISES);
  opinion.told = 0;
  opinion.changedHeight = height;
  opinion.printHeight = height;
}
