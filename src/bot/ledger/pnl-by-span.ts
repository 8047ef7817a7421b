// PnL of an account by day or hour (UTC), market and source, folded from the ledger's rows. A span's PnL is the book's total at its end
// minus the total at the end of the previous one, each at the market's last prices by then; so spans sum to the book.

import { notional } from "../../domain/rounding.ts";
import { type AccountId, type MarketId, type Price, type Size, size, type Usdc, usdc } from "../../domain/units.ts";
import { DAY_MS, HOUR_MS } from "../../kernel/clock.ts";
import { type AccountBook, createAccountBook, foldBook } from "../accounting/account-book.ts";
import { type FillEvent, type Pnl, pnlComponents, pnlOf } from "../accounting/market-book.ts";
import { openWith } from "../accounting/opening.ts";
import { foldReads } from "./rebuild.ts";
import type { LedgerReads, StoredMark, StoredPosition, Timed } from "./store.ts";

/** Prices at which a position can be valued. */
export const valuations = ["print", "mid"] as const;
export type Valuation = (typeof valuations)[number];

/** One market in one day or hour. */
export type SpanPnl = {
  readonly accountId: AccountId;
  readonly marketId: MarketId;
  /** Days, or hours, since 1970-01-01. */
  readonly span: number;
  /** At the end of the span. */
  readonly prices: Readonly<Record<Valuation, Price>>;
  readonly pnl: Readonly<Record<Valuation, Pnl>>;
  /** Everything up to the end of the span. */
  readonly total: Readonly<Record<Valuation, Pnl>>;
  /** Position at the end of the span, signed. */
  readonly inventory: Size;
  /** Notional of the fills. */
  readonly volume: Usdc;
  readonly fills: number;
};

/** The last valuation prices of a market in a span. */
type Mark = Pick<StoredMark, "marketId" | "print" | "mid"> & { readonly span: number };
type Spans = { readonly spanMs: number; readonly marks: readonly Mark[] };
type Reads = Pick<LedgerReads, "openings" | "timeline">;

/** By day, then by market. If openings replaced older rows, days begin after them. Throws what reads of the ledger throw. */
export function pnlByDay(read: Reads & Pick<LedgerReads, "marks">, accountId: AccountId): Iterable<SpanPnl> {
  const marks = read.marks(accountId).map((mark) => ({ ...mark, span: mark.day }));
  return pnlBySpan(read, accountId, { spanMs: DAY_MS, marks });
}

/** By hour, then by market. Hours without prices use those of earlier hours, and the last ones of each day. */
export function pnlByHour(read: Reads & Pick<LedgerReads, "marks" | "hours">, accountId: AccountId): Iterable<SpanPnl> {
  const ofDays = read.marks(accountId).map((mark) => ({ ...mark, span: Math.floor(mark.atMs / HOUR_MS) }));
  const ofHours = read
    .hours(accountId)
    .flatMap(({ prices, ...hour }) => (prices === null ? [] : [{ ...hour, ...prices, span: hour.hour }]));
  const marks = [...ofDays, ...ofHours].toSorted((a, b) => a.span - b.span || a.atMs - b.atMs);
  return pnlBySpan(read, accountId, { spanMs: HOUR_MS, marks });
}

/** `marks`: in order per market. */
function* pnlBySpan(read: Reads, accountId: AccountId, spans: Spans): Iterable<SpanPnl> {
  const folding = new Folding(read, accountId, spans);
  const { fills } = read.timeline(accountId);
  for (const [span, events] of bySpan(fills, spans.spanMs)) {
    yield* folding.closeBefore(span);
    yield* folding.close(span, events);
  }
  yield* folding.closeBefore(Number.POSITIVE_INFINITY);
}

/**
 * Fills are in order of arrival, so one of a span may come after fills of the next span, where it is still counted correctly; one that
 * comes even later counts in a later span.
 */
