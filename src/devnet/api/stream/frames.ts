// Converts state changes of the chain into stream frames by topic (S6.2). Each frame is made once for all listeners, its text only when it
// is first read.

import type { Book } from "../../../domain/book.ts";
import type { Execution } from "../../../domain/fill.ts";
import type { Order } from "../../../domain/order.ts";
import type { Of } from "../../../wire/description.ts";
import { bookFrameText } from "../../../wire/stream/book-frame.ts";
import type { ChannelRef } from "../../../wire/stream/client.ts";
import * as messages from "../../../wire/stream/messages.ts";
import type { Block } from "../../chain/block.ts";
import type { ChainEvent } from "../../event.ts";
import { explorerBlock } from "./explorer-block.ts";

export type Channel = ChannelRef["channel"];

/** Writer of each message. Its argument is the message's value and has everything that the text says. */
const texts = {
  orderbook: (book: Book) => bookFrameText(book),
  trade: (execution: Execution) => messages.trade.text(execution),
  /** Includes the time of emission. */
  fill: (execution: Execution) => messages.fill.text(execution),
  orderPlaced: (order: Order) => messages.orderPlaced.text(order),
  orderModified: (order: Order) => messages.orderModified.text(order),
  orderCanceled: (event: EventOf<"OrderCanceled">) => messages.orderCanceled.text(event),
  orderTriggered: (event: EventOf<"OrderTriggered">) => messages.orderTriggered.text(event),
  liquidation: (event: EventOf<"Liquidation">) => messages.liquidation.text(event),
  funding: (update: Of<typeof messages.funding>) => messages.funding.text(update),
  oracle: (event: EventOf<"OracleUpdated">) => messages.oracle.text(event),
  /** The text has only the first transaction of the block. */
  blockFinalized: (block: Block) => messages.blockFinalized.text(explorerBlock(block)),
  pong: (pong: Of<typeof messages.pong>) => messages.pong.text(pong),
  error: (error: { readonly code: string; readonly message: string }) => messages.error.text(error),
} as const;

type EventOf<Type extends ChainEvent["type"]> = Extract<ChainEvent, { readonly type: Type }>;

type Values = { readonly [Says in keyof typeof texts]: Parameters<(typeof texts)[Says]>[0] };

/** The content of one frame. */
export type StreamMessage<Says extends keyof Values = keyof Values> = {
  [Each in Says]: { readonly says: Each; readonly value: Values[Each] };
}[Says];

/** Subscribers of `topic` get `sent`. */
export type Frame = { readonly channel: Channel; readonly topic: string; readonly sent: Sent };

/** A frame to send to one or many connections: text and bytes are made once, on first use. */
export class Sent {
  /** The content of the text. Null if a fault made the text. */
  readonly message: StreamMessage | null;
  /** True: sent as a binary frame instead of a text frame. */
  readonly isBinary: boolean;
  readonly #said: StreamMessage | string;
  #text: string | undefined;
  #bytes: Uint8Array | undefined;

  constructor(said: StreamMessage | string, isBinary = false) {
    this.message = typeof said === "string" ? null : said;
    this.isBinary = isBinary;
    this.#said = said;
  }

  get text(): string {
    this.#text ??= typeof this.#said === "string" ? this.#said : textOf(this.#said);
    return this.#text;
  }

  get bytes(): Uint8Array {
    this.#bytes ??= Buffer.from(this.text);
    return this.#bytes;
  }
}

function textOf<Says extends keyof Values>({ says, value }: StreamMessage<Says>): string {
  const written: { readonly [Each in keyof Values]: (value: Values[Each]) => string } = texts;
  return written[says](value);
}

/** A channel with its parameter as text: the key of subscriptions. */
export function topicOf(ref: ChannelRef): string {
  if ("marketId" in ref) return `${ref.channel}:${ref.marketId}`;
  if ("accountId" in ref) return `${ref.channel}:${ref.accountId}`;
  return ref.channel;
}

/** Frames of one event, in the order of sending. Book snapshots are made elsewhere; other events have no message. */
export function framesOf(event: ChainEvent, timeMs: number): readonly Frame[] {
  switch (event.type) {
    case "Fill":
      return fillFrames(event, timeMs);
    case "OrderPlaced": {
      const { order } = event;
      return [frame({ channel: "orders", accountId: order.accountId }, { says: "orderPlaced", value: order })];
    }
    case "OrderCanceled":
      return [frame({ channel: "orders", accountId: event.accountId }, { says: "orderCanceled", value: event })];
    case "OrderModified": {
      const { order } = event;
      return [frame({ channel: "orders", accountId: order.accountId }, { says: "orderModified", value: order })];
    }
    case "OrderTriggered":
      return [frame({ channel: "orders", accountId: event.accountId }, { says: "orderTriggered", value: event })];
    case "Liquidation":
      return [frame({ channel: "liquidations", accountId: event.accountId }, { says: "liquidation", value: event })];
    case "FundingUpdated": {
      const { marketId, fundingRate, timestampSec } = event;
      const update = { marketId, fundingRate, lastFundingTimestampSec: timestampSec };
      return [frame({ channel: "funding", marketId }, { says: "funding", value: update })];
    }
    case "OracleUpdated":
      return [frame({ channel: "oracleUpdates", marketId: event.marketId }, { says: "oracle", value: event })];
    default:
      return [];
  }
}

export const blockFrame = (block: Block): Frame =>
  frame({ channel: "explorer" }, { says: "blockFinalized", value: block });

/** The public trade, and the fill for the taker's and the maker's channel: only once if both are the same account. */
function fillFrames({ execution }: EventOf<"Fill">, timeMs: number): readonly Frame[] {
  const { marketId, takerAccountId, makerAccountId } = execution;
  const accounts = takerAccountId === makerAccountId ? [takerAccountId] : [takerAccountId, makerAccountId];
  const fill = new Sent({ says: "fill", value: { ...execution, timestampMs: execution.timestampMs ?? timeMs } });
  return [
    frame({ channel: "trades", marketId }, { says: "trade", value: execution }),
    ...accounts.map((accountId): Frame => addressed({ channel: "fills", accountId }, fill)),
  ];
}

const addressed = (ref: ChannelRef, sent: Sent): Frame => ({ channel: ref.channel, topic: topicOf(ref), sent });
const frame = (ref: ChannelRef, message: StreamMessage): Frame => addressed(ref, new Sent(message));
