// The bot of a screening: the desks and the turn of the machine that trades, called directly, on facts that are always fresh. It has no
// stream, reads, journal or nonces, which hardly affect which setting earns more.

import { AccountSums } from "../../bot/account/account-sums.ts";
import { entryPriceIn, foldBook, inventoryIn } from "../../bot/accounting/account-book.ts";
import { collateralOf } from "../../bot/accounting/totals.ts";
import type { BotConfig, QuotedAccount } from "../../bot/config/config.ts";
import type { AccountDesk } from "../../bot/decider/desks/account-desk.ts";
import { dayOf } from "../../bot/decider/desks/day-tracker.ts";
import { makeDesks } from "../../bot/decider/desks/desks.ts";
import type { MarketDesk } from "../../bot/decider/desks/market-desk.ts";
import type { Readings } from "../../bot/decider/input.ts";
import { limitsOf, stateAfterTrips } from "../../bot/decider/turns/judgment.ts";
import { takeTurn } from "../../bot/decider/turns/turn.ts";
import { forgetfulEngine } from "../../bot/ledger/memory/forgetful.ts";
import { phaseHoldsForMs } from "../../bot/risk/adverse.ts";
import { observeAdd } from "../../bot/risk/observed.ts";
import { nothingStuck, type RiskState } from "../../bot/risk/risk-state.ts";
import type { ChainEvent } from "../../devnet/event.ts";
import { mid } from "../../domain/book.ts";
import type { Command } from "../../domain/command.ts";
import { type Fill, fillsOf } from "../../domain/fill.ts";
import type { Oracle } from "../../domain/market.ts";
import type { TrackedOrder } from "../../domain/order.ts";
import { notional } from "../../domain/rounding.ts";
import { type MarketId, nonce, type OrderId, type Price, price, usdc } from "../../domain/units.ts";
import { absent, type ChainClock, type Fact, type Funds, type PositionFact, type View } from "../../domain/view.ts";
import type { Prng } from "../../kernel/prng.ts";
import { isNews, type Known } from "./known.ts";
import { ScreenError, type ScreenExchange } from "./screen-exchange.ts";
import { type Sent, withSent } from "./sent.ts";
import { marketIdOf, type TapeEvent, type TapeHead } from "./tape.ts";

/** A market without news is looked at again after this long, and where the time around a print begins or ends, ms. */
const LOOK_MS = 30_000;

const known = <T>(value: T): Fact<T> => Object.freeze({ state: "fresh", value, ageMs: 0 });
const always = {
  stream: known(1),
  reconciled: known(1),
  agent: known({ pubkey: "", name: "quoin", expiresAtSec: null }),
};
const READINGS: Readings = {
  journal: "healthy",
  isReserveUsed: false,
  takesMore: true,
  isElsewhere: false,
  nonceRefusals: new Map(),
  keysElsewhere: new Set(),
};

export type ScreenedOptions = {
  readonly bot: Pick<BotConfig, "venue">;
  readonly account: QuotedAccount;
  readonly head: TapeHead;
  /** From a decision to the execution of its command, ms. */
  readonly latencyMs: number;
};

export class ScreenedAccount {
  readonly #options: ScreenedOptions;
  readonly #exchange: ScreenExchange;
  readonly #desk: AccountDesk;
  readonly #markets = new Map<MarketId, Known>();
  readonly #sums = new AccountSums();
  readonly #touched = new Set<MarketId>();
  /** Slots of the quotes to which our orders belong. */
  readonly #levels = new Map<OrderId, number | null>();
  #sent: readonly Sent[] = [];
  #sentDueMs = Number.POSITIVE_INFINITY;
  #lastNonce = 0n;
  #nowMs = 0;

