// PnL of an account by day (UTC), market and source, folded from the ledger's rows. A day is what the book came to by its end less what it
// came to by the end of the day before, each at the prices that the market was last valued at by then: days add up to the book.

import { notional } from "../../domain/rounding.ts";
import { type AccountId, type MarketId, type Price, type Usdc, usdc } from "../../domain/units.ts";
import { DAY_MS } from "../../kernel/clock.ts";
import { type AccountBook, createAccountBook, foldBook } from "../accounting/account-book.ts";
import { type FillEvent, type Pnl, pnlComponents, pnlOf } from "../accounting/market-book.ts";
import { openWith } from "../accounting/opening.ts";
import { foldReads } from "./rebuild.ts";
import type { LedgerReads, StoredMark, StoredPosition, Timed } from "./store.ts";

/** What a position can be valued at. */
export const valuations = ["print", "mid"] as const;
export type Valuation = (typeof valuations)[number];

/** One market on one day. */
export type DayPnl = {
  readonly accountId: AccountId;
  readonly marketId: MarketId;
  /** Days since 1970-01-01. */
  readonly day: number;
  /** At the end of the day. */
  readonly prices: Readonly<Record<Valuation, Price>>;
  readonly pnl: Readonly<Record<Valuation, Pnl>>;
  /** Of everything up to the end of the day. */
  readonly total: Readonly<Record<Valuation, Pnl>>;
  /** Notional of the fills. */
  readonly volume: Usdc;
  readonly fills: number;
};

type Reads = Pick<LedgerReads, "openings" | "timeline" | "marks">;

/**
 * By day, then by market. Where openings stand for older rows, days begin after them. Throws what reads of the ledger throw.
 */
export function* pnlByDay(read: Reads, accountId: AccountId): Iterable<DayPnl> {
  const folding = new Folding(read, accountId);
  const { fills } = read.timeline(accountId);
  for (const [day, events] of byDay(fills)) {
    yield* folding.closeBefore(day);
    yield* folding.close(day, events);
  }
  yield* folding.closeBefore(Number.POSITIVE_INFINITY);
}

/** Fills lie in the order in which they were received: one of a day may come after those of the next, not of the one after that. */
function* byDay(fills: Iterable<Timed<FillEvent>>): Iterable<readonly [number, readonly FillEvent[]]> {
  const open = new Map<number, FillEvent[]>();
  let oldest = Number.NEGATIVE_INFINITY;
  const dayBefore = (newest: number): number | undefined =>
    [...open.keys()].filter((day) => day < newest - 1).toSorted((a, b) => a - b)[0];
  for (const { atMs, event } of fills) {
    const day = Math.max(oldest, dayAt(atMs));
    const events = open.get(day);
    if (events !== undefined) {
      events.push(event);
      continue;
    }
    open.set(day, [event]);
    for (let done = dayBefore(day); done !== undefined; done = dayBefore(day)) {
      yield [done, open.get(done) ?? []];
      open.delete(done);
      oldest = done + 1;
    }
  }
  yield* [...open].toSorted(([a], [b]) => a - b);
}

class Folding {
  readonly #accountId: AccountId;
  readonly #book: AccountBook = createAccountBook();
  readonly #sums: ReadonlyMap<number, readonly Timed<Parameters<typeof foldBook>[1]>[]>;
  readonly #reads: ReadonlyMap<MarketId, (StoredPosition & { readonly atMs: number })[]>;
  readonly #marks: ReadonlyMap<MarketId, readonly StoredMark[]>;
  /** Days of everything but fills that are not closed, in order. */
  readonly #days: number[];
  readonly #before = new Map<MarketId, DayPnl["pnl"]>();
  /** Where the ledger has no mark: the oracle price of the last read, or the price of the last fill. */
  readonly #seen = new Map<MarketId, Price>();

