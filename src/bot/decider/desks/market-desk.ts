// One market of one account at work: its strategy, what the guard remembers of it, its results and its metrics.

import { depthMid, weighedMid } from "../../../domain/depth.ts";
import type { VenueEvent } from "../../../domain/event.ts";
import type { Fill } from "../../../domain/fill.ts";
import type { Market } from "../../../domain/market.ts";
import { othersBook } from "../../../domain/others-book.ts";
import { halfSpreadBps, noQuotes } from "../../../domain/quotes.ts";
import { contractsOf, usdcOf, usdOf } from "../../../domain/rounding.ts";
import type { AccountId, MarketId, Price, Size } from "../../../domain/units.ts";
import { absent, type Fact, fresh, lastKnown, type Signals, type View } from "../../../domain/view.ts";
import { createOldestOutMap } from "../../../kernel/bounded.ts";
import { printable } from "../../../kernel/printable.ts";
import type { Prng } from "../../../kernel/prng.ts";
import type { AccountBook } from "../../accounting/account-book.ts";
import { emptyMarketBook, type Pnl, pnlOf } from "../../accounting/market-book.ts";
import { type MarkoutTally, noMarkouts, withMarkout } from "../../analytics/markout-tally.ts";
import {
  createJudgedMarkouts,
  createMarkouts,
  type Followed,
  type JudgedHorizon,
  type MarkoutHorizon,
  MarkoutMeans,
  type Markouts,
  type PlacedFill,
  queueDecile,
} from "../../analytics/markouts.ts";
import { createUptime, isTwoSided, type Uptime } from "../../analytics/uptime.ts";
import type { QuotedMarket } from "../../config/config.ts";
import { strategyHash } from "../../config/market-hash.ts";
import type { FillLine, PlaceLine } from "../../dashboard/detail.ts";
import type { StoredMark } from "../../ledger/store.ts";
import { type JudgedFill, noAdverseFills, phaseOf } from "../../risk/adverse.ts";
import { type Marks, marksAt, marksOf } from "../../risk/mark.ts";
import { nothingObserved, type Observed, observeFill, observeMarkout, observeView } from "../../risk/observed.ts";
import { confirmPrint } from "../../risk/prints.ts";
import type { DailyPnl } from "../../risk/risk-state.ts";
import { QuoteFault } from "../../strategy/checked-quotes.ts";
import { kappaDataShare } from "../../strategy/funding-pull.ts";
import type { KeptMemory } from "../../strategy/kept-signals.ts";
import type { RunningStrategy } from "../../strategy/loader.ts";
import {
  calmMidUsd,
  foldFill,
  foldQuotes,
  foldSignals,
  type Own,
  readSignals,
  type SignalState,
  startSignals,
} from "../../strategy/signals.ts";
import { deskTiming } from "../../timing.ts";
import type { Turn } from "../turn.ts";
import { DayTracker } from "./day-tracker.ts";
import type { KeptMarket } from "./kept-adverse.ts";
import { PremiumBook } from "./premium-book.ts";
import { Quoting } from "./quoting.ts";
import type { QuotingReport } from "./quoting-report.ts";
import type { Result } from "./results.ts";

/** Beside the fill: the phase of the market, and how much further away than the strategy wanted its side stood, half-spreads. */
type FollowedFill = Followed & Pick<JudgedFill, "phase" | "widened"> & { readonly by: RunningStrategy };

/** A strategy with its memory, and what its fills were worth: it can go on from there after another one. */
type Former = { readonly strategy: RunningStrategy; readonly markouts: MarkoutTally };

/** By which two strategies are compared. */
const COMPARED_HORIZON: JudgedHorizon = "10s";

/** Fills that the page is sent again each second. */
const RECENT_FILLS = 20;

