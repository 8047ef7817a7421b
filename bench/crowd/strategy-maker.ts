// A shipped strategy as an account next to the crowd: its view, its quotes, and the plan that changes its orders to match, by the same code
// as a turn of the bot. Leaves out everything around a turn: sockets, reads, guard, journal, and all latency except the block in which an
// order executes. So thirty days take a minute or two instead of half an hour with the whole bot.

import { transactionOf } from "../../src/bot/execution/transactions.ts";
import { checkedQuotes } from "../../src/bot/strategy/checked-quotes.ts";
import type { RunningStrategy } from "../../src/bot/strategy/loader.ts";
import { plainView } from "../../src/bot/strategy/plain-view.ts";
import { plan, type Requoting, toleranceOf } from "../../src/bot/strategy/plan.ts";
import {
  foldFill,
  foldQuotes,
  foldSignals,
  type Own,
  readSignals,
  type SignalState,
  startSignals,
} from "../../src/bot/strategy/signals.ts";
import type { ChainReads } from "../../src/devnet/chain/reads.ts";
import type { Crowd, CrowdAction } from "../../src/devnet/chain/sources.ts";
import type { ChainEvent } from "../../src/devnet/event.ts";
import { type Account, inventoryOf } from "../../src/domain/account.ts";
import { feeTierFor } from "../../src/domain/fees.ts";
import type { Execution } from "../../src/domain/fill.ts";
import type { Order, TrackedOrder } from "../../src/domain/order.ts";
import { type AccountId, type MarketId, price, type Size, size, usdc } from "../../src/domain/units.ts";
import { absent, type Fact, type View } from "../../src/domain/view.ts";

export type StrategyMakerOptions = {
  readonly accountId: AccountId;
  readonly marketId: MarketId;
  readonly strategy: RunningStrategy;
  /** As in a market's configuration. */
  readonly requoting: Requoting;
  /** False: the skew is the formula's, whatever the position. */
  readonly scalesSkew: boolean;
  /** Chain time of the block at logical time 0, Unix ms. */
  readonly startMs: number;
};

/** Once a second while the book changes, else every five seconds, because strategies also depend on time. */
const LOOK_MS = 1000;
const LOOK_MS_MAX = 5000;

export class StrategyMaker {
  readonly #options: StrategyMakerOptions;
  /** The largest of its quotes so far, by which levels of the book are weighed. */
  #orderSize = size(1n);
  #signals: SignalState;
  #orders: readonly TrackedOrder[] = [];
  #lookedMs = Number.NEGATIVE_INFINITY;
  #hasBookChanged = true;
  #hasPrinted = true;
  /** Trades since the last look. */
  #executions: Execution[] = [];

  constructor(options: StrategyMakerOptions) {
    this.#options = options;
    this.#signals = startSignals(options.marketId);
  }

