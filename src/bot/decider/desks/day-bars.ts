// An account day by day (UTC): PnL at the print and at the mid, fills and volume, for the page's bars and the day's summary. Earlier days
// come from the ledger's rows, today's from the change of the book since then.

import { usdcOf } from "../../../domain/rounding.ts";
import { type Usdc, usdc } from "../../../domain/units.ts";
import { DAY_MS } from "../../../kernel/clock.ts";
import { type Pnl, pnlComponents } from "../../accounting/market-book.ts";
import type { DayBar } from "../../dashboard/detail.ts";
import { minus, plus, type SpanPnl, type Valuation } from "../../ledger/pnl-by-span.ts";

export type DayFigures = Readonly<Record<Valuation, Pnl>> & { readonly volume: Usdc; readonly fills: number };
type Bar = DayFigures & { readonly day: number };

const DAYS_SHOWN = 30;
const noPnl = Object.fromEntries(pnlComponents.map((component) => [component, usdc(0n)])) as Pnl;
export const noFigures: DayFigures = { print: noPnl, mid: noPnl, volume: usdc(0n), fills: 0 };

export class DayBars {
  readonly #bars: Bar[] = [];
  /** Everything before the newest bar. */
  #before: DayFigures = noFigures;
  /** Fills and volume: the book keeps no sum of them. */
  #traded = noFigures;

  constructor(past: Iterable<SpanPnl>) {
    const ends = new Map<number, DayFigures>();
    for (const { marketId, span: day, pnl, total, volume, fills } of past) {
      ends.set(marketId, { ...noFigures, ...total });
      const last = this.#bars.at(-1)?.day === day ? this.#bars.pop() : undefined;
      this.#bars.push({ day, ...added(last ?? noFigures, { ...pnl, volume, fills }) });
      this.#traded = added(this.#traded, { ...noFigures, volume, fills });
    }
    this.#bars.splice(0, this.#bars.length - DAYS_SHOWN);
    const end = [...ends.values()].reduce(added, this.#traded);
    this.#before = removed(end, this.#bars.at(-1) ?? noFigures);
  }

  filled(volume: Usdc): void {
    this.#traded = added(this.#traded, { ...noFigures, volume, fills: 1 });
  }

  /** Updates the day from the total `pnl`. Returns the day that this look ended; null: none. */
  observe(day: number, pnl: Readonly<Record<Valuation, Pnl>>): Bar | null {
    const last = this.#bars.at(-1);
    const isNext = last === undefined || day > last.day;
    if (isNext) {
      this.#before = added(this.#before, last ?? noFigures);
      this.#bars.push({ day, ...noFigures });
      this.#bars.splice(0, this.#bars.length - DAYS_SHOWN);
    }
    const now = { ...pnl, volume: this.#traded.volume, fills: this.#traded.fills };
    const newest = this.#bars.pop();
    if (newest !== undefined) this.#bars.push({ day: newest.day, ...removed(now, this.#before) });
    return isNext ? (last ?? null) : null;
  }

  shown(): readonly DayBar[] {
    return this.#bars.map(({ day, print, mid }) => ({
      date: dateOf(day),
      print: usdcOf(print.total),
      mid: usdcOf(mid.total),
    }));
  }
}

/** `2026-11-26` */
export const dateOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

/** Adds the figures of two markets or periods. */
export const added = (one: DayFigures, other: DayFigures): DayFigures => ({
  print: plus(one.print, other.print),
  mid: plus(one.mid, other.mid),
  volume: usdc(one.volume + other.volume),
  fills: one.fills + other.fills,
});

const removed = (one: DayFigures, other: DayFigures): DayFigures => ({
  print: minus(one.print, other.print),
  mid: minus(one.mid, other.mid),
  volume: usdc(one.volume - other.volume),
  fills: one.fills - other.fills,
});