export class MarketDesk {
  readonly accountId: AccountId;
  readonly marketId: MarketId;
  quoted: QuotedMarket;
  readonly #supervise: (start: () => RunningStrategy) => RunningStrategy;
  strategy: RunningStrategy;
  /** Strategies that took too long: they are not called again. */
  readonly #slow = new WeakMap<RunningStrategy, QuoteFault>();
  observed: Observed;
  /** What the market taught. */
  #signals: SignalState;
  /** What that comes to: worked out as it changes, so that no turn waits for it. */
  #estimates: Signals;
  /** What an earlier run left of that; null: nothing, or it was of another market. */
  kept: KeptMarket | null;
  /** The market left the configuration: its orders are canceled, and nothing else happens here. */
  isDraining = false;
  /** Null: none was ever configured. */
  premium: PremiumBook | null;
  /** The newest turn; null before the first. */
  last: Turn | null = null;
  readonly quoting: Quoting;
  readonly #book: AccountBook;
  /** Null before the first print. */
  #marks: Marks | null;
  /** The last mark of this run that the ledger was given; null: none. */
  #marked: StoredMark | null = null;
  /** The last one of the day that has just ended. */
  #ended: StoredMark | null = null;
  /** Position and print were known once in this run; before that the profit is at an earlier run's prices. */
  #isFollowing = false;
  /** Of the newest state and prices: worked out once for each, since every turn of the account asks. */
  readonly #priced: Partial<Record<keyof Marks, { readonly version: number; readonly at: Price; readonly pnl: Pnl }>> =
    {};
  readonly #day: DayTracker;
  readonly #markouts: Markouts<MarkoutHorizon, PlacedFill> = createMarkouts();
  readonly #judged: Markouts<JudgedHorizon, FollowedFill>;
  /** Of the strategy that trades, since it does. */
  #strategyMarkouts = noMarkouts;
  /** The strategy before it; null: there was none. */
  #former: Former | null = null;
  /** With an order of ours on both sides, in this run. */
  quotedSeconds = 0;
  /** For the page, by key. */
  readonly recentFills = createOldestOutMap<string, FillLine>(RECENT_FILLS);
  /** Of this run's fills. */
  readonly markoutMeans = new MarkoutMeans();
  /** By tenths of the queue, the front first. */
  readonly #placeMarkouts = Array.from({ length: 10 }, () => new MarkoutMeans());
  /** Of the last quotes of both sides that the strategy wanted; 0 before the first. */
  halfSpreadBps = 0;
  readonly #uptime: Uptime = createUptime();
  readonly #onDropped: (why: string) => void;
  readonly #onMarkout: (horizon: MarkoutHorizon, bps: number) => void;

  constructor(
    options: {
      readonly accountId: AccountId;
      readonly quoted: QuotedMarket;
      readonly before: Result;
      readonly kept: KeptMarket | null;
    },
    modules: {
      readonly book: AccountBook;
      readonly onMarkout: (horizon: MarkoutHorizon, bps: number) => void;
      readonly report: QuotingReport;
      readonly prng: Prng;
      readonly supervise: (start: () => RunningStrategy) => RunningStrategy;
      /** Told why what an earlier run left is not gone on from. */
      readonly onDropped: (why: string) => void;
    },
  ) {
    const { accountId, quoted, before } = options;
    this.accountId = accountId;
    this.marketId = quoted.marketId;
    this.quoting = new Quoting(modules.report);
    this.quoted = quoted;
    this.#book = modules.book;
    this.#marks = before.markPrice === null ? null : marksAt(before.markPrice);
    this.#day = new DayTracker(before.day);
    this.observed = { ...nothingObserved, prints: before.prints, adverse: options.kept?.adverse ?? noAdverseFills };
    this.premium = premiumBookOf(quoted, before.premium);
    this.#supervise = modules.supervise;
    const { memory = null } = options.kept ?? {};
    const remembered = memory?.config === quoted.hash ? memory.value : undefined;
    this.strategy = this.#supervise(() => quoted.strategy.start(remembered));
    this.#judged = createJudgedMarkouts(modules.prng);
    this.#onDropped = modules.onDropped;
    this.#onMarkout = modules.onMarkout;
    this.kept = options.kept;
    this.#signals = this.kept?.state ?? startSignals(quoted.marketId);
    this.#estimates = readSignals(this.#signals);
  }

  /** What an event of the market teaches the estimators; after the turn, which need not wait for it. */
  learn(event: VenueEvent): void {
    if (event.kind === "marketRead") this.#recognize(event.market);
    this.#estimate(foldSignals(this.#signals, event, this.#own()));
  }

  #own(): Own {
    const { orders = [], vacated = [], isPaper = false, chain = absent } = this.last?.view ?? {};
    const [chainTimeMs, printTimes] = [lastKnown(chain)?.timeMs ?? null, this.quoted.printSchedule];
    return { orders, vacated, isPaper, orderSize: this.#orderSize(), chainTimeMs, printTimes };
  }

