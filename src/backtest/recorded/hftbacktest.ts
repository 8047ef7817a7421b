// Rows of hftbacktest's event type (its `event_dtype`, version 2), written from a session and read as a feed. Times are nanoseconds since 1970,
// prices USD and sizes contracts as doubles.

import type { Book, Level } from "../../domain/book.ts";
import {
  type MarketId,
  PRICE_SCALE,
  type Price,
  price,
  SIZE_SCALE,
  type Side,
  type Size,
  sides,
  size,
} from "../../domain/units.ts";
import type { FeedClear, FeedLevel, FeedMessage } from "./feed.ts";
import { FeedError, type FeedFile } from "./feed-lines.ts";
import { NpzError, npzRows } from "./npz.ts";
import type { Happened } from "./session.ts";

export const eventDescr =
  "[('ev', '<u8'), ('exch_ts', '<i8'), ('local_ts', '<i8'), ('px', '<f8'), ('qty', '<f8'), ('order_id', '<u8'), ('ival', '<i8'), ('fval', '<f8')]";
export const EVENT_BYTES = 64;

/** The low byte of `ev`. `clear`: removes the levels of one side up to a price, or of both sides; `snapshot`: a level of a whole book. */
export const eventKinds = { depth: 1, trade: 2, clear: 3, snapshot: 4 } as const;
/** High bits of `ev`. A reader's exchange sees a row with EXCHANGE, its strategy one with LOCAL. A trade's side is its taker's. */
export const eventFlags = { exchange: 2 ** 31, local: 2 ** 30, buy: 2 ** 29, sell: 2 ** 28 } as const;

const SEEN_BY_BOTH = eventFlags.exchange + eventFlags.local;
const PIECE_ROWS = 16_384;
const NS_PER_MS = 1_000_000n;
const NS_PER_MICRO = 1000n;

/** Rows as bytes, in order of time: each has a unique nanosecond, since readers sort rows of equal time arbitrarily. */
export class EventRows {
  readonly pieces: Buffer[] = [];
  count = 0;
  #lastNs = 0n;

