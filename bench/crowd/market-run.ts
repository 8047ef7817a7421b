// Runs one seeded market with its crowd, in process at full speed, and records what the public sees: book and trades. An account of our own
// may act next to the crowd.

import { type Chain, createChain } from "../../src/devnet/chain/chain.ts";
import type { ChainReads } from "../../src/devnet/chain/reads.ts";
import type { Crowd } from "../../src/devnet/chain/sources.ts";
import type { DevnetConfig } from "../../src/devnet/config/config.ts";
import { createCrowd } from "../../src/devnet/crowd/crowd.ts";
import { createPrintSource, indexPathsOf } from "../../src/devnet/crowd/prints.ts";
import { bestAsk, bestBid } from "../../src/domain/book.ts";
import type { Execution } from "../../src/domain/fill.ts";
import type { AccountId, MarketId } from "../../src/domain/units.ts";
import type { Clock } from "../../src/kernel/clock.ts";

/** Effect of one taker order. Distances and mids in basis points of the log price. */
export type TakerTrade = {
  readonly second: number;
  /** +1 bought, -1 sold. */
  readonly sign: number;
  size: number;
  /** Log price of the size-weighted fill and of the worst one, basis points. */
  price: number;
  worst: number;
  readonly midBefore: number;
  readonly taker: AccountId;
  readonly makers: { readonly account: AccountId; readonly price: number; readonly size: number }[];
};

export type MarketRun = {
  readonly seconds: number;
  readonly printEverySecs: number;
  /** One minute of a thin market in whole seconds (nine tenths of a mean gap between noise orders): the crowd's time scale. */
  readonly minute: number;
  /** Per second: log mid in basis points, spread in basis points. */
  readonly mids: Float64Array;
  readonly spreads: Float64Array;
  /** Per second: order-flow imbalance at the touch since the previous second, contracts. */
  readonly flow: Float64Array;
  readonly touchDepth: Float64Array;
  /** Per minute: contracts within 25 bps of the mid, mean of both sides. */
  readonly depths: Float64Array;
  /** Log prints in basis points with the second of each. */
  readonly prints: readonly { readonly second: number; readonly price: number }[];
  readonly trades: readonly TakerTrade[];
  readonly makerActions: number;
  readonly makerOrders: number;
  readonly touchOrders: number;
  readonly touchFilled: number;
  readonly fundingRates: readonly number[];
  /** Funding per account, USDC: positive received, negative paid. */
  readonly payments: readonly { readonly second: number; readonly account: AccountId; readonly usdc: number }[];
  readonly liquidations: number;
  /** The exchange at the end. */
  readonly reads: ChainReads;
  readonly elapsedMs: number;
  readonly stateRoot: string;
};

/** The exchange's clock is moved by hand; this clock is never read. */
const stillClock: Clock = {
  wallMs: () => 0,
  monotonicMs: () => 0,
  after: () => ({ cancel: () => undefined }),
  every: () => ({ cancel: () => undefined }),
};

const BPS = 10_000;
const CONTRACT = 1_000_000;
export const logBps = (price: bigint): number => Math.log(Number(price) / 1e8) * BPS;

/** `beside` joins the crowd; `watch` gets the chain before its first block. */
type Company = { readonly beside?: (crowd: Crowd) => Crowd; readonly watch?: (chain: Chain) => void };

/** Runs the first market of `config` for this many days of logical time. */
export async function runMarket(
  config: DevnetConfig,
  days: number,
  { beside, watch }: Company = {},
): Promise<MarketRun> {
  const [market] = config.markets;
  if (market === undefined || config.clock.mode !== "manual") throw new RangeError("one market and a manual clock");
  const { marketId, oracle } = market;
  const paths = indexPathsOf(config);
  const own = createCrowd(config, paths);
  if (own === undefined || !config.flow.enabled) throw new RangeError("flow is off");
  const crowd = beside?.(own) ?? own;
  const crowdNumbers = new Set(own.accounts.map(({ accountId }) => accountId));
  const chain = createChain(
    { config },
    {
      clock: stillClock,
      verifier: { verify: () => false },
      prints: createPrintSource(paths, config.blockTimeMs),
      crowd,
      enclave: { entropy: { bytes: (count) => new Uint8Array(count) }, signerOf: () => never() },
      log: () => undefined,
    },
  );
  watch?.(chain);
  const seconds = days * 86_400;
  const blocksPerSecond = 1000 / config.blockTimeMs;
  const notes = new Notes(marketId, seconds);
  notes.prints.push({ second: 0, price: logBps(chain.reads.market(marketId)?.oraclePrice ?? 0n) });
  chain.onEvents(({ events }) => {
    for (const event of events) {
      switch (event.type) {
        case "Fill":
          notes.fill(event.execution);
          break;
        case "OrderPlaced":
        case "OrderModified":
          if (event.order.postOnly && crowdNumbers.has(event.order.accountId)) {
            notes.quote(event.order.orderId, event.type === "OrderPlaced", logBps(event.order.price), event.order.side);
          }
          break;
        case "OrderCanceled":
          if (event.reason === "UserCanceled") notes.makerActions += 1;
          break;
        case "OracleUpdated":
          notes.prints.push({ second: notes.second, price: logBps(event.price) });
          break;
        case "FundingUpdated":
          notes.fundingRates.push(Number(event.fundingRate));
          break;
        case "FundingPaid":
          notes.payments.push({
            second: notes.second,
            account: event.accountId,
            usdc: Number(event.amount) / 1e6,
          });
          break;
        case "Liquidation":
          notes.liquidations += 1;
          break;
        case "BookChanged":
          notes.hasChanged = true;
          break;
      }
    }
  });
  const startedMs = performance.now();
  for (let second = 0; second < seconds; second += 1) {
    notes.second = second;
    for (let block = 0; block < blocksPerSecond; block += 1) {
      await chain.advance(config.blockTimeMs);
      if (notes.hasChanged) notes.touch(chain.reads.book(marketId, 1));
    }
    notes.endSecond(second % 60 === 0 ? chain.reads.book(marketId) : undefined);
  }
  const elapsedMs = performance.now() - startedMs;
  chain.audit();
  const printEverySecs = oracle.source === "fixed" ? seconds : oracle.printEverySecs;
  const minute = Math.max(1, Math.round(0.9 / config.flow.noiseTakersPerSec));
  return {
    ...notes.all(),
    seconds,
    printEverySecs,
    minute,
    elapsedMs,
    reads: chain.reads,
    stateRoot: chain.head().stateRoot,
  };
}