  /** The id may have come to stand for another market since an earlier run. Known long before the first quote, which waits for more. */
  #recognize({ marketId, name }: Market): void {
    if (this.kept === null || marketId !== this.marketId || name === this.kept.name) return;
    this.#onDropped(`they are of a market named ${printable(this.kept.name, 80)}`);
    this.kept = null;
    this.observed = { ...this.observed, adverse: noAdverseFills };
    this.#estimate(startSignals(marketId));
  }

  /** The strategy took too long; `why` is a clause. */
  tookTooLong(why: string): void {
    this.#slow.set(this.strategy, new QuoteFault("slow", why));
  }

  /** Why the strategy is not called; null: it is. */
  get slowFault(): QuoteFault | null {
    return this.#slow.get(this.strategy) ?? null;
  }

  /** The strategy as a turn asks it: one that took too long is not called. */
  get asked(): Pick<RunningStrategy, "quote"> {
    const fault = this.slowFault;
    if (fault === null) return this.strategy;
    return {
      quote() {
        throw fault;
      },
    };
  }

  /** What of its strategy the next run goes on with. */
  get keptMemory(): KeptMemory | null {
    const { strategy, hash } = this.quoted;
    return strategy.keepsMemory && !this.isDraining ? { config: hash, value: this.strategy.memory } : null;
  }

  get signals(): SignalState {
    return this.#signals;
  }

  /** The mid between prints, USD; null around one, and while there is none. */
  get calmMidUsd(): number | null {
    return calmMidUsd(this.#signals, this.#own());
  }

  get estimates(): Signals {
    return this.#estimates;
  }

  /** Contracts of one of its orders. */
  get orderContracts(): number {
    return contractsOf(this.#orderSize());
  }

  #estimate(signals: SignalState): void {
    if (signals === this.#signals) return;
    this.#signals = signals;
    this.#estimates = readSignals(signals);
  }

  /** Of the strategy that trades, with these parameters. */
  get markouts(): MarkoutTally {
    return this.#strategyMarkouts;
  }

  /**
   * Other parameters, limits or another strategy from now on; what rests is judged by the next plan. `goesOn`: the strategy before this one goes
   * on where it was.
   */
  requote(quoted: QuotedMarket, goesOn = false): void {
    const restarts = quoted.hash !== this.quoted.hash;
    const former = goesOn ? this.#former : null;
    if (strategyHash(quoted.strategy) !== strategyHash(this.quoted.strategy))
      this.#former = { strategy: this.strategy, markouts: this.#strategyMarkouts };
    this.quoted = quoted;
    if (this.premium === null) this.premium = premiumBookOf(quoted, null);
    else this.premium.settings = quoted.premiumBook;
    if (restarts) {
      this.strategy = former?.strategy ?? this.#supervise(() => quoted.strategy.start());
      this.#strategyMarkouts = former?.markouts ?? noMarkouts;
    }
    this.quoting.restart();
  }

  /** An operator has looked at the unconfirmed print. */
  confirmPrint(): void {
    this.observed = { ...this.observed, prints: confirmPrint(this.observed.prints) };
  }

  /** From now on no quote is wanted: each turn cancels what rests, until the exchange has confirmed that nothing does. */
  drain(): void {
    this.isDraining = true;
    this.strategy = { quote: () => noQuotes("the market left the configuration"), memory: null };
  }

  /**
   * What a view teaches before anything is decided on it: prints and results. `day` as `dayOf` tells it; `isActive`: the market may add to its
   * position. True: the premium book has just stopped.
   */
  observe(view: View, day: number | null, isActive = true): boolean {
    this.observed = observeView(this.observed, view, this.quoted.limits);
    if (this.#marked !== null && this.#marks !== null && day !== null && day > this.#marked.day)
      this.#ended ??= { ...this.#marked, print: this.#marks.print, mid: this.#marks.mid };
    this.#follow(view);
    const pnl = this.pnl("lower");
    if (pnl !== null && this.#isFollowing) this.#day.observe(pnl.total, day);
    if (this.premium === null || this.#marks === null || !this.#isFollowing) return false;
    const mayHold = isActive && this.observed.prints.doubtful === null && !this.isDraining;
    return this.premium.observe(view, this.#marks.mid, { mayHold, kappaShare: kappaDataShare(this.#signals.funding) });
  }

  /** A turn has decided. */
  turned(turn: Turn): void {
    this.last = turn;
    this.halfSpreadBps = halfSpreadBps(turn.quotes) ?? this.halfSpreadBps;
    this.quoting.turned(turn);
    this.#estimate(foldQuotes(this.#signals, turn.quotes, this.#own(), turn.view.nowMs));
  }

  /** The market's own name, or its number while that is not known. */
  get name(): string {
    return this.knownName ?? `market ${this.marketId}`;
  }

  /** As the exchange tells it; null before the first turn that knows it. */
  get knownName(): string | null {
    return (this.last && lastKnown(this.last.view.market)?.name) ?? null;
  }

  /** Whether a fill waits to be measured. */
  isMeasureDue(nowMs: number): boolean {
    return this.#markouts.areDue(nowMs) || this.#judged.areDue(nowMs);
  }

  /** What a view says of our quality: markouts and uptime; after the turn, since nothing is decided on it. */
  measure(view: View): void {
    if (this.isMeasureDue(view.nowMs)) this.#measureFills(view);
    const quotedSeconds = this.#uptime.turn(view.nowMs, isTwoSided(view.orders));
    this.quotedSeconds += quotedSeconds;
  }

  #measureFills(view: View): void {
    const { nowMs } = view;
    const depth = this.#orderSize();
    for (const markout of this.#markouts.resolve(nowMs, midOf(view, depth))) {
      this.#onMarkout(markout.horizon, markout.bps);
      this.markoutMeans.add(markout);
      const { decile } = markout.fill;
      if (decile !== null) this.#placeMarkouts[decile - 1]?.add(markout);
    }
    for (const { horizon, bps, fill } of this.#judged.resolve(nowMs, judgingPrice(view, depth))) {
      const judged = { ...fill, contracts: contractsOf(fill.size), markoutBps: bps };
      this.observed = observeMarkout(this.observed, horizon, judged, this.quoted.limits, nowMs);
      if (horizon === COMPARED_HORIZON && fill.by === this.strategy)
        this.#strategyMarkouts = withMarkout(this.#strategyMarkouts, bps);
    }
  }

  /** The same by tenths of the queue of their price that the orders stood in, of those with fills. */
  placeMarkouts(): readonly PlaceLine[] {
    const lines = this.#placeMarkouts.map((means, at) => ({ decile: at + 1, markouts: means.lines() }));
    return lines.filter(({ markouts }) => markouts.length > 0);
  }

  /** Where the order stood in the last book before the fill; null: nobody knows, or it took. */
  #decileOf({ orderId, liquidity, price }: Fill): number | null {
    const order = this.last?.view.orders.find((known) => known.orderId === orderId);
    if (liquidity === "taker" || order === undefined || order.queueAhead === null || order.price !== price) return null;
    const book = lastKnown(this.last?.view.book ?? absent);
    const levels = order.side === "buy" ? book?.bids : book?.asks;
    const shown = levels?.find((level) => level.price === price)?.size ?? 0n;
    const least = order.queueAhead + order.remainingSize;
    return queueDecile(order.queueAhead, shown > least ? shown : least);
  }

  /** A fill that was not known before. */
  filled(fill: Fill, view: View): void {
    this.observed = observeFill(this.observed, fill.size, view.nowMs);
    this.#estimate(foldFill(this.#signals, fill, view.nowMs));
    const { halfSpreadBps } = this;
    const followed = { ...fill, atMs: view.nowMs, halfSpreadBps };
    this.#markouts.follow({ ...followed, decile: this.#decileOf(fill) });
    const widened = this.last?.answers[fill.side].widened ?? 0;
    this.#judged.follow({ ...followed, phase: phaseOf(view), widened, by: this.strategy });
    const atMs = fill.timestampMs ?? lastKnown(view.chain)?.timeMs ?? 0;
    const { side, liquidity, key } = fill;
    this.recentFills.set(key, {
      atMs,
      side,
      liquidity,
      price: usdOf(fill.price),
      size: contractsOf(fill.size),
      ...moneyOf(fill),
      key,
    });
  }

  /** A fill whose fee and profit came after it. */
  amended(fill: Fill): void {
    const known = this.recentFills.get(fill.key);
    if (known !== undefined) this.recentFills.set(fill.key, { ...known, ...moneyOf(fill) });
  }

  /** At one of its prices; null before the first print. */
  pnl(mark: keyof Marks): Pnl | null {
    if (this.#marks === null) return null;
    const at = this.#marks[mark];
    const market = this.#book.markets.get(this.marketId) ?? emptyMarketBook;
    const { version } = market;
    const known = this.#priced[mark];
    if (known?.version === version && known.at === at) return known.pnl;
    const pnl = pnlOf(market, at);
    this.#priced[mark] = { version, at, pnl };
    return pnl;
  }

  /** What the position is worth a contract; null before the first print. */
  get marks(): Marks | null {
    return this.#marks;
  }

  /** Whether the ledger has no mark of the day from this run, or an old one. */
  isMarkDue(day: number | null, atMs: number): boolean {
    return day !== null && (this.#marked?.day !== day || atMs - this.#marked.atMs >= deskTiming.markedEveryMs);
  }

  /** What the ledger keeps of the day, after the last of one that has ended; none while position, print or name are unknown. */
  marksOn(day: number, atMs: number): readonly StoredMark[] {
    const { accountId, marketId, knownName: name, currentMarks } = this;
    if (currentMarks === null || name === null) return [];
    const { print, mid } = currentMarks;
    this.#marked = { accountId, marketId, day, name, print, mid, atMs };
    const ended = this.#ended === null ? [] : [this.#ended];
    this.#ended = null;
    return [...ended, this.#marked];
  }

  /** Print and mid that the ledger may keep; null while position or print are unknown in this run. */
  get currentMarks(): Pick<Marks, "print" | "mid"> | null {
    return this.#isFollowing ? this.#marks : null;
  }

  /** False: an earlier run's profit, at its prices. */
  isCurrent(): boolean {
    return this.#marks === null || this.#isFollowing;
  }

  get fillCount(): number {
    return this.#book.markets.get(this.marketId)?.now.fillCount ?? 0;
  }

  /** What a later run goes on from. */
  get result(): Result {
    const premium = this.premium?.state ?? null;
    return { markPrice: this.#marks?.print ?? null, day: this.#day.state, prints: this.observed.prints, premium };
  }

  /** The day's count starts over. */
  restartDay(): void {
    this.#day.restart();
  }

  /** The day's result of this market. Absent until position and oracle price were known once. */
  dailyPnl(): Fact<DailyPnl> {
    return this.#day.dailyPnl();
  }

  /** The largest quote of the last turn; the limit while nothing is quoted. */
  #orderSize(): Size {
    const sizes = (this.last?.quotes.quotes ?? []).map(({ size }) => size).filter((size) => size > 0n);
    const { maxOrderSize } = this.quoted.limits;
    return sizes.length === 0 ? maxOrderSize : sizes.reduce((most, size) => (size > most ? size : most));
  }

  /** Marks the position, once it and a print are known. */
  #follow(view: View): void {
    const held = fresh(view.position);
    if (held === undefined || view.oracle.state === "absent") return;
    this.#isFollowing = true;
    this.#marks = marksOf(this.observed.prints, held.inventory, view, this.quoted.limits, this.#marks);
  }
}

const premiumBookOf = ({ premiumBook }: QuotedMarket, before: Result["premium"]): PremiumBook | null =>
  premiumBook === null && before === null ? null : new PremiumBook(premiumBook, before);

/** The mid of the others' book for an order of our size, null where none is fresh. */
function midOf(view: View, orderSize: Size): Price | null {
  const book = fresh(view.book);
  return book === undefined ? null : (depthMid(othersBook(book, view), orderSize) ?? null);
}

/** What fills are judged by: a mid that one counterparty may have made is little more than the oracle price. */
function judgingPrice(view: View, orderSize: Size): Price | null {
  const oracle = fresh(view.oracle);
  const book = fresh(view.book);
  return oracle === undefined || book === undefined
    ? null
    : weighedMid(othersBook(book, view), orderSize, oracle.price);
}

/** USDC; null where the exchange has not said it yet. */
const moneyOf = ({ fee, realizedPnl }: Fill): Pick<FillLine, "fee" | "realizedPnl"> => ({
  fee: fee === null ? null : usdcOf(fee),
  realizedPnl: realizedPnl === null ? null : usdcOf(realizedPnl),
});