  add(
    kind: number,
    side: Side,
    { atNs, price, size }: { readonly atNs: bigint; readonly price: Price; readonly size: Size },
  ): void {
    const row = this.count % PIECE_ROWS;
    if (row === 0) this.pieces.push(Buffer.alloc(PIECE_ROWS * EVENT_BYTES));
    this.count += 1;
    this.#lastNs = atNs > this.#lastNs ? atNs : this.#lastNs + 1n;
    const [piece, at] = [this.pieces.at(-1) as Buffer, row * EVENT_BYTES];
    piece.writeUInt32LE(SEEN_BY_BOTH + eventFlags[side] + kind, at);
    piece.writeBigInt64LE(this.#lastNs, at + 8);
    piece.writeBigInt64LE(this.#lastNs, at + 16);
    piece.writeDoubleLE(Number(price) / 10 ** PRICE_SCALE, at + 24);
    piece.writeDoubleLE(Number(size) / 10 ** SIZE_SCALE, at + 32);
  }

  /** Without the unused end of the last piece. */
  *filled(): Generator<Buffer, void> {
    for (const [nth, piece] of this.pieces.entries())
      yield piece.subarray(0, Math.min(PIECE_ROWS, this.count - nth * PIECE_ROWS) * EVENT_BYTES);
  }
}

/**
 * Returns the market's changed levels, without the recorded bot's own orders, and its trades. The exchange's time is the time of arrival,
 * since the stream of books does not carry it. Throws what `happened` throws.
 */
export function eventsOf(happened: Iterable<Happened>, marketId: MarketId): EventRows {
  const rows = new EventRows();
  const shown = { buy: new Map<Price, Size>(), sell: new Map<Price, Size>() };
  let start: { readonly ns: bigint; readonly ms: number } | null = null;
  for (const each of happened) {
    start ??= { ns: BigInt(Math.floor(each.wallMs)) * NS_PER_MS, ms: each.monotonicMs };
    const atNs = start.ns + BigInt(Math.round((each.monotonicMs - start.ms) * 1000)) * NS_PER_MICRO;
    if (each.kind === "trade" && each.trade.marketId === marketId)
      rows.add(eventKinds.trade, each.trade.takerSide, { atNs, ...each.trade });
    if (each.kind !== "published" || each.published.kind !== "book") continue;
    const { book } = each.published;
    if (book.marketId !== marketId) continue;
    const changes = sides.map((side) => [side, changesOf(shown[side], levelsOf(book, side))] as const);
    // Levels are removed before others are added, so that no reader sees a crossed book.
    for (const isGone of [true, false])
      for (const [side, levels] of changes)
        for (const level of levels)
          if ((level.size === 0n) === isGone) rows.add(eventKinds.depth, side, { atNs, ...level });
  }
  return rows;
}

const levelsOf = (book: Book, side: Side): readonly Level[] => (side === "buy" ? book.bids : book.asks);

/** Changes `shown` to `levels`; a level that is gone has size 0. */
function changesOf(
  shown: Map<Price, Size>,
  levels: readonly Level[],
): readonly { readonly price: Price; readonly size: Size }[] {
  const now = new Map(levels.map((level) => [level.price, level.size]));
  const gone = [...shown.keys()].filter((price) => !now.has(price)).map((price) => ({ price, size: size(0n) }));
  const changed = [...now]
    .filter(([price, there]) => shown.get(price) !== there)
    .map(([price, there]) => ({ price, size: there }));
  for (const { price } of gone) shown.delete(price);
  for (const { price, size: there } of changed) shown.set(price, there);
  return [...gone, ...changed];
}

type OpenMessage = Extract<FeedMessage, { kind: "book" }> & {
  isRestart: boolean;
  readonly changes: (FeedLevel | FeedClear)[];
};

/**
 * The messages of .npz files of one market, each going on where the one before ended. Rows of one microsecond are one message; rows that only
 * a reader's exchange sees are left out. A reader begins with an empty book, so the first message is a whole one. Throws FeedError at the
 * first row that is wrong, or whose time goes back.
 */
export function* hftbacktestMessages(files: readonly FeedFile[]): Generator<FeedMessage, void> {
  const symbol = (files[0]?.file ?? "").replace(/^.*[/\\]/, "").replace(/\.npz$/, "");
  let open: OpenMessage | null = null;
  let isFirst = true;
  for (const { kind, side, price: at, size: contracts, atMicros, where } of rowsOf(files)) {
    if (kind === eventKinds.trade) {
      if (open !== null) yield open;
      open = null;
      yield { kind: "trade", symbol, atMicros, where, price: at, size: contracts, takerSide: side };
      continue;
    }
    if (open !== null && open.atMicros !== atMicros) {
      yield open;
      open = null;
    }
    if (open === null) {
      open = { kind: "book", symbol, atMicros, where, isWhole: isFirst, isRestart: false, changes: [] };
      isFirst = false;
    }
    open.isRestart ||= kind === eventKinds.snapshot;
    if (kind === eventKinds.clear) open.changes.push({ clears: side === null ? null : { side, price: at } });
    else if (side === null) throw new FeedError("feed", `${where}: a level without a side`);
    else open.changes.push({ side, price: at, size: contracts });
  }
  if (open !== null) yield open;
}

type EventRow = {
  readonly kind: number;
  readonly side: Side | null;
  readonly price: Price;
  readonly size: Size;
  readonly atMicros: number;
  readonly where: string;
};

/** The rows that a reader's strategy sees. */
function* rowsOf(files: readonly FeedFile[]): Generator<EventRow, void> {
  let lastNs = 0n;
  for (const { file, chunks } of files) {
    let number = 0;
    for (const rows of arrayOf({ file, chunks })) {
      for (let at = 0; at < rows.length; at += EVENT_BYTES) {
        number += 1;
        if ((rows.readUInt32LE(at) & eventFlags.local) === 0) continue;
        const where = `${file}: row ${number}`;
        const atNs = rows.readBigInt64LE(at + 16);
        if (atNs < lastNs) throw new FeedError("feed", `${where}: time goes back from ${lastNs} to ${atNs} ns`);
        lastNs = atNs;
        yield rowAt(rows, at, where);
      }
    }
  }
}

function rowAt(rows: Buffer, at: number, where: string): EventRow {
  const flags = rows.readUInt32LE(at);
  const [kind, side] = [flags & KIND_MASK, sideOf(flags)];
  if (kind < eventKinds.depth || kind > eventKinds.snapshot)
    throw new FeedError("feed", `${where}: kind ${kind}; allowed: levels, trades, clears and snapshots (1 to 4)`);
  // A clear has no size, and one of both sides has no price.
  const isClear = kind === eventKinds.clear;
  const px = isClear && side === null ? 0 : rows.readDoubleLE(at + 24);
  return {
    kind,
    side,
    price: price(wholeOf(px, PRICE_SCALE, where)),
    size: size(isClear ? 0n : wholeOf(rows.readDoubleLE(at + 32), SIZE_SCALE, where)),
    atMicros: Number(rows.readBigInt64LE(at + 16) / NS_PER_MICRO),
    where,
  };
}

function* arrayOf({ file, chunks }: FeedFile): Generator<Buffer, void> {
  try {
    yield* npzRows(chunks, { descr: eventDescr, rowBytes: EVENT_BYTES });
  } catch (cause) {
    if (cause instanceof NpzError) throw new FeedError("feed", `${file} ${cause.message}`, { cause });
    throw cause;
  }
}

const KIND_MASK = 255;

function sideOf(flags: number): Side | null {
  const [isBuy, isSell] = [(flags & eventFlags.buy) !== 0, (flags & eventFlags.sell) !== 0];
  return isBuy === isSell ? null : isBuy ? "buy" : "sell";
}

const wholes = new Map<number, bigint>();
const WHOLES_MAX = 50_000;
/** A double that came of a sum is this close to its decimal. */
const NOISE = 1e-9;

/** The decimal that the double was written from. */
function wholeOf(value: number, scale: number, where: string): bigint {
  const key = scale === PRICE_SCALE ? value : -value;
  const known = wholes.get(key);
  if (known !== undefined) return known;
  const scaled = value * 10 ** scale;
  const whole = Math.round(scaled);
  if (
    !(value >= 0) ||
    !Number.isSafeInteger(whole) ||
    Math.abs(scaled - whole) > Math.max(NOISE * whole, NOISE * 10 ** scale)
  )
    throw new FeedError("feed", `${where}: ${value} does not fit ${scale} decimals`);
  if (wholes.size >= WHOLES_MAX) wholes.clear();
  wholes.set(key, BigInt(whole));
  return BigInt(whole);
}
