// What the exchange says over the WebSocket (S6.2), read into the domain's events. An unknown type is a value, so that a newer
// exchange does no harm; a known type with a wrong field is a WireError.

import type { Block } from "../../domain/block.ts";
import type { StreamEvent } from "../../domain/event.ts";
import { type JsonLimits, parseJson } from "../../kernel/json.ts";
import { arrayOf, type Fields, object } from "../description.ts";
import { within } from "../errors.ts";
import { text } from "../values.ts";
import { readBookFrame } from "./book-frame.ts";
import * as messages from "./messages.ts";

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
const batchLimits: JsonLimits = { lengthMax: FRAME_LENGTH_MAX, depthMax: 9 };

const typed = object({ type: text });

/** Reads one frame; `receivedMs` is the monotonic time it came. Throws WireError. */
export function decodeServerMessage(frame: string, receivedMs: number): ServerMessage {
  const usual = readBookFrame(frame);
  if (usual !== undefined) return { kind: "book", book: usual, receivedMs };
  return decodeParsed(
    within("", () => parseJson(frame, limits)),
    receivedMs,
  );
}

/** Whether the frame is a list of messages: `readBatch` takes it apart. */
export const isBatch = (frame: string): boolean => !frame.startsWith("{") && /^\s*\[/.test(frame);

/** The messages of a frame that has several, each for `decodeParsed`. Throws WireError. */
export const readBatch = (frame: string): readonly unknown[] =>
  within("", () => arrayOf(parseJson(frame, batchLimits)));

/** The same of a message that is parsed already. Throws WireError. */
export function decodeParsed(message: unknown, receivedMs: number): ServerMessage {
  const { type } = typed.read(message);
  const read = readers.get(type);
  return read === undefined ? { kind: "ignored", type } : within(type, () => read(message as Fields, receivedMs));
}

type Reader = (fields: Fields, receivedMs: number) => ServerMessage;

const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["orderbookSnapshot", (of, receivedMs) => ({ kind: "book", book: messages.orderbook.read(of), receivedMs })],
  ["fill", readFill],
  ["orderPlaced", (of, receivedMs) => ({ kind: "orderPlaced", ...messages.orderPlaced.read(of), receivedMs })],
  ["orderCanceled", (of, receivedMs) => ({ kind: "orderCanceled", ...messages.orderCanceled.read(of), receivedMs })],
  ["orderModified", (of, receivedMs) => ({ kind: "orderModified", ...messages.orderModified.read(of), receivedMs })],
  ["orderTriggered", (of, receivedMs) => ({ kind: "orderTriggered", ...messages.orderTriggered.read(of), receivedMs })],
  ["liquidation", (of, receivedMs) => ({ kind: "liquidation", ...messages.liquidation.read(of), receivedMs })],
  ["fundingUpdate", (of, receivedMs) => ({ kind: "fundingUpdate", ...messages.funding.read(of), receivedMs })],
  ["oraclePriceUpdate", (of, receivedMs) => ({ kind: "oracleUpdate", ...messages.oracle.read(of), receivedMs })],
  ["blockFinalized", (of) => ({ kind: "blockFinalized", block: messages.blockFinalized.read(of) })],
  ["pong", (of, receivedMs) => ({ kind: "pongMessage", ...messages.pong.read(of), receivedMs })],
  ["ping", () => ({ kind: "serverPing" })],
  ["error", (of) => ({ kind: "error", ...messages.error.read(of) })],
]);

const WHOLE = ["taker_realized_pnl", "timestamp", "takerRealizedPnl"];

/** The same type on two channels: trades leaves out realized PnL and time (S6.2), so their presence decides which it is. */
function readFill(fields: Fields, receivedMs: number): ServerMessage {
  const isWhole = WHOLE.some((name) => Object.hasOwn(fields, name));
  if (isWhole) return { kind: "execution", execution: messages.fill.read(fields), receivedMs };
  return { kind: "trade", trade: { ...messages.trade.read(fields), timestampMs: null }, receivedMs };
}
