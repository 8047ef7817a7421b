// A day of LOBSTER (lobsterdata.com, output structure) as a session: a `message` file, and the `orderbook` file with the levels after each of
// its lines.

import type { Book, Level } from "../../domain/book.ts";
import type { VenueEvent } from "../../domain/event.ts";
import type { Market } from "../../domain/market.ts";
import { opposite, orderId, price, type Side, type Size, size } from "../../domain/units.ts";
import { DAY_MS } from "../../kernel/clock.ts";
import { FeedError, type FeedFile, feedLines, wrongLine as wrong } from "./feed-lines.ts";
import { madeUpMarket } from "./made-up-market.ts";
import type { Recorded } from "./session.ts";

/** Ten-thousandths of a dollar, and shares, in our scales. */
const PRICE_FACTOR = 10_000n;
const SIZE_FACTOR = 1_000_000n;
/** Price of a missing level. */
const NO_PRICE = 9_999_999_999n;
const MARKET = 1;
const PONG_MS = 5000;
const CENT = price(1_000_000n);
/** For a file whose name has no date. */
const SOME_DAY = "2000-01-03";
const kinds = { partialCancel: 2, delete: 3, submit: 1, visible: 4, hidden: 5, cross: 6, halt: 7 } as const;
const known: ReadonlySet<number> = new Set(Object.values(kinds));

type Message = {
  readonly atMs: number;
  readonly kind: number;
  readonly orderId: bigint;
  readonly size: Size;
  readonly price: bigint;
  /** Side of the resting order. */
  readonly side: Side;
};

/** Times are of the day in the name of the message file, as UTC. Throws FeedError at the first line that is wrong. */
export function* lobsterSession(messages: FeedFile, books: FeedFile): Generator<Recorded> {
  const { name, dayMs } = namedBy(messages.file);
  const bookLines = linesOf(books);
  let [startMs, pongMs, height]: [number | null, number, number] = [null, 0, 0];
  let [lastMs, lastTime] = [0, ""];
  let taker = { name: "", id: 0n };
  let state: { readonly market: Market; readonly book: Book } | null = null;
  for (const line of linesOf(messages)) {
    const message = messageOf(line);
    const bookLine = bookLines.next();
    if (bookLine.done === true)
      throw wrong(line, `has no line in ${books.file}, which must have as many lines as this file`);
    const book = bookOf(bookLine.value);
    if (message.atMs < lastMs)
      throw wrong(line, `time goes back from ${lastTime} to ${line.cells[0]}; needed: one day, in the order of time`);
    [lastMs, lastTime] = [message.atMs, line.cells[0] ?? ""];
    startMs ??= message.atMs;
    const instant = { monotonicMs: message.atMs - startMs, wallMs: Math.floor(dayMs + message.atMs) };
    const receivedMs = instant.monotonicMs;
    const at = (event: VenueEvent): Recorded => ({ instant, event });
    if (state === null) {
      const first = madeUpMarket({ name, book, tickSize: CENT, wallMs: instant.wallMs, receivedMs });
      yield* first.events.map(at);
      yield at({ kind: "streamOpened", epoch: 1, receivedMs });
      state = { market: first.market, book };
    }
    // Pongs give a bot the exchange's time.
    while (pongMs <= receivedMs) {
      const wallMs = Math.floor(dayMs + startMs + pongMs);
      height += 1;
      const pong = { kind: "pong", height, blockTimeMs: wallMs, sentMs: pongMs, receivedMs: pongMs } as const;
      yield { instant: { monotonicMs: pongMs, wallMs }, event: pong };
      pongMs += PONG_MS;
    }
    if (message.kind === kinds.visible || message.kind === kinds.hidden) {
      const takerSide = opposite(message.side);
      // One order that takes several has several lines at one time.
      const of = `${line.cells[0]} ${takerSide}`;
      if (of !== taker.name) taker = { name: of, id: taker.id + 1n };
      const makerOrderId = orderId(message.orderId);
      const [trader, txHash] = [orderId(taker.id), `line ${line.line}`];
      const traded = { marketId: MARKET, price: price(message.price * PRICE_FACTOR), size: message.size, takerSide };
      const trade = { ...traded, takerOrderId: trader, makerOrderId, txHash, timestampMs: instant.wallMs };
      yield at({ kind: "trade", trade, receivedMs });
    } else if (message.kind === kinds.halt) {
      const market: Market = { ...state.market, status: message.price === 1n ? "Active" : "Paused" };
      yield at({ kind: "marketRead", market, askedMs: receivedMs, receivedMs });
    }
    yield at({ kind: "book", book, receivedMs });
  }
  if (state === null) throw new FeedError("feed", `${messages.file} is empty`);
  const extra = bookLines.next();
  if (extra.done !== true) throw wrong(extra.value, `has no line in ${messages.file}`);
}