const never = (): never => {
  throw new Error("nobody signs here");
};

type Book = NonNullable<ReturnType<Awaited<ReturnType<typeof createChain>>["reads"]["book"]>>;

class Notes {
  second = 0;
  hasChanged = true;
  makerActions = 0;
  makerOrders = 0;
  touchOrders = 0;
  liquidations = 0;
  readonly prints: { second: number; price: number }[] = [];
  readonly fundingRates: number[] = [];
  readonly payments: { second: number; account: AccountId; usdc: number }[] = [];
  private readonly touching = new Set<bigint>();
  private readonly filledAtTouch = new Set<bigint>();
  private readonly mids: Float64Array;
  private readonly spreads: Float64Array;
  private readonly flow: Float64Array;
  private readonly touchDepth: Float64Array;
  private readonly depths: Float64Array;
  private readonly trades: TakerTrade[] = [];
  private lastTaker: bigint | undefined;
  private best = { bid: Number.NaN, bidSize: 0, ask: Number.NaN, askSize: 0 };
  private readonly marketId: MarketId;

  constructor(marketId: MarketId, seconds: number) {
    this.marketId = marketId;
    this.mids = new Float64Array(seconds);
    this.spreads = new Float64Array(seconds);
    this.flow = new Float64Array(seconds);
    this.touchDepth = new Float64Array(seconds);
    this.depths = new Float64Array(Math.ceil(seconds / 60));
  }

  private get mid(): number {
    return (this.best.bid + this.best.ask) / 2;
  }

  fill(execution: Execution): void {
    if (execution.marketId !== this.marketId) return;
    if (this.touching.has(execution.makerOrderId)) this.filledAtTouch.add(execution.makerOrderId);
    const price = logBps(execution.price);
    const size = Number(execution.size) / CONTRACT;
    const maker = { account: execution.makerAccountId, price, size };
    const sign = execution.takerSide === "buy" ? 1 : -1;
    const last = this.trades.at(-1);
    if (last !== undefined && this.lastTaker === execution.takerOrderId) {
      last.price = (last.price * last.size + price * size) / (last.size + size);
      last.size += size;
      last.worst = price;
      last.makers.push(maker);
      return;
    }
    this.lastTaker = execution.takerOrderId;
    const taker = execution.takerAccountId;
    const { second, mid } = this;
    this.trades.push({ second, sign, size, price, worst: price, midBefore: mid, taker, makers: [maker] });
  }

  /** A crowd maker placed or moved an order; it is at the touch if its price is best. */
  quote(orderId: bigint, isNew: boolean, price: number, side: "buy" | "sell"): void {
    this.makerActions += 1;
    this.makerOrders += 1;
    const { bid, ask } = this.best;
    if (side === "buy" ? price >= bid - 0.01 : price <= ask + 0.01) {
      this.touchOrders += 1;
      this.touching.add(orderId);
    } else if (!isNew) this.touching.delete(orderId);
  }

  /** Order-flow imbalance by Cont, Kukanov and Stoikov between two observations of the touch. */
  touch(book: Book | undefined): void {
    this.hasChanged = false;
    const bid = book && bestBid(book);
    const ask = book && bestAsk(book);
    if (bid === undefined || ask === undefined) return;
    const before = this.best;
    const now = {
      bid: logBps(bid.price),
      bidSize: Number(bid.size) / CONTRACT,
      ask: logBps(ask.price),
      askSize: Number(ask.size) / CONTRACT,
    };
    const bids = (now.bid >= before.bid ? now.bidSize : 0) - (now.bid <= before.bid ? before.bidSize : 0);
    const asks = (now.ask <= before.ask ? now.askSize : 0) - (now.ask >= before.ask ? before.askSize : 0);
    if (!Number.isNaN(before.bid)) this.flow[this.second] = (this.flow[this.second] ?? 0) + bids - asks;
    this.best = now;
  }

  endSecond(book: Book | undefined): void {
    const { bid, ask, bidSize, askSize } = this.best;
    this.mids[this.second] = this.mid;
    this.spreads[this.second] = ask - bid;
    this.touchDepth[this.second] = (bidSize + askSize) / 2;
    if (book === undefined) return;
    let within = 0;
    for (const { price, size } of [...book.bids, ...book.asks]) {
      if (Math.abs(logBps(price) - this.mid) <= 25) within += Number(size) / CONTRACT;
    }
    this.depths[this.second / 60] = within / 2;
  }

  all() {
    const { mids, spreads, flow, touchDepth, depths, prints, trades, fundingRates, payments } = this;
    const { makerActions, makerOrders, touchOrders, liquidations } = this;
    const touchFilled = this.filledAtTouch.size;
    return {
      ...{ mids, spreads, flow, touchDepth, depths, prints, trades, fundingRates, payments },
      ...{ makerActions, makerOrders, touchOrders, touchFilled, liquidations },
    };
  }
}
