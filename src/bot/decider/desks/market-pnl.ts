// Profit of one market: the prices that its position is marked at, the day's result, and what the ledger keeps of both.

import type { AccountId, MarketId, Price } from "../../../domain/units.ts";
import { type Fact, fresh, type View } from "../../../domain/view.ts";
import type { AccountBook } from "../../accounting/account-book.ts";
import { emptyMarketBook, type Pnl, pnlOf } from "../../accounting/market-book.ts";
import type { StoredMark } from "../../ledger/store.ts";
import type { MarketLimits } from "../../risk/limits/limits.ts";
import { type Marks, marksAt, marksOf } from "../../risk/mark.ts";
import type { Prints } from "../../risk/prints.ts";
import type { DailyPnl } from "../../risk/risk-state.ts";
import { deskTiming } from "../../timing.ts";
import { type DayState, DayTracker } from "./day-tracker.ts";
import type { Result } from "./results.ts";

export class MarketPnl {
  readonly #accountId: AccountId;
  readonly #marketId: MarketId;
  readonly #book: AccountBook;
  readonly #day: DayTracker;
  #marks: Marks | null;
  /** Position and print have been known in this run. Until then the profit is at an earlier run's prices. */
  #isCurrent = false;
  /** Version of the account book at the last turn. */
  #observedVersion = Number.NaN;
  /** The last mark that this run gave to the ledger; null: none. */
  #marked: StoredMark | null = null;
  /** The last mark of the day that has just ended. */
  #ended: StoredMark | null = null;
  /** The newest profit at each price, cached because every turn of the account asks for it. */
  readonly #priced: Partial<Record<keyof Marks, { readonly version: number; readonly at: Price; readonly pnl: Pnl }>> =
    {};

  constructor(
    accountId: AccountId,
    marketId: MarketId,
    { markPrice, day }: Pick<Result, "markPrice" | "day">,
    book: AccountBook,
  ) {
    this.#accountId = accountId;
    this.#marketId = marketId;
    this.#book = book;
    this.#marks = markPrice === null ? null : marksAt(markPrice);
    this.#day = new DayTracker(day);
  }

  /** Prices that the position is valued at, per contract; null before the first print. */
  get marks(): Marks | null {
    return this.#marks;
  }

  /** The same; null until position and print are known in this run. */
  get currentMarks(): Marks | null {
    return this.#isCurrent ? this.#marks : null;
  }

  /** False: the profit is an earlier run's, at its prices. */
  get isCurrent(): boolean {
    return this.#marks === null || this.#isCurrent;
  }

  get day(): DayState | null {
    return this.#day.state;
  }

  get fillCount(): number {
    return this.#book.markets.get(this.#marketId)?.now.fillCount ?? 0;
  }

  /** Marks the position, once it and a print are known, and updates the day's result. `day`: see `dayOf`. */
  observe(view: View, prints: Prints, limits: MarketLimits, day: number | null): void {
    if (this.#marked !== null && this.#marks !== null && day !== null && day > this.#marked.day)
      this.#ended ??= { ...this.#marked, print: this.#marks.print, mid: this.#marks.mid };
    this.#isCurrent ||= fresh(view.position) !== undefined && view.oracle.state !== "absent";
    this.#marks = this.#marksOf(view, prints, limits);
    this.#observedVersion = this.#version;
    const pnl = this.at("lower");
    if (pnl !== null && this.#isCurrent) this.#day.observe(pnl.total, day);
  }

  /** Whether fills, fees or funding were booked since the last turn. */
  get isRebooked(): boolean {
    return this.#version !== this.#observedVersion;
  }

  /** Whether `observe` would mark the position at other prices. */
  isRevalued(view: View, prints: Prints, limits: MarketLimits): boolean {
    const marks = this.#marksOf(view, prints, limits);
    return marks?.lower !== this.#marks?.lower || marks?.mid !== this.#marks?.mid;
  }

  #marksOf(view: View, prints: Prints, limits: MarketLimits): Marks | null {
    const held = fresh(view.position);
    if (held === undefined || view.oracle.state === "absent") return this.#marks;
    return marksOf(prints, held.inventory, view, limits, this.#marks);
  }

  get #version(): number {
    return (this.#book.markets.get(this.#marketId) ?? emptyMarketBook).version;
  }

  /** Returns profit at one of the marks; null before the first print. */
  at(mark: keyof Marks): Pnl | null {
    if (this.#marks === null) return null;
    const at = this.#marks[mark];
    const market = this.#book.markets.get(this.#marketId) ?? emptyMarketBook;
    const { version } = market;
    const known = this.#priced[mark];
    if (known?.version === version && known.at === at) return known.pnl;
    const pnl = pnlOf(market, at);
    this.#priced[mark] = { version, at, pnl };
    return pnl;
  }

  /** The day's result. Absent until position and oracle price have been known. */
  dailyPnl(): Fact<DailyPnl> {
    return this.#day.dailyPnl();
  }

  restartDay(): void {
    this.#day.restart();
  }

  /** Whether the ledger has no mark of the day from this run, or an old one. */
  isMarkDue(day: number | null, atMs: number): boolean {
    return day !== null && (this.#marked?.day !== day || atMs - this.#marked.atMs >= deskTiming.markedEveryMs);
  }

  /** Returns marks for the ledger, including the last one of a day that has ended. None while position or print are unknown. */
  marksOn(day: number, name: string, atMs: number): readonly StoredMark[] {
    const { currentMarks } = this;
    if (currentMarks === null) return [];
    const { print, mid } = currentMarks;
    this.#marked = { accountId: this.#accountId, marketId: this.#marketId, day, name, print, mid, atMs };
    const ended = this.#ended === null ? [] : [this.#ended];
    this.#ended = null;
    return [...ended, this.#marked];
  }
}