/** `TICKER_2012-06-21_34200000_57600000_message_10.csv`, as LOBSTER names it. */
function namedBy(file: string): { readonly name: string; readonly dayMs: number } {
  const [, name = "LOBSTER", day = SOME_DAY] = /([A-Z.]+)_(\d{4}-\d{2}-\d{2})_[^/\\]*$/.exec(file) ?? [];
  return { name, dayMs: Math.floor(Date.parse(day) / DAY_MS) * DAY_MS };
}

type Line = { readonly file: string; readonly line: number; readonly cells: readonly string[] };

function* linesOf(file: FeedFile): Generator<Line, void> {
  for (const { text, ...at } of feedLines(file)) yield { ...at, cells: text.trim().split(",") };
}

function messageOf(line: Line): Message {
  const { cells } = line;
  if (cells.length < 6)
    throw wrong(line, `has ${cells.length} cells; needed: time, type, order, size, price, direction`);
  const seconds = Number(cells[0]);
  if (!/^\d{1,5}(\.\d{1,12})?$/.test(cells[0] ?? ""))
    throw wrong(line, `time is ${cells[0]}; needed: seconds after midnight`);
  const kind = whole(line, 1, "type");
  if (!known.has(Number(kind))) throw wrong(line, `type is ${kind}; allowed: 1 to 7`);
  const direction = whole(line, 5, "direction");
  if (direction !== 1n && direction !== -1n && kind !== 7n)
    throw wrong(line, `direction is ${direction}; allowed: 1, -1`);
  return {
    atMs: seconds * 1000,
    kind: Number(kind),
    orderId: whole(line, 2, "order"),
    size: size(whole(line, 3, "size") * SIZE_FACTOR),
    price: whole(line, 4, "price"),
    side: direction === 1n ? "buy" : "sell",
  };
}

function whole(line: Line, cell: number, what: string): bigint {
  const text = line.cells[cell] ?? "";
  if (!/^-?\d{1,18}$/.test(text)) throw wrong(line, `${what} is ${text}; needed: a whole number`);
  return BigInt(text);
}

/** Ask price, ask size, bid price, bid size, level by level. */
function bookOf(line: Line): Book {
  const { cells } = line;
  if (cells.length < 4 || cells.length % 4 !== 0)
    throw wrong(line, `has ${cells.length} cells; needed: ask price, ask size, bid price, bid size for each level`);
  const levelsAt = (offset: number): readonly Level[] =>
    Array.from({ length: cells.length / 4 }, (_, nth) => nth * 4 + offset).flatMap((cell) => {
      const at = whole(line, cell, "price");
      const contracts = whole(line, cell + 1, "size");
      const isLevel = at > 0n && at < NO_PRICE && contracts > 0n;
      return isLevel ? [{ price: price(at * PRICE_FACTOR), size: size(contracts * SIZE_FACTOR), orderCount: 1 }] : [];
    });
  return { marketId: MARKET, asks: levelsAt(0), bids: levelsAt(2) };
}
