// One market of one account at work: its strategy, estimates, profit, fill quality, and the guard's memory of it.

import type { VenueEvent } from "../../../domain/event.ts";
import type { Fill } from "../../../domain/fill.ts";
import { halfSpreadBps } from "../../../domain/quotes.ts";
import { contractsOf } from "../../../domain/rounding.ts";
import type { AccountId, MarketId, Size } from "../../../domain/units.ts";
import { absent, lastKnown, type View } from "../../../domain/view.ts";
import type { Prng } from "../../../kernel/prng.ts";
import type { AccountBook } from "../../accounting/account-book.ts";
import type { MarkoutHorizon } from "../../analytics/markouts.ts";
import type { QuotedMarket } from "../../config/config.ts";
import type { StoredMark } from "../../ledger/store.ts";
import { noAdverseFills } from "../../risk/adverse.ts";
import { nothingObserved, type Observed, observeFill, observeMarkout, observeView } from "../../risk/observed.ts";
import { confirmPrint } from "../../risk/prints.ts";
import { kappaDataShare } from "../../strategy/funding-pull.ts";
import type { Own } from "../../strategy/signals.ts";
import type { Turn } from "../turns/turn.ts";
import { FillQuality } from "./fill-quality.ts";
import type { KeptMarket } from "./kept-adverse.ts";
import { MarketEstimates } from "./market-estimates.ts";
import { MarketPnl } from "./market-pnl.ts";
import { PremiumBook } from "./premium-book.ts";
import { Quoting } from "./quoting.ts";
import type { QuotingReport } from "./quoting-report.ts";
import type { Result } from "./results.ts";
import { type Start, StrategySlot } from "./strategy-slot.ts";

export type MarketDeskOptions = {
  readonly accountId: AccountId;
  readonly quoted: QuotedMarket;
  readonly before: Result;
  readonly kept: KeptMarket | null;
};

export type MarketDeskModules = {
  readonly book: AccountBook;
  readonly onMarkout: (horizon: MarkoutHorizon, bps: number) => void;
  readonly report: QuotingReport;
  readonly prng: Prng;
  readonly supervise: Start;
  /** Called with why estimates of an earlier run are dropped, a clause. */
  readonly onDropped: (why: string) => void;
};

export class MarketDesk {
  readonly accountId: AccountId;
  readonly marketId: MarketId;
  quoted: QuotedMarket;
  readonly strategy: StrategySlot;
  readonly estimates: MarketEstimates;
  readonly pnl: MarketPnl;
  readonly fills: FillQuality;
  readonly quoting: Quoting;
  observed: Observed;
  /** Null: never configured. */
  premium: PremiumBook | null;
  /** The newest turn, with a view at most about a second old; null before the first. */
  last: Turn | null = null;
  /** Half-spread of the strategy's last quotes of both sides, basis points; 0 before the first. */
  halfSpreadBps = 0;
  readonly #onDropped: (why: string) => void;

  constructor({ accountId, quoted, before, kept }: MarketDeskOptions, modules: MarketDeskModules) {
    this.accountId = accountId;
    this.marketId = quoted.marketId;
    this.quoted = quoted;
    const { memory = null } = kept ?? {};
    const remembered = memory?.config === quoted.hash ? memory.value : undefined;
    this.strategy = new StrategySlot(quoted, remembered, modules.supervise);
    this.estimates = new MarketEstimates(quoted.marketId, kept);
    this.pnl = new MarketPnl(accountId, quoted.marketId, before, modules.book);
    this.fills = new FillQuality(modules.prng, modules.onMarkout);
    this.quoting = new Quoting(modules.report);
    this.observed = { ...nothingObserved, prints: before.prints, adverse: kept?.adverse ?? noAdverseFills };
    this.premium = premiumBookOf(quoted, before.premium);
    this.#onDropped = modules.onDropped;
  }

  /** The market's name, or its number while the name is unknown. */
  get name(): string {
    return this.knownName ?? `market ${this.marketId}`;
  }

  /** The exchange's name; null before the first turn that knows it. */
  get knownName(): string | null {
    return (this.last && lastKnown(this.last.view.market)?.name) ?? null;
  }

