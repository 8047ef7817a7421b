// Reads server messages of the WebSocket (S6.2) into the domain's events. An unknown type is a value, so that a newer exchange does no
// harm; a known type with a wrong field is a WireError.

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
  /** The event `pong` also needs the time at which the ping was sent, which only the client knows. */
  | { readonly kind: "pongMessage"; readonly height: number; readonly blockTimeMs: number; readonly receivedMs: number }
  | { readonly kind: "blockFinalized"; readonly block: Block }
  /** Not in the interface; a client may answer with a ping of its own. */
  | { readonly kind: "serverPing" }
  | { readonly kind: "error"; readonly message: string }
  | { readonly kind: "ignored"; readonly type: string };

/** Enough for a book of ten thousand levels per side. */
export const FRAME_LENGTH_MAX = 2_097_152;
const limits: JsonLimits = { lengthMax: FRAME_LENGTH_MAX, depthMax: 8 };
const batchLimits: JsonLimits = { lengthMax: FRAME_LENGTH_MAX, depthMax: 9 };

const typed = object({ type: text });

/** Reads one frame; `receivedMs`: monotonic time of its arrival. Throws WireError. */
export function decodeServerMessage(frame: string, receivedMs: number): ServerMessage {
  const usual = readBookFrame(frame);
  if (usual !== undefined) return { kind: "book", book: usual, receivedMs };
  return decodeParsed(
    within("", () => parseJson(frame, limits)),
    receivedMs,
  );
}

/** Whether the frame is a list of messages, which `readBatch` splits. */
export const isBatch = (frame: string): boolean => !frame.startsWith("{") && /^\s*\[/.test(frame);

/** The messages of a batch frame, each for `decodeParsed`. Throws WireError. */
export const readBatch = (frame: string): readonly unknown[] =>
  within("", () => arrayOf(parseJson(frame, batchLimits)));

/** Reads a message that is already parsed. Throws WireError. */
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

/** Two channels use the same type: only the fills channel has realized PnL and time (S6.2), so their presence decides. */
function readFill(fields: Fields, receivedMs: number): ServerMessage {
  const isWhole = WHOLE.some((name) => Object.hasOwn(fields, name));
  if (isWhole) return { kind: "execution", execution: messages.fill.read(fields), receivedMs };
  return { kind: "trade", trade: { ...messages.trade.read(fields), timestampMs: null }, receivedMs };
}
