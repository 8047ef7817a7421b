// From changes of the chain's state to frames by topic (S6.2): each frame is made once, however many listen.

import type { Book } from "../../../domain/book.ts";
import type { ChannelRef } from "../../../wire/stream/client.ts";
import * as messages from "../../../wire/stream/messages.ts";
import type { Block } from "../../chain/block.ts";
import type { ChainEvent } from "../../event.ts";
import { explorerBlock } from "./explorer-block.ts";

export type Channel = ChannelRef["channel"];

/** Who listens to `topic` gets `text()`; the text is not made when nobody does. */
export type Frame = { readonly channel: Channel; readonly topic: string; readonly text: () => string };

/** What is sent, to one connection or many: text and bytes are made once, when somebody needs them. */
export class Sent {
  /** What the text says, where it is the snapshot of a book. */
  readonly book: Book | null;
  /** Sent as a binary frame, which is not marked as text. */
  readonly isBinary: boolean;
  readonly #make: () => string;
  #text: string | undefined;
  #bytes: Uint8Array | undefined;

  constructor(make: () => string, book: Book | null = null, isBinary = false) {
    this.#make = make;
    this.book = book;
    this.isBinary = isBinary;
  }

  get text(): string {
    this.#text ??= this.#make();
    return this.#text;
  }

  get bytes(): Uint8Array {
    this.#bytes ??= Buffer.from(this.text);
    return this.#bytes;
  }
}

/** Name of a channel with its parameter, the key of subscriptions. */
export function topicOf(ref: ChannelRef): string {
  if ("marketId" in ref) return `${ref.channel}:${ref.marketId}`;
  if ("accountId" in ref) return `${ref.channel}:${ref.accountId}`;
  return ref.channel;
}

/** Frames of one event, in the order of sending. Book changes are snapshots and not made here; other events have no message. */
export function framesOf(event: ChainEvent, timeMs: number): readonly Frame[] {
  switch (event.type) {
    case "Fill":
      return fillFrames(event, timeMs);
    case "OrderPlaced": {
      const { order } = event;
      return [frame({ channel: "orders", accountId: order.accountId }, () => messages.orderPlaced.text(order))];
    }
    case "OrderCanceled":
      return [frame({ channel: "orders", accountId: event.accountId }, () => messages.orderCanceled.text(event))];
    case "OrderModified": {
      const { order } = event;
      return [frame({ channel: "orders", accountId: order.accountId }, () => messages.orderModified.text(order))];
    }
    case "OrderTriggered":
      return [frame({ channel: "orders", accountId: event.accountId }, () => messages.orderTriggered.text(event))];
    case "Liquidation":
      return [frame({ channel: "liquidations", accountId: event.accountId }, () => messages.liquidation.text(event))];
    case "FundingUpdated": {
      const { marketId, fundingRate, timestampSec } = event;
      const update = { marketId, fundingRate, lastFundingTimestampSec: timestampSec };
      return [frame({ channel: "funding", marketId }, () => messages.funding.text(update))];
    }
    case "OracleUpdated":
      return [frame({ channel: "oracleUpdates", marketId: event.marketId }, () => messages.oracle.text(event))];
    default:
      return [];
  }
}

/** blockFinalized, with only the first transaction of the block. */
export const blockFrame = (block: Block): Frame =>
  frame({ channel: "explorer" }, () => messages.blockFinalized.text(explorerBlock(block)));

/** The public trade, and the fill to the taker's and the maker's channel: once where both are the same account's. */
function fillFrames({ execution }: Extract<ChainEvent, { type: "Fill" }>, timeMs: number): readonly Frame[] {
  const { marketId, takerAccountId, makerAccountId } = execution;
  const accounts = takerAccountId === makerAccountId ? [takerAccountId] : [takerAccountId, makerAccountId];
  let encoded: string | undefined;
  const fill = () => {
    encoded ??= messages.fill.text({ ...execution, timestampMs: execution.timestampMs ?? timeMs });
    return encoded;
  };
  return [
    frame({ channel: "trades", marketId }, () => messages.trade.text(execution)),
    ...accounts.map((accountId) => frame({ channel: "fills", accountId }, fill)),
  ];
}

const frame = (ref: ChannelRef, text: () => string): Frame => ({ channel: ref.channel, topic: topicOf(ref), text });
