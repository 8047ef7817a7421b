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
  /** What flow has told of prints to come, millionths: in the time since the last one, and in those before it, the oldest first. */
  told: number;
  toldBefore: number[];
  /** Variance of what those who know have heard and flow has not told, millionths squared; and the height that it was last written at. */
  untold: number;
  untoldHeight: number;
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
  /** How long that takes to go, by the factor e: mean gaps between noise orders. */
  readonly pressureGaps: number;
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
/**
 * What an order of one impact would tell, in deviations of what is untold, if all who trade knew; and other trades for each noise order.
 * Rather less than in the mean: noise in pieces moves the price too far otherwise, and a large rule against the premium earns by it.
 */
const TELLING = 0.13;
const OTHERS = 0.6;
/** Nobody takes what flow has told to be more than three deviations of what it could. */
const TOLD_MAX = 3;
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
          if (seat !== undefined) learnPrint(of(event.marketId), seat, event.price, learning, height);
        } else if (event.type === "Fill") {
          const opinion = of(event.execution.marketId);
          hold(opinion, event.execution, learning);
          const next = events[at + 1];
          const goesOn = next?.type === "Fill" && next.execution.takerOrderId === event.execution.takerOrderId;
          if (goesOn) continue;
          const carry = carryIn(event.execution.marketId);
          learnTrade(opinion, event.execution, filledBy(event.execution, events), carry, learning, height);
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
  told: 0,
  toldBefore: [],
  untold: 0,
  untoldHeight: 0,
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

/** What prints and funding are expected to pay, and what flow tells of prints to come. */
export function fairAt(opinion: Opinion, carry: Carry, height: number, { blockTimeMs }: Learning): number {
  const told = sumOf(opinion.toldBefore) + opinion.told;
  const most = TOLD_MAX * carry.newsPpm * Math.sqrt(carry.printsAhead);
  const coming = carry.aheadOf(opinion.step, opinion.stepBefore) + bounded(told, most);
  return opinion.print + carry.keptAt(height * blockTimeMs) * coming;
}

function sumOf(values: readonly number[]): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/**
 * What an order of so many impacts that were not to be expected tells of prints to come, millionths: as much as it is worth in the mean, so
 * that nobody earns by trading it back (Kyle 1985). Takers hear of news at an even pace, and each order tells of what is untold.
 */
function toldBy(opinion: Opinion, unexpected: number, carry: Carry, height: number, learning: Learning): number {
  const { knowers } = learning;
  const telling = (TELLING * knowers) / (OTHERS + knowers);
  const untold = untoldAt(opinion, carry, height, learning);
  opinion.untold = untold / (1 + (telling * unexpected) ** 2);
  opinion.untoldHeight = height;
  return telling * Math.sqrt(untold) * unexpected;
}

/** With what those who know have heard since it was last written. */
function untoldAt(opinion: Opinion, carry: Carry, height: number, { blockTimeMs }: Learning): number {
  const { printEveryMs, newsPpm } = carry;
  if (printEveryMs === null) return 0;
  return opinion.untold + (newsPpm * newsPpm * (height - opinion.untoldHeight) * blockTimeMs) / printEveryMs;
}

/** What is left of the pressure. */
function pressureAt({ pressure, pressureHeight }: Opinion, height: number, learning: Learning): number {
  const { gapsPerBlock, pressureGaps } = learning;
  return pressure === 0 ? 0 : pressure * exp((-(height - pressureHeight) * gapsPerBlock) / pressureGaps);
}

/** Concave: the part of an order's impact that flow did not lead to expect tells of the next print, and presses on the price for a while. */
function learnTrade(
  opinion: Opinion,
  trade: Execution,
  units: number,
  carry: Carry,
  learning: Learning,
  height: number,
): void {
  const { typical, impactPpm, gapsPerBlock } = learning;
  opinion.changedHeight = height;
  const impact = impactOf(units / typical);
  if (impact === 0) return;
  const pushed = trade.takerSide === "buy" ? impact : -impact;
  const unexpected = pushed - FLOW.share * opinion.flow;
  opinion.flow += FLOW.rate * (pushed - opinion.flow);
  opinion.told += toldBy(opinion, unexpected, carry, height, learning);
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

/** A print is taken as it is, for all that flow has told of it. */
function learnPrint(
  opinion: Opinion,
  { path, carry }: { readonly path: IndexPath; readonly carry: Carry },
  price: Price,
  learning: Learning,
  height: number,
): void {
  const print = ln(Number(price) / Number(path.printAt(0) ?? price)) * PPM;
  opinion.stepBefore = opinion.step;
  opinion.step = print - opinion.print;
  opinion.print = print;
  const told = [...opinion.toldBefore, opinion.told];
  opinion.toldBefore = told.slice(Math.max(0, told.length - (carry.printsAhead - 1)));
  opinion.told = 0;
  // It tells all of its own news; no more can be untold than those after it have.
  const untold = untoldAt(opinion, carry, height, learning);
  opinion.untold = Math.min(untold, (carry.printsAhead - 1) * carry.newsPpm ** 2);
  opinion.untoldHeight = height;
  opinion.changedHeight = height;
  opinion.printHeight = height;
}
