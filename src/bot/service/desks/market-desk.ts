// One market of one account at work: its strategy, what the guard remembers of it, its results and its metrics.

import { mid } from "../../../domain/book.ts";
import type { VenueEvent } from "../../../domain/event.ts";
import type { Fill } from "../../../domain/fill.ts";
import { othersBook } from "../../../domain/others-book.ts";
import { contractsOf, notional, usdcOf } from "../../../domain/rounding.ts";
import type { AccountId, MarketId, Price } from "../../../domain/units.ts";
import { type Fact, fresh, lastKnown, type View } from "../../../domain/view.ts";
import { foldPnl, type Pnl, type PnlEvent, type PnlState, pnlOf, startPnl } from "../../accounting/market-book.ts";
import { createMarkouts, type MarkoutHorizon, type Markouts } from "../../analytics/markouts.ts";
import { createUptime, isTwoSided, type Uptime } from "../../analytics/uptime.ts";
import type { QuotedMarket } from "../../config/config.ts";
import type { GateId } from "../../risk/gates/gate.ts";
import type { DenialReason } from "../../risk/guard.ts";
import type { DailyPnl } from "../../risk/risk-state.ts";
import { newWatch, type Watch, watchFill, watchView } from "../../risk/watch.ts";
import type { RunningStrategy } from "../../strategy/loader.ts";
import { foldSignals, type SignalState, startSignals } from "../../strategy/signals.ts";
import type { MarketMetrics } from "../../telemetry/bound.ts";
import type { Turn } from "../loop/turn.ts";
import { DayTracker } from "./day-tracker.ts";
import type { DenialReport } from "./denial-report.ts";
import type { MarketResult } from "./results.ts";

export type BoundMarket = MarketMetrics<GateId, DenialReason, MarkoutHorizon>;

export class MarketDesk {
  readonly accountId: AccountId;
  readonly marketId: MarketId;
  readonly metrics: BoundMarket;
  readonly denialReport: DenialReport;
  quoted: QuotedMarket;
  strategy: RunningStrategy;
  watch: Watch = newWatch;
  signals: SignalState;
  /** The newest turn; null before the first. */
  last: Turn | null = null;
  #pnl: PnlState | null;
  /** Position and print were known once in this life; before that the profit is at an earlier life's prices. */
  #isFollowing = false;
  /** Of the newest state: worked out once for each, since every turn of the account asks. */
  #priced: { readonly state: PnlState; readonly pnl: Pnl } | null = null;
  readonly #day: DayTracker;
  readonly #markouts: Markouts = createMarkouts();
  readonly #uptime: Uptime = createUptime();

  constructor(
    options: { readonly accountId: AccountId; readonly quoted: QuotedMarket; readonly before: MarketResult },
    modules: { readonly metrics: BoundMarket; readonly denialReport: DenialReport },
  ) {
    const { accountId, quoted, before } = options;
    this.accountId = accountId;
    this.marketId = quoted.marketId;
    this.metrics = modules.metrics;
    this.denialReport = modules.denialReport;
    this.quoted = quoted;
    this.#pnl = before.pnl;
    this.#day = new DayTracker(before.day);
    this.strategy = quoted.strategy.start();
    this.signals = startSignals(quoted.marketId);
  }

  /** What an event of the market teaches the estimators; after the turn, which need not wait for it. */
  learn(event: VenueEvent): void {
    this.signals = foldSignals(this.signals, event, this.last?.view.orders ?? []);
  }

  /** Other parameters, limits or another strategy from now on; what rests is judged by the next plan. */
  requote(quoted: QuotedMarket): void {
    const restarts = quoted.hash !== this.quoted.hash;
    this.quoted = quoted;
    if (restarts) this.strategy = quoted.strategy.start();
  }

  /** What a view teaches before anything is decided on it: jumps and results. `day` counts days of chain time. */
  observe(view: View, day: number): void {
    this.watch = watchView(this.watch, view, this.quoted.limits);
    this.#follow(view);
    const pnl = this.pnl();
    if (pnl !== null && this.#isFollowing) this.#day.observe(pnl.total, day);
  }

  /** What a view says of our quality, markouts and uptime; after the turn, since nothing is decided on it. */
  measure(view: View): void {
    const middle = referencePrice(view);
    for (const { horizon, bps } of this.#markouts.resolve(view.nowMs, middle))
      this.metrics.markout[horizon].observe(bps);
    this.metrics.quoteUptime.inc(this.#uptime.turn(view.nowMs, isTwoSided(view.orders)));
  }

  /** A fill that was not known before. */
  filled(fill: Fill, view: View): void {
    this.watch = watchFill(this.watch, fill.size, view.nowMs);
    this.#markouts.follow(fill, view.nowMs);
    this.metrics.fills[fill.side][fill.liquidity].inc();
    this.metrics.fillNotional[fill.side][fill.liquidity].inc(usdcOf(notional(fill.price, fill.size)));
    this.book({ kind: "fill", fill, referencePrice: referencePrice(view) });
  }

  book(event: PnlEvent): void {
    if (this.#pnl !== null) this.#pnl = foldPnl(this.#pnl, event);
  }

  pnl(): Pnl | null {
    if (this.#pnl === null) return null;
    if (this.#priced?.state !== this.#pnl) this.#priced = { state: this.#pnl, pnl: pnlOf(this.#pnl) };
    return this.#priced.pnl;
  }

  /** False: an earlier life's profit, at its prices. */
  isCurrent(): boolean {
    return this.#pnl === null || this.#isFollowing;
  }

  pnlState(): PnlState | null {
    return this.#pnl;
  }

  /** What a later life goes on from. */
  memory(): MarketResult {
    return { pnl: this.#pnl, day: this.#day.state };
  }

  /** The day's count begins anew. */
  restartDay(): void {
    this.#day.restart();
  }

  /** The day's result of this market. Absent until position and oracle price were known once. */
  dailyPnl(): Fact<DailyPnl> {
    return this.#day.dailyPnl();
  }

  /** Keeps the attribution at the position and the print of the view; begins it with the first that is known. */
  #follow(view: View): void {
    const position = fresh(view.position);
    const oracle = view.oracle.state === "absent" ? undefined : view.oracle.value;
    if (position === undefined || oracle === undefined) return;
    this.#isFollowing = true;
    if (this.#pnl === null) {
      this.#pnl = startPnl({ ...position, oraclePrice: oracle.price });
      return;
    }
    this.book({ kind: "print", oraclePrice: oracle.price });
    this.book({ kind: "position", ...position });
  }
}

/** The mid of the others' book, what a fill's edge is measured against; null where none is fresh. */
export function referencePrice(view: View): Price | null {
  const book = fresh(view.book);
  return book === undefined ? null : (mid(othersBook(book, view.orders)) ?? null);
}

/** Shows what a turn decided, and on which orders and position. */
export function showTurn(metrics: BoundMarket, { readings, verdict, view }: Turn): void {
  for (const { gate, closed } of readings) metrics.gateOpen[gate].set(closed === null ? 1 : 0);
  for (const { denials } of verdict.denied) for (const { reason } of denials) metrics.denials[reason].inc();
  const count = { buy: 0, sell: 0, unknown: 0 };
  for (const { side, state } of view.orders) {
    count[side] += 1;
    if (state === "unknown") count.unknown += 1;
  }
  metrics.openOrders.buy.set(count.buy);
  metrics.openOrders.sell.set(count.sell);
  metrics.unknownOrders.set(count.unknown);
  const position = lastKnown(view.position);
  if (position !== undefined) metrics.position.set(contractsOf(position.inventory));
}
