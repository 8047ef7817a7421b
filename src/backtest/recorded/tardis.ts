// CSV files of tardis.dev: `incremental_book_L2` and `trades`, one symbol or several, packed by gzip or not. Messages come in the order in which
// the publisher received them (`local_timestamp`), since a bot would have heard them so.

import { PRICE_SCALE, type Price, price, SIZE_SCALE, type Side, type Size, size } from "../../domain/units.ts";
import { DecimalError, parseDecimal } from "../../kernel/decimal.ts";
import type { FeedLevel, FeedMessage } from "./feed.ts";
import { FeedError, type FeedFile, type FeedLine, feedLines, wrongLine } from "./feed-lines.ts";

const BOOK_COLUMNS = ["exchange", "symbol", "local_timestamp", "is_snapshot", "side", "price", "amount"] as const;
const TRADE_COLUMNS = ["exchange", "symbol", "local_timestamp", "id", "side", "price", "amount"] as const;
type Column = (typeof BOOK_COLUMNS | typeof TRADE_COLUMNS)[number];

/** Messages of all files in order of time. Throws FeedError at the first line that is wrong, or whose time goes back. */
export function* tardisMessages(files: readonly FeedFile[]): Generator<FeedMessage, void> {
  const readers = files.map((file) => messagesOf(file));
  const heads = readers.map((reader) => reader.next());
  for (;;) {
    let first = -1;
    for (const [nth, head] of heads.entries()) {
      if (head.done === true) continue;
      const best = heads[first]?.value;
      // A trade comes before the book that it left.
      if (best === undefined || isBefore(head.value, best as FeedMessage)) first = nth;
    }
    const head = heads[first];
    if (head === undefined || head.done === true) return;
    yield head.value;
    heads[first] = (readers[first] as Generator<FeedMessage, void>).next();
  }
}

const isBefore = (one: FeedMessage, other: FeedMessage): boolean =>
  one.atMicros < other.atMicros || (one.atMicros === other.atMicros && one.kind === "trade" && other.kind !== "trade");

function* messagesOf(file: FeedFile): Generator<FeedMessage, void> {
  const lines = feedLines(file);
  const head = lines.next();
  if (head.done === true) throw new FeedError("feed", `${file.file} is empty`);
  const names = head.value.text.trim().split(",");
  const wanted = names.includes("is_snapshot") ? BOOK_COLUMNS : TRADE_COLUMNS;
  const missing = wanted.find((name) => !names.includes(name));
  if (missing !== undefined)
    throw wrongLine(head.value, `has no column ${missing}; needed: the head of incremental_book_L2 or of trades`);
  const columns = Object.fromEntries(wanted.map((name) => [name, names.indexOf(name)])) as Readonly<
    Record<Column, number>
  >;
  const rows = rowsOf(lines, columns, names.length);
  yield* wanted === BOOK_COLUMNS ? bookMessages(rows) : tradeMessages(rows);
}

type Row = {
  readonly line: FeedLine;
  readonly symbol: string;
  readonly atMicros: number;
  readonly cell: (name: Column) => string;
};

function* rowsOf(
  lines: Iterable<FeedLine>,
  columns: Readonly<Record<Column, number>>,
  width: number,
): Generator<Row, void> {
  let [atMicros, lastTime] = [0, ""];
  for (const line of lines) {
    const cells = line.text.split(",");
    if (cells.length !== width) throw wrongLine(line, `has ${cells.length} cells; the head has ${width}`);
    const cell = (name: Column): string => cells[columns[name]] ?? "";
    const time = cell("local_timestamp");
    if (time !== lastTime) {
      const micros = microsIn(line, time);
      if (micros < atMicros)
        throw wrongLine(line, `time goes back from ${lastTime} to ${time}; needed: the order of local_timestamp`);
      [atMicros, lastTime] = [micros, time];
    }
    yield { line, symbol: cell("symbol"), atMicros, cell };
  }
}

function microsIn(line: FeedLine, text: string): number {
  const micros = Number(text);
  if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(micros)) return micros;
  throw wrongLine(line, `local_timestamp is ${text}; needed: microseconds since 1970`);
}

/** Rows of one time and symbol are one message. */
function* bookMessages(rows: Iterable<Row>): Generator<FeedMessage, void> {
  let open: (Extract<FeedMessage, { kind: "book" }> & { readonly changes: FeedLevel[] }) | null = null;
  for (const { line, symbol, atMicros, cell } of rows) {
    const [isWhole, side] = [truth(line, cell("is_snapshot")), sides[cell("side")]];
    if (side === undefined) throw wrongLine(line, `side is ${cell("side")}; allowed: bid, ask`);
    const level = { side, price: priceIn(line, cell("price")), size: sizeIn(line, cell("amount")) };
    if (open !== null && open.atMicros === atMicros && open.isWhole === isWhole && open.symbol === symbol) {
      open.changes.push(level);
      continue;
    }
    if (open !== null) yield open;
    open = { kind: "book", symbol, atMicros, where: whereOf(line), isWhole, changes: [level] };
  }
  if (open !== null) yield open;
}

function* tradeMessages(rows: Iterable<Row>): Generator<FeedMessage, void> {
  for (const { line, symbol, atMicros, cell } of rows) {
    const side = cell("side");
    if (side !== "buy" && side !== "sell" && side !== "unknown")
      throw wrongLine(line, `side is ${side}; allowed: buy, sell, unknown`);
    const traded = { price: priceIn(line, cell("price")), size: sizeIn(line, cell("amount")) };
    const takerSide = side === "unknown" ? null : side;
    yield { kind: "trade", symbol, atMicros, where: whereOf(line), takerSide, ...traded };
  }
}

const sides: Readonly<Record<string, Side>> = { bid: "buy", ask: "sell" };
const whereOf = ({ file, line }: FeedLine): string => `${file}:${line}`;

function truth(line: FeedLine, text: string): boolean {
  if (text !== "true" && text !== "false") throw wrongLine(line, `is_snapshot is ${text}; allowed: true, false`);
  return text === "true";
}

const pricesRead = new Map<string, bigint>();
const sizesRead = new Map<string, bigint>();
/** The same few thousand texts come again and again. */
const READ_MAX = 50_000;

const priceIn = (line: FeedLine, text: string): Price => price(decimalIn(line, text, PRICE_SCALE, pricesRead));
const sizeIn = (line: FeedLine, text: string): Size => size(decimalIn(line, text, SIZE_SCALE, sizesRead));

function decimalIn(line: FeedLine, text: string, scale: number, read: Map<string, bigint>): bigint {
  const known = read.get(text);
  if (known !== undefined) return known;
  const value = parsed(line, text, scale);
  if (read.size >= READ_MAX) read.clear();
  read.set(text, value);
  return value;
}

function parsed(line: FeedLine, text: string, scale: number): bigint {
  try {
    const value = parseDecimal(text, scale);
    if (value < 0n) throw wrongLine(line, `"${text}" is below 0`);
    return value;
  } catch (cause) {
    if (cause instanceof DecimalError) throw wrongLine(line, cause.message);
    throw cause;
  }
}
