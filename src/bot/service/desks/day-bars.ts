// The PnL of an account by day (UTC) for the page, positions at the print and at the mid: days of earlier lives from the ledger's rows, and
// the day that runs from what the book has come to since.

import { usdcOf } from "../../../domain/rounding.ts";
import { type Usdc, usdc } from "../../../domain/units.ts";
import type { DayBar } from "../../dashboard/detail.ts";
import { DAY_MS, type DayPnl, type Valuation } from "../../ledger/pnl-by-day.ts";

type Totals = Readonly<Record<Valuation, Usdc>>;
type Bar = Totals & { readonly day: number };

const DAYS_SHOWN = 30;
const none: Totals = { print: usdc(0n), mid: usdc(0n) };

export class DayBars {
  readonly #bars: Bar[] = [];
  /** All PnL before the newest bar. */
  #before: Totals = none;

  constructor(past: Iterable<DayPnl>) {
    const ends = new Map<number, Totals>();
    for (const { marketId, day, pnl, total } of past) {
      ends.set(marketId, total);
      const last = this.#bars.at(-1)?.day === day ? this.#bars.pop() : undefined;
      this.#bars.push({ day, ...plus(last ?? none, { print: pnl.print.total, mid: pnl.mid.total }) });
    }
    this.#bars.splice(0, this.#bars.length - DAYS_SHOWN);
    const end = [...ends.values()].reduce(plus, none);
    this.#before = less(end, this.#bars.at(-1) ?? none);
  }

  /** `total`: all PnL until now. */
  observe(day: number, total: Totals): void {
    const last = this.#bars.at(-1);
    if (last === undefined || day > last.day) {
      this.#before = plus(this.#before, last ?? none);
      this.#bars.push({ day, ...none });
      this.#bars.splice(0, this.#bars.length - DAYS_SHOWN);
    }
    const newest = this.#bars.pop();
    if (newest !== undefined) this.#bars.push({ day: newest.day, ...less(total, this.#before) });
  }

  shown(): readonly DayBar[] {
    return this.#bars.slice(-DAYS_SHOWN).map(({ day, print, mid }) => ({
      date: new Date(day * DAY_MS).toISOString().slice(0, 10),
      print: usdcOf(print),
      mid: usdcOf(mid),
    }));
  }
}

const plus = (one: Totals, other: Totals): Totals => ({
  print: usdc(one.print + other.print),
  mid: usdc(one.mid + other.mid),
});
const less = (one: Totals, other: Totals): Totals => ({
  print: usdc(one.print - other.print),
  mid: usdc(one.mid - other.mid),
});