  get orderContracts(): number {
    return contractsOf(this.#orderSize());
  }

  /** The mid between prints, USD; null around a print, and while there is no mid. */
  get calmMidUsd(): number | null {
    return this.estimates.calmMidUsd(this.#own());
  }

  /** The result that a later run continues. */
  get result(): Result {
    const premium = this.premium?.state ?? null;
    const markPrice = this.pnl.marks?.print ?? null;
    return { markPrice, day: this.pnl.day, prints: this.observed.prints, premium };
  }

  /** Returns marks for the ledger; none while the market's name, position or print are unknown. */
  marksOn(day: number, atMs: number): readonly StoredMark[] {
    return this.knownName === null ? [] : this.pnl.marksOn(day, this.knownName, atMs);
  }

  /** Updates the estimators. Call it after the turn, which need not wait for it. */
  learn(event: VenueEvent): void {
    const why = event.kind === "marketRead" ? this.estimates.recognize(event.market) : null;
    if (why !== null) {
      this.#onDropped(why);
      this.observed = { ...this.observed, adverse: noAdverseFills };
    }
    this.estimates.learn(event, this.#own());
  }

  /** Changes parameters, limits or strategy; the next plan judges what rests. `goesOn`: the former strategy continues where it was. */
  requote(quoted: QuotedMarket, goesOn = false): void {
    this.strategy.requote(quoted, goesOn);
    this.quoted = quoted;
    if (this.premium === null) this.premium = premiumBookOf(quoted, null);
    else this.premium.settings = quoted.premiumBook;
    this.quoting.restart();
  }

  /** An operator has looked at the unconfirmed print. */
  confirmPrint(): void {
    this.observed = { ...this.observed, prints: confirmPrint(this.observed.prints) };
  }

  /**
   * Takes prints and results from a view, before anything is decided on it. `day`: see `dayOf`; `isActive`: the market may add to its
   * position. Returns true when the premium book has just stopped.
   */
  observe(view: View, day: number | null, isActive = true): boolean {
    this.observed = observeView(this.observed, view, this.quoted.limits);
    this.pnl.observe(view, this.observed.prints, this.quoted.limits, day);
    const marks = this.pnl.currentMarks;
    if (this.premium === null || marks === null) return false;
    const mayHold = isActive && this.observed.prints.doubtful === null && !this.strategy.isDraining;
    return this.premium.observe(view, marks.mid, {
      mayHold,
      kappaShare: kappaDataShare(this.estimates.state.funding),
    });
  }

  /** Call it after a turn. */
  turned(turn: Turn): void {
    this.decided(turn);
    this.quoting.turned(turn);
  }

  /** Takes of a turn what later decisions depend on: nothing that is only shown. */
  decided(turn: Turn): void {
    this.last = turn;
    this.halfSpreadBps = halfSpreadBps(turn.quotes) ?? this.halfSpreadBps;
    this.estimates.quoted(turn.quotes, this.#own(), turn.view.nowMs);
  }

  /** Call it after a second without a turn: the quotes of the last one still hold. */
  rested(view: View): void {
    if (this.last === null) return;
    // Status, gauges and the key's expiry use this view.
    this.last = { ...this.last, view };
    this.estimates.quoted(this.last.quotes, this.#own(), view.nowMs);
    this.measure(view);
    this.quoting.show(this.name, view.nowMs);
  }

  /** Measures fills and uptime. Call it after the turn, since no decision depends on it. */
  measure(view: View): void {
    for (const { horizon, fill, by } of this.fills.measure(view, this.#orderSize())) {
      this.observed = observeMarkout(this.observed, horizon, fill, this.quoted.limits, view.nowMs);
      this.strategy.judged(horizon, by, fill.markoutBps);
    }
  }

  /** Handles a fill that was not known before. */
  filled(fill: Fill, view: View): void {
    this.observed = observeFill(this.observed, fill.size, view.nowMs);
    this.estimates.filled(fill, view.nowMs);
    const { last, halfSpreadBps } = this;
    this.fills.filled(fill, view, { last, halfSpreadBps, by: this.strategy.running });
  }

  /** Whether a turn on this view would value the position at a new price. */
  isRevalued(view: View): boolean {
    return this.pnl.isRevalued(view, this.observed.prints, this.quoted.limits);
  }

  #own(): Own {
    const { orders = [], vacated = [], isPaper = false, chain = absent, outside = {} } = this.last?.view ?? {};
    const [chainTimeMs, printTimes] = [lastKnown(chain)?.timeMs ?? null, this.quoted.printSchedule];
    return { orders, vacated, isPaper, orderSize: this.#orderSize(), chainTimeMs, printTimes, outside };
  }

  /** Returns the largest quote of the last turn; the limit while nothing is quoted. */
  #orderSize(): Size {
    const sizes = (this.last?.quotes.quotes ?? []).map(({ size }) => size).filter((size) => size > 0n);
    const { maxOrderSize } = this.quoted.limits;
    return sizes.length === 0 ? maxOrderSize : sizes.reduce((most, size) => (size > most ? size : most));
  }
}

const premiumBookOf = ({ premiumBook }: QuotedMarket, before: Result["premium"]): PremiumBook | null =>
  premiumBook === null && before === null ? null : new PremiumBook(premiumBook, before);
