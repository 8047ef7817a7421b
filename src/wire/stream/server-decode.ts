// What the exchange says over the WebSocket (S6.2), read into the domain's events. An unknown type is a value, so that a newer
// exchange does no harm; a known type with a wrong field is a WireError.

import type { Block } from "../../domain/block.ts";
import type { StreamEvent } from "../../domain/event.ts";
import { accountId, orderId, price, size } from "../../domain/units.ts";
import { type JsonLimits, parseJson } from "../../kernel/json.ts";
import { within } from "../errors.ts";
import { readExecution, readTrade } from "../execution.ts";
import { block } from "../rest/exchange.ts";
import { book } from "../rest/markets.ts";
import { type Fields, has, objectOf } from "../strict.ts";
import { count, id, marketNumber, natural, positive, text, timeSec, whole } from "../tolerant.ts";
import { readSide } from "../words.ts";
import { readBookFrame } from "./book-frame.ts";

type StreamFact = Exclude<StreamEvent, { readonly kind: "streamOpened" | "streamClosed" | "pong" }>;

export type ServerMessage =
  | StreamFact
  /** The event `pong` also needs the time the ping was sent, which only the client knows. */
  | { readonly kind: "pongMessage"; readonly height: number; readonly blockTimeMs: number; readonly receivedMs: number }
  | { readonly kind: "blockFinalized"; readonly block: Block }
  /** Not in the interface; a client answers with a ping of its own or not at all. */
  | { readonly kind: "serverPing" }
  | { readonly kind: "error"; readonly message: string }
  | { readonly kind: "ignored"; readonly type: string };

/** Holds a book of ten thousand levels per side. */
export const FRAME_LENGTH_MAX = 2_097_152;
const limits: JsonLimits = { lengthMax: FRAME_LENGTH_MAX, depthMax: 8 };

/** Reads one frame; `receivedMs` is the monotonic time it came. Throws WireError. */
export function decodeServerMessage(frame: string, receivedMs: number): ServerMessage {
  const usual = readBookFrame(frame);
  if (usual !== undefined) return { kind: "book", book: usual, receivedMs };
  return within("", () => {
    const fields = objectOf(parseJson(frame, limits), "");
    const type = text(fields, "type");
    const read = readers.get(type);
    return read === undefined ? { kind: "ignored", type } : within(type, () => read(fields, receivedMs));
  });
}

type Reader = (fields: Fields, receivedMs: number) => ServerMessage;

const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["orderbookSnapshot", (fields, receivedMs) => ({ kind: "book", book: book.read(fields), receivedMs })],
  ["fill", readFill],
  ["orderPlaced", (fields, receivedMs) => ({ kind: "orderPlaced", ...readOrderTerms(fields), receivedMs })],
  [
    "orderCanceled",
    (fields, receivedMs) => {
      const reason = text(fields, "reason");
      return { kind: "orderCanceled", ...readOrderRef(fields), reason, receivedMs };
    },
  ],
  ["orderModified", (fields, receivedMs) => ({ kind: "orderModified", ...readOrderTerms(fields), receivedMs })],
  ["orderTriggered", (fields, receivedMs) => ({ kind: "orderTriggered", ...readOrderRef(fields), receivedMs })],
  ["liquidation", readLiquidation],
  ["fundingUpdate", readFundingUpdate],
  ["oraclePriceUpdate", readOracleUpdate],
  ["blockFinalized", (fields) => ({ kind: "blockFinalized", block: block.read(fields) })],
  ["pong", readPong],
  ["ping", () => ({ kind: "serverPing" })],
  ["error", (fields) => ({ kind: "error", message: has(fields, "message") ? text(fields, "message") : "" })],
]);

/** The same type on two channels: trades leaves out realized PnL and time (S6.2), so their presence decides which it is. */
function readFill(fields: Fields, receivedMs: number): ServerMessage {
  const whole = has(fields, "timestamp") || has(fields, "taker_realized_pnl");
  if (whole) return { kind: "execution", execution: readExecution(fields), receivedMs };
  return { kind: "trade", trade: readTrade(fields), receivedMs };
}

const readOrderRef = (fields: Fields) => ({
  orderId: orderId(id(fields, "order_id")),
  accountId: accountId(id(fields, "account_id")),
  marketId: marketNumber(fields, "market_id"),
});

const readOrderTerms = (fields: Fields) => ({
  ...readOrderRef(fields),
  side: readSide(fields, "side"),
  price: price(natural(fields, "price")),
  size: size(natural(fields, "size")),
});

function readLiquidation(fields: Fields, receivedMs: number): ServerMessage {
  return {
    kind: "liquidation",
    accountId: accountId(id(fields, "account_id")),
    positionsClosed: count(fields, "positions_closed"),
    positionsRemaining: count(fields, "positions_remaining"),
    receivedMs,
  };
}

function readFundingUpdate(fields: Fields, receivedMs: number): ServerMessage {
  return {
    kind: "fundingUpdate",
    marketId: marketNumber(fields, "market_id"),
    fundingRate: whole(fields, "funding_rate"),
    lastFundingTimestampSec: timeSec(fields, "last_funding_timestamp"),
    receivedMs,
  };
}

function readOracleUpdate(fields: Fields, receivedMs: number): ServerMessage {
  return {
    kind: "oracleUpdate",
    marketId: marketNumber(fields, "market_id"),
    price: price(positive(fields, "price")),
    previousPrice: price(natural(fields, "previous_price")),
    validUntilSec: timeSec(fields, "valid_until"),
    receivedMs,
  };
}

function readPong(fields: Fields, receivedMs: number): ServerMessage {
  return {
    kind: "pongMessage",
    height: count(fields, ["blockHeight", "block_height"]),
    blockTimeMs: count(fields, ["blockTimeMs", "block_time_ms"]),
    receivedMs,
  };
}
