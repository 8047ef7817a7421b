// The crowd's memory: a fold over the exchange's events, saved with its snapshots, so that a resumed devnet continues as if it had never
// stopped. Its floats use only + - x / and sqrt, and kernel/real.ts: the same bits on every machine.

import type { Execution } from "../../domain/fill.ts";
import type { AccountId, MarketId, Price } from "../../domain/units.ts";
import { exp, ln } from "../../kernel/real.ts";
import { parsedText, textOf } from "../accounts/table.ts";
import type { EventBatch } from "../chain/block-maker.ts";
import type { ChainIndex } from "../chain/chain-index.ts";
import { type ArrivalState, newArrivals } from "./arrivals.ts";
import type { Carry } from "./carry.ts";
import { bounded, type IndexPath } from "./index-path.ts";

/** Memory of one market. Levels are logarithms of the price's ratio to print 0, in millionths. */
export type Opinion = {
  /** The price as seen by traders who know only prints and trades: fair value plus pressure. */
  level: number;
  /** Fair value without the pressure. */
  fair: number;
  /** The last print, its step and the previous step. */
  print: number;
  step: number;
  stepBefore: number;
  /** News about coming prints inferred from flow, millionths: since the last print, and in earlier intervals, oldest first. */
  told: number;
  toldBefore: number[];
  /**
   * Variance of the news that informed traders know and flow has not revealed yet, millionths squared; and the height of its last update.
   */
  untold: number;
  untoldHeight: number;
  /** Temporary price impact of recent flow that still has to revert; and the height of its last update. */
  pressure: number;
  pressureHeight: number;
  /** Recent flow as a decaying mean, in impacts of a typical order: the expected next flow. */
  flow: number;
  /** Decaying sum of moves of the level; and the height of its last update. */
  heat: number;
  heatHeight: number;
  /** Slow mean of the level: the baseline of a trend. */
  mean: number;
  /** Block of the last trade or print. */
  changedHeight: number;
  printHeight: number;
  /** Position of each crowd account in size units, and the level at which it was opened; by account number. */
  readonly held: Record<string, number>;
  readonly entry: Record<string, number>;
  arrivals: ArrivalState;
};

export type CrowdMemory = ChainIndex & {
  readonly of: (market: MarketId) => Opinion;
  /** Like `of`, with the level updated to block `height`. */
  readonly at: (market: MarketId, height: number) => Opinion;
};

export type Learning = {
  readonly seats: ReadonlyMap<MarketId, { readonly path: IndexPath; readonly carry: Carry }>;
  /** Accounts whose positions are tracked. */
  readonly accounts: ReadonlySet<AccountId>;
  /** Size units of a typical order, and its price impact, millionths. */
  readonly typical: number;
  readonly impactPpm: number;
  /** Time constant of the pressure's decay (factor e), in mean gaps between noise orders. */
  readonly pressureGaps: number;
  /** Informed traders per noise order. */
  readonly knowers: number;
  readonly blockTimeMs: number;
  /** Mean gaps between noise orders per block. */
  readonly gapsPerBlock: number;
};

const PPM = 1_000_000;
/** An order below this share of a typical one is ignored, however many there are. Above it, impact is the square root of the size. */
const DUST = 0.15;
const IMPACT_MAX = 9;
/** Memory of about five orders, and the share of it that is expected to continue. */
export const FLOW = { rate: 1 / 5, share: 0.62 };
/**
 * News in an order of one impact, in standard deviations of the unrevealed news, if all traders were informed; and other trades per noise
 * order. Deliberately below the mean: otherwise noise in pieces moves the price too far, and a large trade against the premium profits.
 */
const TELLING = 0.13;
const OTHERS = 0.6;
/** Caps the news inferred from flow at three standard deviations of what it could be. */
const TOLD_MAX = 3;
/** Memory of moves in gaps, and the trend's rate per trade. */
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

/** Total filled by a taker order in this batch, size units. */
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

/** Fair value from prints, expected funding, and news inferred from flow. */
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
 * News in an order with this unexpected impact, millionths: its mean value, so that trading against it does not pay (Kyle 1985). Takers
 * learn news at an even pace, and each order reveals part of what is unrevealed.
 */
function toldBy(opinion: Opinion, unexpected: number, carry: Carry, height: number, learning: Learning): number {
  const { knowers } = learning;
  const telling = (TELLING * knowers) / (OTHERS + knowers);
  const untold = untoldAt(opinion, carry, height, learning);
  opinion.untold = untold / (1 + (telling * unexpected) ** 2);
  opinion.untoldHeight = height;
  return telling * Math.sqrt(untold) * unexpected;
}

/** Adds what informed traders learned since the last update. */
function untoldAt(opinion: Opinion, carry: Carry, height: number, { blockTimeMs }: Learning): number {
  const { printEveryMs, newsPpm } = carry;
  if (printEveryMs === null) return 0;
  return opinion.untold + (newsPpm * newsPpm * (height - opinion.untoldHeight) * blockTimeMs) / printEveryMs;
}

/** Pressure remaining at `height`. */
function pressureAt({ pressure, pressureHeight }: Opinion, height: number, learning: Learning): number {
  const { gapsPerBlock, pressureGaps } = learning;
  return pressure === 0 ? 0 : pressure * exp((-(height - pressureHeight) * gapsPerBlock) / pressureGaps);
}

/** Concave: the part of an order's impact that flow did not predict reveals news about the next print and moves the price for a while. */
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

/** Impact of `orders` typical orders, in impacts of one. */
export function impactOf(orders: number): number {
  return orders < DUST ? 0 : Math.min(Math.sqrt(orders), IMPACT_MAX);
}

/** Moves of the opinion in about the last quarter of an hour of a thin market, millionths. */
export function heatAt({ heat, heatHeight }: Opinion, height: number, gapsPerBlock: number): number {
  return heat === 0 ? 0 : heat * exp((-(height - heatHeight) * gapsPerBlock) / HEAT_GAPS);
}

/** A print sets the level directly, whatever flow predicted. */
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
  // A print reveals all its own news; only the news of later prints can remain unrevealed.
  const untold = untoldAt(opinion, carry, height, learning);
  opinion.untold = Math.min(untold, (carry.printsAhead - 1) * carry.newsPpm ** 2);
  opinion.untoldHeight = height;
  opinion.changedHeight = height;
  opinion.printHeight = height;
}