  constructor(options: ScreenedOptions, exchange: ScreenExchange, prng: Prng) {
    this.#options = options;
    this.#exchange = exchange;
    const { account, bot, head } = options;
    const nothing = (): void => {};
    const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
    const desks = makeDesks(
      [account],
      {},
      {
        clock: { monotonicMs: () => this.#nowMs, wallMs: () => head.startMs + this.#nowMs },
        put: nothing,
        log,
        keep: nothing,
        readings: () => READINGS,
        kept: forgetfulEngine().read,
        chainId: bot.venue.chainId,
        prng,
      },
    );
    this.#desk = desks.get(account.accountId) as AccountDesk;
    const opening = { kind: "transfer", key: "opening", reason: "opening", marketId: null, fillKeys: [] } as const;
    foldBook(this.#desk.book, { ...opening, amount: exchange.collateral });
    for (const market of this.#desk.markets.values()) this.#begin(market);
  }

  #begin(market: MarketDesk): void {
    const { marketId } = market;
    const facts = this.#options.head.markets.find((each) => each.market.marketId === marketId);
    if (facts === undefined) throw new ScreenError(`market ${marketId} is not on the tape`);
    this.#markets.set(marketId, {
      pair: { desk: this.#desk, market },
      market: known(facts.market),
      oracle: known(facts.oracle),
      funding: known(facts.funding),
      book: absent,
      position: null,
      orders: null,
      dueMs: 0,
      hasNews: false,
      unlearned: [],
    });
    const received = { askedMs: 0, receivedMs: 0 };
    market.learn({ kind: "marketRead", market: facts.market, ...received });
    market.learn({ kind: "oracleRead", oracle: facts.oracle, ...received });
    market.learn({ kind: "oracleHistoryRead", history: facts.history, ...received });
    market.learn({ kind: "fundingRead", funding: facts.funding, ...received });
    this.#touched.add(marketId);
  }

  /** The next instant at which it acts though nothing happens, since the tape's start, ms. */
  get dueMs(): number {
    let dueMs = this.#sentDueMs;
    for (const market of this.#markets.values()) if (market.dueMs < dueMs) dueMs = market.dueMs;
    return dueMs;
  }

  /** Takes a public event. Turns follow with `act`. */
  hear(event: TapeEvent): void {
    this.#nowMs = event.receivedMs;
    this.#exchange.take(event, this.#options.head.startMs + event.receivedMs);
    const market = this.#markets.get(marketIdOf(event));
    if (market === undefined) return;
    if (isNews(event, market)) market.hasNews = true;
    this.#note(market, event);
    market.unlearned.push(event);
    this.#executed(this.#exchange.flush());
  }

  /** Executes commands that are due, and turns markets that have news or are due. */
  act(nowMs: number): void {
    this.#nowMs = nowMs;
    if (this.#sentDueMs <= nowMs) this.#arrive();
    for (const market of this.#markets.values()) {
      if (!market.hasNews && market.dueMs > nowMs) continue;
      market.hasNews = false;
      market.dueMs = nowMs + LOOK_MS;
      if (market.book.state !== "absent") this.#turn(market);
      for (const event of market.unlearned.splice(0)) market.pair.market.learn(event);
    }
  }

  #note(market: Known, event: TapeEvent): void {
    switch (event.kind) {
      case "book":
        market.book = known(event.book);
        this.#requeue(market);
        break;
      case "trade":
        this.#requeue(market);
        break;
      case "marketRead":
        market.market = known(event.market);
        this.#sums.reprice(event.market.marketId);
        break;
      case "oracleRead":
        this.#printed(market, event.oracle);
        break;
      case "oracleUpdate": {
        const { price: at, validUntilSec } = event;
        if (market.oracle.state !== "absent")
          this.#printed(market, { ...market.oracle.value, price: at, validUntilSec });
        break;
      }
      case "fundingRead":
        market.funding = known(event.funding);
        break;
      default:
        break;
    }
  }

  /** Books a print's effect on the position. */
  #printed(market: Known, oracle: Oracle): void {
    const before = market.oracle.state === "absent" ? oracle : market.oracle.value;
    market.oracle = known(oracle);
    if (before.price === oracle.price) return;
    this.#sums.reprice(oracle.marketId);
    const { marketId, validUntilSec, price: at } = oracle;
    const amount = notional(price(at - before.price), inventoryIn(this.#desk.book, marketId));
    if (amount !== 0n) foldBook(this.#desk.book, { kind: "print", marketId, validUntilSec, amount });
  }

  /** Places in the queues have moved. */
  #requeue(market: Known): void {
    const { orders } = market;
    if (orders === null || orders.length === 0) return;
    const { marketId } = market.pair.market;
    market.orders = orders.map((order) => {
      if (order.orderId === null) return order;
      const queueAhead = this.#exchange.queueAhead(marketId, order.orderId);
      return queueAhead === order.queueAhead ? order : { ...order, queueAhead };
    });
  }

  #arrive(): void {
    const due = this.#sent.filter(({ dueMs }) => dueMs <= this.#nowMs);
    this.#sent = this.#sent.filter(({ dueMs }) => dueMs > this.#nowMs);
    this.#sentDueMs = this.#sent.reduce((least, { dueMs }) => Math.min(least, dueMs), Number.POSITIVE_INFINITY);
    for (const { command } of due) {
      const events = this.#exchange.execute(command, this.#options.head.startMs + this.#nowMs);
      if (command.kind === "modify") this.#levels.set(command.orderId, command.level);
      for (const event of events)
        if (event.type === "OrderPlaced" && command.kind === "place")
          this.#levels.set(event.order.orderId, command.level);
      this.#executed(events);
      const isDone = command.kind === "modify" || (command.kind === "place" && events.length > 0);
      for (const market of this.#markets.values())
        if (isOf(command, market)) {
          this.#ordersChanged(market);
          // The turn that sent it left work to do.
          if (!isDone) market.hasNews = true;
        }
    }
  }

  #ordersChanged(market: Known): void {
    market.orders = null;
    this.#touched.add(market.pair.market.marketId);
  }

  /** Our fills and money. */
  #executed(events: readonly ChainEvent[]): void {
    const { accountId } = this.#options.account;
    for (const event of events) {
      if (event.type === "Fill") for (const fill of fillsOf(event.execution, accountId)) this.#filled(fill);
      else if (event.type === "FundingPaid") {
        const { marketId, timestampSec: atSec, amount } = event;
        foldBook(this.#desk.book, { kind: "funding", marketId, atSec, amount });
      } else if (event.type === "OrderCanceled") {
        const market = this.#markets.get(event.marketId);
        if (market !== undefined) this.#ordersChanged(market);
      }
    }
  }

  #filled(fill: Fill): void {
    const market = this.#markets.get(fill.marketId);
    if (market === undefined) return;
    const { book } = market;
    const referencePrice = (book.state === "absent" ? undefined : mid(book.value)) ?? null;
    foldBook(this.#desk.book, { kind: "fill", fill, referencePrice, readsBefore: 0, money: "own" });
    const view = this.#view(market);
    market.position = null;
    market.pair.market.filled(fill, view);
    this.#ordersChanged(market);
    market.hasNews = true;
  }

  #turn(known: Known): void {
    const { pair } = known;
    const { desk, market } = pair;
    const nowMs = this.#nowMs;
    const wallMs = this.#options.head.startMs + nowMs;
    desk.correlatedRisk.look(desk.markets, nowMs);
    const view = this.#view(known);
    known.dueMs = nowMs + Math.min(LOOK_MS, phaseHoldsForMs(view));
    const day = dayOf(wallMs, wallMs);
    const priceIn = (id: MarketId) => this.#priceIn(id);
    desk.observe(market, view, { day, priceIn });
    const state = stateAfterTrips(pair, view, () => this.#riskState(known), wallMs);
    const { requoteDepths, queueTicks } = market.quoted;
    const turn = takeTurn({
      view,
      strategy: market.strategy.asked,
      limits: limitsOf(pair),
      requoteDepths,
      queueTicks,
      usualHalfSpreadBps: market.halfSpreadBps,
      modifies: "all",
      state,
    });
    for (const command of turn.verdict.approved) this.#send(command, known);
    market.decided(turn);
    if (market.fills.dueMs <= nowMs) market.measure(view);
  }

  #send(command: Command, known: Known): void {
    this.#lastNonce += 1n;
    const dueMs = this.#nowMs + this.#options.latencyMs;
    this.#sent = [...this.#sent, { dueMs, command, nonce: nonce(this.#lastNonce) }];
    this.#sentDueMs = Math.min(this.#sentDueMs, dueMs);
    known.orders = null;
    const { market } = known.pair;
    this.#touched.add(market.marketId);
    if (command.kind === "place" || command.kind === "modify")
      market.observed = observeAdd(market.observed, this.#nowMs);
  }

  #view(known: Known): View {
    const { accountId } = this.#options.account;
    const { market } = known.pair;
    const { marketId } = market;
    const { head } = this.#options;
    return {
      nowMs: this.#nowMs,
      accountId,
      marketId,
      market: known.market,
      oracle: known.oracle,
      book: known.book,
      funding: known.funding,
      chain: clockAt(head.startMs + this.#nowMs),
      position: this.#position(known),
      funds: { state: "fresh", value: this.#funds(marketId), ageMs: 0 },
      resync: null,
      ...always,
      feeTier: { state: "fresh", value: this.#exchange.feeTier(marketId), ageMs: 0 },
      openOrderCap: { state: "fresh", value: head.openOrderCap, ageMs: 0 },
      orders: this.#orders(known),
      vacated: [],
      // Its orders are not in the tape's book.
      isPaper: true,
      unreadable: [],
      accountOrderCount: this.#orderCount(),
      readLagMaxMs: 0,
      signals: market.estimates.signals,
      outside: {},
      guidance: { extraInventory: this.#desk.extraInventory(marketId), fairValueUsd: null },
    };
  }

  #position(known: Known): Fact<PositionFact> {
    const { book } = this.#desk;
    const { marketId } = known.pair.market;
    if (known.position !== null) return known.position;
    const inventory = inventoryIn(book, marketId);
    const entryPrice = entryPriceIn(book, marketId);
    known.position = { state: "fresh", value: { inventory, low: inventory, high: inventory, entryPrice }, ageMs: 0 };
    return known.position;
  }

  /** Orders as the exchange has them, with commands on their way. */
  #orders(known: Known): readonly TrackedOrder[] {
    known.orders ??= this.#track(known.pair.market.marketId);
    return known.orders;
  }

  #track(marketId: MarketId): readonly TrackedOrder[] {
    const resting = this.#exchange.orders(marketId).map(
      ({ orderId, side, price: at, size: whole, remainingSize, reduceOnly, postOnly, updatedAtMs }): TrackedOrder => ({
        nonce: null,
        orderId,
        marketId,
        side,
        price: at,
        size: whole,
        remainingSize,
        reduceOnly,
        postOnly,
        isConditional: false,
        isForeign: false,
        state: "working",
        level: this.#levels.get(orderId) ?? null,
        pending: null,
        movingTo: [],
        sinceMs: updatedAtMs - this.#options.head.startMs,
        queueAhead: this.#exchange.queueAhead(marketId, orderId),
      }),
    );
    return this.#sent.reduce<readonly TrackedOrder[]>(
      (orders, sent) => withSent(orders, sent, marketId, this.#nowMs),
      resting,
    );
  }

  #orderCount(): number {
    let count = 0;
    for (const market of this.#markets.values()) count += this.#orders(market).length;
    return count;
  }

  #priceIn(id: MarketId): Price | null {
    const { oracle } = this.#markets.get(id) ?? {};
    return oracle === undefined || oracle.state === "absent" ? null : oracle.value.price;
  }