  /** The crowd and, after it in every block, this maker. */
  readonly beside = (crowd: Crowd): Crowd => {
    const { memory } = crowd;
    if (memory === undefined) throw new RangeError("this crowd learns nothing");
    return {
      ...crowd,
      memory: {
        ...memory,
        add: (batch) => {
          memory.add(batch);
          for (const event of batch.events) this.#hear(event);
        },
      },
      act: (height, logicalMs, reads) => {
        const actions = crowd.act(height, logicalMs, reads);
        if (logicalMs - this.#lookedMs < (this.#hasBookChanged ? LOOK_MS : LOOK_MS_MAX)) return actions;
        this.#lookedMs = logicalMs;
        return [...actions, ...this.#look(logicalMs, reads)];
      },
    };
  };

  #hear(event: ChainEvent): void {
    if (event.type === "BookChanged") this.#hasBookChanged = true;
    else if (event.type === "OracleUpdated") this.#hasPrinted = true;
    else if (event.type === "FundingUpdated") this.#hearSettlement(event);
    else if (event.type === "Fill") this.#executions.push(event.execution);
  }

  #hearSettlement({ marketId, fundingRate, timestampSec }: Extract<ChainEvent, { type: "FundingUpdated" }>): void {
    const settled = { marketId, fundingRate, lastFundingTimestampSec: timestampSec };
    const receivedMs = this.#lookedMs;
    this.#signals = foldSignals(
      this.#signals,
      { kind: "fundingUpdate", ...settled, receivedMs },
      this.#own(receivedMs),
    );
  }

  #look(nowMs: number, reads: ChainReads): readonly CrowdAction[] {
    const { accountId, marketId, strategy, requoting } = this.#options;
    const account = reads.account(accountId);
    if (account === undefined) throw new RangeError(`there is no account ${accountId}`);
    this.#learn(nowMs, reads);
    this.#orders = account.openOrders.map((order) => ({
      ...tracked(order),
      queueAhead: reads.queueAhead(order.orderId) ?? null,
    }));
    const view = this.#view(nowMs, account, reads);
    const quotes = checkedQuotes(() => strategy.quote(view));
    this.#signals = foldQuotes(this.#signals, quotes, this.#own(nowMs), nowMs);
    for (const quote of quotes.quotes) if (quote.size > this.#orderSize) this.#orderSize = quote.size;
    const planned = plan(quotes, this.#orders, {
      accountId,
      marketId,
      inventory: inventoryIn(account),
      modifies: "all",
      permitted: "increase",
      maxOpenOrders: 1000,
      tolerance: toleranceOf(requoting, view),
    });
    return planned.commands.map((command) => ({ accountId, transaction: transactionOf(command) }));
  }

  /** Takes prints, trades and fills since the last look. */
  #learn(nowMs: number, reads: ChainReads): void {
    const { accountId, marketId } = this.#options;
    const own = this.#own(nowMs);
    const received = { receivedMs: nowMs };
    const oracle = this.#hasPrinted ? reads.oracle(marketId) : undefined;
    if (oracle !== undefined)
      this.#signals = foldSignals(this.#signals, { kind: "oracleRead", oracle, askedMs: nowMs, ...received }, own);
    for (const trade of this.#executions) {
      this.#signals = foldSignals(this.#signals, { kind: "trade", trade, ...received }, own);
      if (trade.makerAccountId !== accountId) continue;
      const side = trade.takerSide === "buy" ? "sell" : "buy";
      this.#signals = foldFill(this.#signals, { side, price: trade.price }, nowMs);
    }
    this.#executions = [];
    this.#hasPrinted = false;
    this.#hasBookChanged = false;
  }

  #view(nowMs: number, account: Account, reads: ChainReads): View {
    const { accountId, marketId, scalesSkew, startMs } = this.#options;
    const market = reads.market(marketId);
    const book = reads.book(marketId);
    const funding = reads.funding(marketId);
    const own = this.#own(nowMs);
    const read = { receivedMs: nowMs, askedMs: nowMs };
    if (market !== undefined) this.#signals = foldSignals(this.#signals, { kind: "marketRead", market, ...read }, own);
    if (funding !== undefined)
      this.#signals = foldSignals(this.#signals, { kind: "fundingRead", funding, ...read }, own);
    if (book !== undefined) this.#signals = foldSignals(this.#signals, { kind: "book", book, receivedMs: nowMs }, own);
    const inventory = inventoryIn(account);
    const signals = readSignals(this.#signals);
    const tier = market && feeTierFor(reads.feeTiers(), market.assetClass, account.feeTierVolume30d ?? usdc(0n));
    return {
      ...plainView,
      nowMs,
      accountId,
      marketId,
      market: known(market),
      oracle: known(reads.oracle(marketId)),
      book: known(book),
      funding: known(funding),
      chain: known({ height: 0, timeMs: startMs + nowMs, offsetMs: 0, blockMs: 0 }),
      position: known({
        inventory,
        low: inventory,
        high: inventory,
        entryPrice: account.positions[0]?.entryPrice ?? price(0n),
      }),
      feeTier: known(tier),
      orders: own.orders,
      vacated: own.vacated,
      accountOrderCount: own.orders.length,
      signals: { ...signals, skewScale: scalesSkew ? signals.skewScale : 1 },
    };
  }

  #own(nowMs: number): Own {
    return {
      orders: this.#orders,
      vacated: [],
      orderSize: this.#orderSize,
      chainTimeMs: this.#options.startMs + nowMs,
    };
  }
}

const known = <T>(value: T | undefined): Fact<T> =>
  value === undefined ? absent : { state: "fresh", value, ageMs: 0 };

/** The account is in one market. */
const inventoryIn = ({ positions }: Account): Size => inventoryOf(positions[0]);

/** An order as the bot tracks it once everything about it is answered. */
const tracked = (order: Order): TrackedOrder => ({
  ...order,
  nonce: null,
  isConditional: false,
  isForeign: false,
  state: "working",
  level: null,
  pending: null,
  movingTo: [],
  queueAhead: null,
  sinceMs: 0,
});
