// The order book (S2.3), over HTTP in camelCase and over the WebSocket with a snake_case market id.

import type { Book, Level } from "../../domain/book.ts";
import { price, size } from "../../domain/units.ts";
import type { Json } from "../../kernel/json.ts";
import { type Fields, objectOf } from "../strict.ts";
import { count, list, marketNumber, natural, positive } from "../tolerant.ts";

export function encodeBook(book: Book): Json {
  return { marketId: book.marketId, bids: book.bids.map(encodeLevel), asks: book.asks.map(encodeLevel) };
}

const encodeLevel = (level: Level): Json => ({
  price: String(level.price),
  size: String(level.size),
  orderCount: level.orderCount,
});

/** Throws WireError. */
export const decodeBook = (json: unknown): Book => readBook(objectOf(json, ""));

/** The interface does not say in which order levels come: best first here, whatever came. Empty levels are left out. */
export function readBook(fields: Fields): Book {
  const bids = list(fields, "bids", readLevel).filter(isFilled);
  const asks = list(fields, "asks", readLevel).filter(isFilled);
  return {
    marketId: marketNumber(fields, ["marketId", "market_id"]),
    bids: bids.sort((a, b) => compare(b.price, a.price)),
    asks: asks.sort((a, b) => compare(a.price, b.price)),
  };
}

function readLevel(item: unknown): Level {
  const fields = objectOf(item, "");
  return {
    price: price(positive(fields, "price")),
    size: size(natural(fields, "size")),
    orderCount: count(fields, ["orderCount", "order_count"]),
  };
}

const isFilled = (level: Level): boolean => level.size > 0n;
const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