  constructor(read: Reads, accountId: AccountId) {
    this.#accountId = accountId;
    const { positions, sums } = read.timeline(accountId);
    this.#sums = Map.groupBy(sums, ({ atMs }) => dayAt(atMs));
    this.#marks = Map.groupBy(read.marks(accountId), ({ marketId }) => marketId);
    const reads = Array.from(positions, ({ atMs, event }) => ({ ...event, atMs }));
    this.#reads = Map.groupBy(
      reads.toSorted((a, b) => a.position.number - b.position.number),
      ({ position }) => position.marketId,
    );
    const marked = [...this.#marks.values()].flatMap((marks) => marks.map(({ day }) => day));
    const days = new Set([...this.#sums.keys(), ...reads.map(({ atMs }) => dayAt(atMs)), ...marked]);
    this.#days = [...days].toSorted((a, b) => a - b);
    for (const opening of read.openings(accountId)) openWith(this.#book, opening);
    for (const [marketId, reads] of this.#reads)
      if (reads[0] !== undefined) this.#seen.set(marketId, reads[0].position.oraclePrice);
    for (const marketId of this.#book.markets.keys())
      this.#before.set(marketId, this.#pnl(marketId, this.#prices(marketId, this.#days[0] ?? 0)));
  }

  *closeBefore(day: number): Iterable<DayPnl> {
    for (let next = this.#days[0]; next !== undefined && next < day; next = this.#days[0]) yield* this.close(next, []);
  }

  *close(day: number, fills: readonly FillEvent[]): Iterable<DayPnl> {
    if (this.#days[0] === day) this.#days.shift();
    for (const { event } of this.#sums.get(day) ?? []) foldBook(this.#book, event);
    for (const event of fills) {
      foldReads(this.#book, this.#reads, event.fill.marketId, event.readsBefore);
      foldBook(this.#book, event);
      this.#seen.set(event.fill.marketId, event.fill.price);
    }
    for (const [marketId, reads] of this.#reads) {
      const firstLater = reads.findIndex(({ atMs }) => dayAt(atMs) > day);
      const last = reads[firstLater === -1 ? reads.length - 1 : firstLater - 1];
      if (last === undefined) continue;
      foldReads(this.#book, this.#reads, marketId, last.position.number);
      this.#seen.set(marketId, last.position.oraclePrice);
    }
    const traded = Map.groupBy(fills, ({ fill }) => fill.marketId);
    for (const marketId of [...this.#book.markets.keys()].toSorted((a, b) => a - b))
      yield this.#row(marketId, day, traded.get(marketId) ?? []);
  }

  #row(marketId: MarketId, day: number, fills: readonly FillEvent[]): DayPnl {
    const prices = this.#prices(marketId, day);
    const now = this.#pnl(marketId, prices);
    const before = this.#before.get(marketId);
    this.#before.set(marketId, now);
    const pnl = { print: less(now.print, before?.print), mid: less(now.mid, before?.mid) };
    const volume = fills.reduce((sum, { fill }) => sum + notional(fill.price, fill.size), 0n);
    const of = { accountId: this.#accountId, marketId, day };
    return { ...of, prices, pnl, total: now, volume: usdc(volume), fills: fills.length };
  }

  /** Of the last mark by then; before the first, what else is known of the price. */
  #prices(marketId: MarketId, day: number): DayPnl["prices"] {
    const mark = this.#marks.get(marketId)?.findLast((each) => each.day <= day);
    if (mark !== undefined) return { print: mark.print, mid: mark.mid };
    const seen = this.#seen.get(marketId) ?? (0n as Price);
    return { print: seen, mid: seen };
  }

  #pnl(marketId: MarketId, { print, mid }: DayPnl["prices"]): DayPnl["pnl"] {
    const market = this.#book.markets.get(marketId);
    if (market === undefined) throw new RangeError(`market ${marketId} is not in the book`);
    return { print: pnlOf(market, print), mid: pnlOf(market, mid) };
  }
}

/** Nothing was traded, gained or lost. */
export const isQuiet = ({ pnl, fills }: DayPnl): boolean =>
  fills === 0 && valuations.every((at) => pnlComponents.every((component) => pnl[at][component] === 0n));

/** Number of the day (UTC) that a time in ms is of. */
export const dayAt = (atMs: number): number => Math.floor(atMs / DAY_MS);

/** Sum of two PnLs, source by source. */
export const plus = (one: Pnl, other: Pnl): Pnl => combined(one, other, 1n);

export const minus = (one: Pnl, other: Pnl): Pnl => combined(one, other, -1n);

const less = (now: Pnl, before: Pnl | undefined): Pnl => (before === undefined ? now : minus(now, before));

const combined = (one: Pnl, other: Pnl, sign: bigint): Pnl =>
  Object.fromEntries(
    pnlComponents.map((component) => [component, one[component] + sign * other[component]]),
  ) as unknown as Pnl;
