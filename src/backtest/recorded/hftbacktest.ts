// Rows of hftbacktest's event type (its `event_dtype`, version 2), made from a recorded session. Times are nanoseconds since 1970, prices
// USD and sizes contracts as doubles.

import type { Book, Level } from "../../domain/book.ts";
import {
  type MarketId,
  PRICE_SCALE,
  type Price,
  SIZE_SCALE,
  type Side,
  type Size,
  sides,
  size,
} from "../../domain/units.ts";
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
