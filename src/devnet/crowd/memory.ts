// What the crowd has learned: a fold over the exchange's events, kept with its snapshots, so that a resumed devnet goes on as one
// that never stopped. Only + - x / and sqrt, and kernel/real.ts, touch its floats: the same bits on every machine.

import type { Execution } from "../../domain/fill.ts";
import type { AccountId, MarketId, Price } from "../../domain/units.ts";
import { exp, ln } from "../../kernel/real.ts";
import { parsedText, textOf } from "../accounts/table.ts";
import type { EventBatch } from "../chain/block-maker.ts";
import type { ChainIndex } from "../chain/chain-index.ts";
import { type ArrivalState, newArrivals } from "./arrivals.ts";
import { bounded, type IndexPath, leadPpm } from "./index-path.ts";

/** One market's. Levels are logarithms of the price's ratio to print 0, in millionths. */
export type Opinion = {
  /** Where everybody who knows only prints and trades takes the fair price to be. */
  level: number;
  /** The last print, and the value that it told. */
  print: number;
  told: number;
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

export type CrowdMemory = ChainIndex & { readonly of: (market: MarketId) => Opinion };

export type Learning = {
  readonly paths: ReadonlyMap<MarketId, IndexPath>;
  /** Whose holdings are remembered. */
  readonly accounts: ReadonlySet<AccountId>;
  /** Size units of a typical order, and the impact of one, millionths. */
  readonly typical: number;
  readonly impactPpm: number;
  /** Mean gaps between noise orders that one block takes. */
  readonly gapsPerBlock: number;
};

const PPM = 1_000_000;
/** Below this share of a typical order impact is linear, so that dust moves nothing; above it grows with the root of the size. */
const ROOT_FROM = 0.15;
const IMPACT_MAX = 9;
/** Memory of some five orders, and how much of it is expected to go on. */
export const FLOW = { rate: 1 / 5, share: 0.62 };
/** How far a print moves the opinion to the value that it tells, and how far from it opinion may stay: 100 bps. */
const BELIEVED = 0.7;
const APART_PPM_MAX = 10_000;
/** Memory of moves and of the trend, gaps and trades. */
export const HEAT_GAPS = 15;
const TREND_RATE = 1 / 40;

export function createMemory(learning: Learning): CrowdMemory {
  const { paths } = learning;
  const markets = new Map([...paths.keys()].map((marketId) => [marketId, newOpinion()]));

  const of = (market: MarketId): Opinion => {
    const opinion = markets.get(market);
    if (opinion === undefined) throw new RangeError(`the crowd knows no market ${market}`);
    return opinion;
  };

  return {
    name: "crowd",
    of,
    add({ height, events }: EventBatch) {
      for (const [at, event] of events.entries()) {
        if (event.type === "OracleUpdated") {
          const path = paths.get(event.marketId);
          if (path !== undefined) learnPrint(of(event.marketId), path, event.price, height);
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

const newOpinion = (): Opinion => ({
  level: 0,
  print: 0,
  told: 0,
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

/** Concave and permanent: the part of an order's impact that flow did not lead to expect moves the opinion for good. */
function learnTrade(opinion: Opinion, trade: Execution, units: number, learning: Learning, height: number): void {
  const { typical, impactPpm, gapsPerBlock } = learning;
  const pushed = (trade.takerSide === "buy" ? 1 : -1) * impactOf(units / typical);
  const moved = impactPpm * (pushed - FLOW.share * opinion.flow);
  opinion.flow += FLOW.rate * (pushed - opinion.flow);
  opinion.level += moved;
  opinion.mean += TREND_RATE * (opinion.level - opinion.mean);
  opinion.heat = heatAt(opinion, height, gapsPerBlock) + Math.abs(moved);
  opinion.heatHeight = height;
  opinion.changedHeight = height;
}

/** In impacts of a typical order. */
export function impactOf(orders: number): number {
  const impact = orders < ROOT_FROM ? orders / Math.sqrt(ROOT_FROM) : Math.sqrt(orders);
  return Math.min(impact, IMPACT_MAX);
}

/** Moves of the opinion within the last quarter of an hour of a thin market or so, millionths. */
export function heatAt({ heat, heatHeight }: Opinion, height: number, gapsPerBlock: number): number {
  return heat === 0 ? 0 : heat * exp((-(height - heatHeight) * gapsPerBlock) / HEAT_GAPS);
}

function learnPrint(opinion: Opinion, path: IndexPath, price: Price, height: number): void {
  const print = ln(Number(price) / Number(path.printAt(0) ?? price)) * PPM;
  const told = print + leadPpm(path, print - opinion.print);
  const believed = opinion.level + BELIEVED * (told - opinion.level);
  opinion.level = told + bounded(believed - told, APART_PPM_MAX);
  opinion.print = print;
  opinion.told = told;
  opinion.changedHeight = height;
  opinion.printHeight = height;
}