  #updatedSums(): AccountSums {
    const { book } = this.#desk;
    this.#sums.update({
      book,
      orders: { touched: this.#touched, inMarket: (id) => this.#ordersIn(id) },
      doubts: { touched: nothingTouched },
      range: (id) => {
        const inventory = inventoryIn(book, id);
        return { low: inventory, high: inventory };
      },
      priced: (id) => {
        const market = this.#markets.get(id)?.market;
        const oraclePrice = this.#priceIn(id);
        if (market === undefined || market.state === "absent" || oraclePrice === null) return null;
        return { market: market.value, oraclePrice };
      },
    });
    return this.#sums;
  }

  #ordersIn(id: MarketId): readonly TrackedOrder[] {
    const market = this.#markets.get(id);
    return market === undefined ? [] : this.#orders(market);
  }

  #funds(marketId: MarketId): Funds {
    const sums = this.#updatedSums();
    const collateral = collateralOf(this.#desk.book);
    return {
      collateral,
      availableCollateral: null,
      equity: usdc(collateral + (sums.unrealizedPnl.sum ?? 0n)),
      maintenanceMargin: usdc(sums.maintenanceMargin.sum ?? 0n),
      initialMarginElsewhere: usdc(sums.initialMargin.without(marketId) ?? 0n),
      feeTierVolume30d: null,
    };
  }

  #riskState({ pair: { desk, market } }: Known): Omit<RiskState, "fairValueUsd"> {
    const elsewhere = this.#updatedSums().grossNotional.without(market.marketId) ?? 0n;
    return {
      ...sound,
      latches: desk.latches,
      marketDailyPnl: market.pnl.dailyPnl(),
      accountDailyPnl: desk.dailyPnl(),
      isAccountPnlUnconfirmed: desk.isUnconfirmed,
      grossNotionalElsewhere: { state: "fresh", value: usdc(elsewhere), ageMs: 0 },
      observed: market.observed,
    };
  }
}

/** The process is healthy, and the exchange accepts what it is sent. */
const sound = {
  journal: known("healthy" as const),
  ledgerSpace: known("free" as const),
  nonceRefusal: known(null),
  eventLoopLagMs: known(0),
  budget: absent,
  stuckQuotes: nothingStuck,
  rejections: null,
};
const nothingTouched = new Set<MarketId>();

const isOf = ({ marketId }: Command, { pair }: Known): boolean =>
  marketId === null || marketId === pair.market.marketId;

/** Blocks are not on a tape: our estimate of the chain's time is exact. */
const clockAt = (timeMs: number): Fact<ChainClock> => ({
  state: "fresh",
  value: { height: 1, timeMs, offsetMs: 0, blockMs: 0 },
  ageMs: 0,
});
