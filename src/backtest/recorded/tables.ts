// A recording as typed tables for DuckDB, pandas, Polars and pyarrow. Each table is one pass over the recording, so memory stays flat.

import { type MarkoutHorizon, markoutHorizons } from "../../bot/analytics/markouts.ts";
import type { Cell, ParquetColumn } from "../../bot/ledger/parquet.ts";
import { exactText } from "../../bot/recording/exact-text.ts";
import { recordedIn } from "../../bot/recording/reader.ts";
import type { Fill } from "../../domain/fill.ts";
import type { Quotes } from "../../domain/quotes.ts";
import {
  AMOUNT_SCALE,
  BPS,
  type MarketId,
  PRICE_SCALE,
  type Price,
  SIZE_SCALE,
  type Side,
  signOf,
} from "../../domain/units.ts";
import { Mids } from "./mids.ts";
import { type Happened, type OwnOrder, type Recording, replaySession, type Session } from "./session.ts";

type Row = Readonly<Record<string, Cell>>;
export type RecordedTable = {
  readonly name: string;
  readonly columns: readonly ParquetColumn[];
  readonly rows: Iterable<Row>;
};

type Source = {
  readonly path: string;
  readonly recording: Recording;
  readonly session: Session;
  /** Undefined: all markets. */
  readonly market: MarketId | undefined;
};

const price = { scale: PRICE_SCALE };
const contracts = { scale: SIZE_SCALE };
const usdc = { scale: AMOUNT_SCALE };
const BPS_SCALE = 4;

/** The tables in the order in which they are written. Reading their rows throws RecordingError. */
export const recordedTables = (source: Source): readonly RecordedTable[] => [
  books(source),
  trades(source),
  orders(source),
  decisions(source),
  markouts(source),
];

const isWanted = ({ market }: Source, marketId: MarketId): boolean => market === undefined || market === marketId;
const timeOf = (wallMs: number): bigint => BigInt(Math.floor(wallMs));

/** Every book as the exchange showed it, including the bot's own orders: a row per level. */
const books = (source: Source): RecordedTable => ({
  name: "books",
  columns: [
    /** Counts books, from 1: rows of one time are ordered by it. */
    { name: "sequence", type: "whole" },
    { name: "at", type: "time" },
    { name: "market", type: "whole" },
    { name: "side", type: "text" },
    /** 0 at the best price. */
    { name: "level", type: "whole" },
    { name: "price", type: price },
    { name: "size", type: contracts },
    { name: "orders", type: "whole" },
  ],
  rows: bookRows(source),
});

function* bookRows(source: Source): Generator<Row, void> {
  let sequence = 0n;
  for (const { instant, event } of source.recording()) {
    if (event.kind !== "book" || !isWanted(source, event.book.marketId)) continue;
    sequence += 1n;
    const of = { sequence, at: timeOf(instant.wallMs), market: BigInt(event.book.marketId) };
    for (const [side, levels] of [
      ["bid", event.book.bids],
      ["ask", event.book.asks],
    ] as const)
      for (const [nth, level] of levels.entries())
        yield {
          ...of,
          side,
          level: BigInt(nth),
          price: level.price,
          size: level.size,
          orders: BigInt(level.orderCount),
        };
  }
}

/** Public trades, each once. */
const trades = (source: Source): RecordedTable => ({
  name: "trades",
  columns: [
    { name: "at", type: "time" },
    { name: "market", type: "whole" },
    /** What the taker did. */
    { name: "side", type: "text" },
    { name: "price", type: price },
    { name: "size", type: contracts },
    { name: "taker_order_id", type: "unsigned" },
    { name: "maker_order_id", type: "unsigned" },
    /** The bot's part: taker, maker, or nothing. */
    { name: "own", type: "text" },
    { name: "tx_hash", type: "text" },
  ],
  rows: tradeRows(source),
});

function* tradeRows(source: Source): Generator<Row, void> {
  for (const each of replaySession(source.recording, source.session)) {
    if (each.kind !== "trade" || !isWanted(source, each.trade.marketId)) continue;
    const { marketId, takerSide, takerOrderId, makerOrderId, txHash, price: at, size } = each.trade;
    yield {
      at: timeOf(each.wallMs),
      market: BigInt(marketId),
      side: takerSide,
      price: at,
      size,
      taker_order_id: takerOrderId,
      maker_order_id: makerOrderId,
      own: each.own,
      tx_hash: txHash,
    };
  }
}

/** The events of each of the bot's orders. */
const orders = (source: Source): RecordedTable => ({
  name: "orders",
  columns: [
    { name: "at", type: "time" },
    { name: "account", type: "unsigned" },
    { name: "market", type: "whole" },
    { name: "order_id", type: "unsigned" },
    /** placed, modified, filled (whole) or canceled. */
    { name: "event", type: "text" },
    { name: "side", type: "text" },
    { name: "price", type: price },
    /** The total size, including the filled part. */
    { name: "size", type: contracts },
    { name: "filled", type: contracts },
  ],
  rows: orderRows(source),
});

function* orderRows(source: Source): Generator<Row, void> {
  for (const each of replaySession(source.recording, source.session)) {
    const event = eventOf(each);
    if (event === null || !("order" in each) || !isWanted(source, each.order.marketId)) continue;
    const { accountId, marketId, orderId, side, price: at, size, filled } = each.order;
    const ids = { account: accountId, market: BigInt(marketId), order_id: orderId };
    yield { at: timeOf(each.wallMs), ...ids, event, side, price: at, size, filled };
  }
}

function eventOf(each: Happened): string | null {
  if (each.kind === "placed" || each.kind === "modified") return each.kind;
  return each.kind === "gone" ? endOf(each.order) : null;
}