function* bySpan(fills: Iterable<Timed<FillEvent>>, spanMs: number): Iterable<readonly [number, readonly FillEvent[]]> {
  const open = new Map<number, FillEvent[]>();
  let oldest = Number.NEGATIVE_INFINITY;
  const spanBefore = (newest: number): number | undefined =>
    [...open.keys()].filter((span) => span < newest - 1).toSorted((a, b) => a - b)[0];
  for (const { atMs, event } of fills) {
    const span = Math.max(oldest, Math.floor(atMs / spanMs));
    const events = open.get(span);
    if (events !== undefined) {
      events.push(event);
      continue;
    }
    open.set(span, [event]);
    for (let done = spanBefore(span); done !== undefined; done = spanBefore(span)) {
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
  /** By market: the newest mark in effect, then those of later spans. */
  readonly #marks: ReadonlyMap<MarketId, Mark[]>;
  /** Spans with events other than fills that are not closed yet, in order. */
  readonly #open: number[];
  readonly #spanMs: number;
  readonly #before = new Map<MarketId, SpanPnl["pnl"]>();
  /** Price if the ledger has no mark: the oracle price of the last read, or the price of the last fill. */
  readonly #seen = new Map<MarketId, Price>();

  constructor(read: Reads, accountId: AccountId, { spanMs, marks }: Spans) {
    this.#accountId = accountId;
    this.#spanMs = spanMs;
    const { positions, sums } = read.timeline(accountId);
    this.#sums = Map.groupBy(sums, ({ atMs }) => this.#spanAt(atMs));
    this.#marks = Map.groupBy(marks, ({ marketId }) => marketId);
    const reads = Array.from(positions, ({ atMs, event }) => ({ ...event, atMs }));
    this.#reads = Map.groupBy(
      reads.toSorted((a, b) => a.position.number - b.position.number),
      ({ position }) => position.marketId,
    );
    const marked = marks.map(({ span }) => span);
    const all = new Set([...this.#sums.keys(), ...reads.map(({ atMs }) => this.#spanAt(atMs)), ...marked]);
    this.#open = [...all].toSorted((a, b) => a - b);
    for (const opening of read.openings(accountId)) openWith(this.#book, opening);
    for (const [marketId, reads] of this.#reads)
      if (reads[0] !== undefined) this.#seen.set(marketId, reads[0].position.oraclePrice);
    for (const marketId of this.#book.markets.keys())
      this.#before.set(marketId, this.#pnl(marketId, this.#prices(marketId, this.#open[0] ?? 0)));
  }

  *closeBefore(span: number): Iterable<SpanPnl> {
    for (let next = this.#open[0]; next !== undefined && next < span; next = this.#open[0]) yield* this.close(next, []);
  }

  *close(span: number, fills: readonly FillEvent[]): Iterable<SpanPnl> {
    if (this.#open[0] === span) this.#open.shift();
    for (const { event } of this.#sums.get(span) ?? []) foldBook(this.#book, event);
    for (const event of fills) {
      foldReads(this.#book, this.#reads, event.fill.marketId, event.readsBefore);
      foldBook(this.#book, event);
      this.#seen.set(event.fill.marketId, event.fill.price);
    }
    for (const [marketId, reads] of this.#reads) {
      const firstLater = reads.findIndex(({ atMs }) => this.#spanAt(atMs) > span);
      const last = reads[firstLater === -1 ? reads.length - 1 : firstLater - 1];
      if (last === undefined) continue;
      foldReads(this.#book, this.#reads, marketId, last.position.number);
      this.#seen.set(marketId, last.position.oraclePrice);
    }
    const traded = Map.groupBy(fills, ({ fill }) => fill.marketId);
    for (const marketId of [...this.#book.markets.keys()].toSorted((a, b) => a - b))
      yield this.#row(marketId, span, traded.get(marketId) ?? []);
  }

  readonly #spanAt = (atMs: number): number => Math.floor(atMs / this.#spanMs);

  #row(marketId: MarketId, span: number, fills: readonly FillEvent[]): SpanPnl {
    const prices = this.#prices(marketId, span);
    const now = this.#pnl(marketId, prices);
    const before = this.#before.get(marketId);
    this.#before.set(marketId, now);
    const pnl = { print: less(now.print, before?.print), mid: less(now.mid, before?.mid) };
    const volume = fills.reduce((sum, { fill }) => sum + notional(fill.price, fill.size), 0n);
    const of = { accountId: this.#accountId, marketId, span };
    const inventory = this.#book.markets.get(marketId)?.now.inventory ?? size(0n);
    return { ...of, prices, pnl, total: now, inventory, volume: usdc(volume), fills: fills.length };
  }

  /** Prices of the last mark by then; before the first mark, any other known price. */
  #prices(marketId: MarketId, span: number): SpanPnl["prices"] {
    const marks = this.#marks.get(marketId) ?? [];
    const later = marks.findIndex((mark) => mark.span > span);
    const newest = (later === -1 ? marks.length : later) - 1;
    marks.splice(0, newest);
    const [mark] = marks;
    if (mark !== undefined && newest >= 0) return { print: mark.print, mid: mark.mid };
    const seen = this.#seen.get(marketId) ?? (0n as Price);
    return { print: seen, mid: seen };
  }

  #pnl(marketId: MarketId, { print, mid }: SpanPnl["prices"]): SpanPnl["pnl"] {
    const market = this.#book.markets.get(marketId);
    if (market === undefined) throw new RangeError(`market ${marketId} is not in the book`);
    return { print: pnlOf(market, print), mid: pnlOf(market, mid) };
  }
}

/** Nothing was traded, gained or lost. */
export const isQuiet = ({ pnl, fills }: SpanPnl): boolean =>
  fills === 0 && valuations.every((at) => pnlComponents.every((component) => pnl[at][component] === 0n));

/** Number of the day (UTC) of a time in ms. */
export const dayAt = (atMs: number): number => Math.floor(atMs / DAY_MS);

/** Sum of two PnLs, source by source. */
export const plus = (one: Pnl, other: Pnl): Pnl => combined(one, other, 1n);

export const minus = (one: Pnl, other: Pnl): Pnl => combined(one, other, -1n);

const less = (now: Pnl, before: Pnl | undefined): Pnl => (before === undefined ? now : minus(now, before));

const combined = (one: Pnl, other: Pnl, sign: bigint): Pnl =>
  Object.fromEntries(
    pnlComponents.map((component) => [component, one[component] + sign * other[component]]),
  ) as unknown as Pnl;