const endOf = ({ filled, size }: OwnOrder): string => (filled >= size ? "filled" : "canceled");

/** Every turn of the bot. */
const decisions = (source: Source): RecordedTable => ({
  name: "decisions",
  columns: [
    { name: "at", type: "time" },
    { name: "account", type: "unsigned" },
    { name: "market", type: "whole" },
    { name: "permitted", type: "text" },
    /** Why the strategy failed, or wanted fewer quotes than its parameters ask for. */
    { name: "fault", type: "text" },
    { name: "reason", type: "text" },
    { name: "fair_value", type: price },
    /** The best wanted quotes. */
    { name: "bid", type: price },
    { name: "bid_size", type: contracts },
    { name: "ask", type: price },
    { name: "ask_size", type: contracts },
    { name: "quotes", type: "whole" },
    /** Commands that the guard let pass or denied, and closed gates, as JSON. */
    { name: "approved", type: "text" },
    { name: "denied", type: "text" },
    { name: "closed", type: "text" },
  ],
  rows: decisionRows(source),
});

function* decisionRows(source: Source): Generator<Row, void> {
  for (const recorded of recordedIn(source.path)) {
    if (recorded.kind !== "entry" || recorded.entry.decided === undefined) continue;
    const { instant, decided } = recorded.entry;
    const { accountId, marketId, turn } = decided;
    if (!isWanted(source, marketId)) continue;
    const of = { at: timeOf(instant.wallMs), account: accountId, market: BigInt(marketId) };
    if (turn === null) {
      yield { ...of, fault: "the turn threw" };
      continue;
    }
    const { quotes, fault, permitted, approved, denied, closed } = turn;
    const { fairValueUsd: fair } = quotes;
    const [bid, ask] = [bestOf(quotes, "buy"), bestOf(quotes, "sell")];
    yield {
      ...of,
      permitted,
      fault,
      reason: quotes.reason,
      fair_value: fair === null || !Number.isFinite(fair) ? null : BigInt(Math.round(fair * 10 ** PRICE_SCALE)),
      bid: bid?.price ?? null,
      bid_size: bid?.size ?? null,
      ask: ask?.price ?? null,
      ask_size: ask?.size ?? null,
      quotes: BigInt(quotes.quotes.length),
      approved: exactText(approved),
      denied: exactText(denied),
      closed: exactText(closed),
    };
  }
}

const bestOf = ({ quotes }: Quotes, side: Side) => quotes.find((quote) => quote.side === side && quote.level === 0);

/** The bot's fills, with the mid of the others' book before each and after each horizon; empty where the recording ends before. */
const markouts = (source: Source): RecordedTable => ({
  name: "markouts",
  columns: [
    { name: "at", type: "time" },
    { name: "account", type: "unsigned" },
    { name: "market", type: "whole" },
    { name: "order_id", type: "unsigned" },
    { name: "side", type: "text" },
    { name: "liquidity", type: "text" },
    { name: "price", type: price },
    { name: "size", type: contracts },
    /** A cost: negative for a rebate. */
    { name: "fee", type: usdc },
    { name: "realized_pnl", type: usdc },
    { name: "mid", type: price },
    ...markoutHorizons.flatMap((horizon) => [
      { name: `mid_${horizon}`, type: price },
      /** In favor of the fill, basis points of its price. */
      { name: `markout_${horizon}_bps`, type: { scale: BPS_SCALE } },
    ]),
  ],
  rows: markoutRows(source),
});

const horizonMs = (horizon: MarkoutHorizon): number => 1000 * Number.parseInt(horizon, 10);
const LONGEST_MS = Math.max(...markoutHorizons.map(horizonMs));

type Waiting = { readonly row: Record<string, Cell>; readonly fill: Fill; readonly atMs: number; seen: number };

function* markoutRows(source: Source): Generator<Row, void> {
  const market = new Mids(source.session);
  const waiting: Waiting[] = [];
  for (const each of replaySession(source.recording, source.session)) {
    for (const one of waiting) lookAhead(one, each.wallMs, market.mid(one.fill.marketId));
    while (waiting[0] !== undefined && each.wallMs - waiting[0].atMs >= LONGEST_MS)
      yield (waiting.shift() as Waiting).row;
    if (each.kind === "fill" && isWanted(source, each.fill.marketId))
      waiting.push({ ...fillRow(each.fill, each.wallMs, market), seen: 0 });
    market.take(each);
  }
  for (const { row } of waiting) yield row;
}

/** The mid that held at the end of each horizon that has passed by `wallMs`. */
function lookAhead(one: Waiting, wallMs: number, mid: Price): void {
  for (let horizon = markoutHorizons[one.seen]; horizon !== undefined; horizon = markoutHorizons[one.seen]) {
    if (wallMs - one.atMs < horizonMs(horizon)) return;
    one.row[`mid_${horizon}`] = mid;
    const moved = (mid - one.fill.price) * signOf(one.fill.side) * BPS * 10n ** BigInt(BPS_SCALE);
    one.row[`markout_${horizon}_bps`] = moved / one.fill.price;
    one.seen += 1;
  }
}

function fillRow(fill: Fill, wallMs: number, market: Mids): Omit<Waiting, "seen"> {
  const { accountId, marketId, orderId, side, liquidity, price: at, size, fee, realizedPnl } = fill;
  const row = {
    at: timeOf(wallMs),
    account: accountId,
    market: BigInt(marketId),
    order_id: orderId,
    side,
    liquidity,
    price: at,
    size,
    fee,
    realized_pnl: realizedPnl,
    mid: market.mid(marketId),
  };
  return { row, fill, atMs: wallMs };
}
