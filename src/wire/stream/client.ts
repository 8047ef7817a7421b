// What a client says over the WebSocket (S6.2): subscribe, unsubscribe, ping.

import { type AccountId, accountId, type MarketId } from "../../domain/units.ts";
import { type JsonLimits, parseJson } from "../../kernel/json.ts";
import { WireError, within } from "../errors.ts";
import { type Fields, has, objectOf, oneOf, u16, u64 } from "../strict.ts";

/** A channel with its parameter; explorer has none. */
export type ChannelRef =
  | { readonly channel: MarketChannel; readonly marketId: MarketId }
  | { readonly channel: AccountChannel; readonly accountId: AccountId }
  | { readonly channel: "explorer" };

export type MarketChannel = "orderbook" | "trades" | "funding" | "oracleUpdates";
export type AccountChannel = "fills" | "orders" | "liquidations" | "positions";

export type ClientMessage =
  | { readonly type: "subscribe" | "unsubscribe"; readonly channels: readonly ChannelRef[] }
  | { readonly type: "ping" };

/** As it was heard: `faults` are of the channels that are none, which leave the others as they are. */
export type HeardMessage =
  | {
      readonly type: "subscribe" | "unsubscribe";
      readonly channels: readonly ChannelRef[];
      readonly faults: readonly WireError[];
    }
  | { readonly type: "ping" };

/** More than one connection may subscribe to at once; the message stays below the limit of size with it. */
export const CHANNELS_PER_MESSAGE_MAX = 1000;
const limits: JsonLimits = { lengthMax: 131_072, depthMax: 4, wholeOnly: true };

export function encodeClientMessage(message: ClientMessage): string {
  if (message.type === "ping") return `{"type":"ping"}`;
  return `{"type":"${message.type}","channels":[${message.channels.map(channelText).join(",")}]}`;
}

function channelText(ref: ChannelRef): string {
  if ("marketId" in ref) return `{"channel":"${ref.channel}","market_id":${ref.marketId}}`;
  if ("accountId" in ref) return `{"channel":"${ref.channel}","account_id":${ref.accountId}}`;
  return `{"channel":"explorer"}`;
}

const types = ["subscribe", "unsubscribe", "ping"] as const;

/**
 * Reads one message of a client. What else it says, such as an id of its own, does not matter. Throws WireError when it is none of the
 * three.
 */
export function decodeClientMessage(text: string): HeardMessage {
  return within("", () => {
    const fields = objectOf(parseJson(text, limits), "");
    const type = oneOf(fields, "type", types);
    return type === "ping" ? { type } : { type, ...readChannels(fields) };
  });
}

function readChannels(fields: Fields): {
  readonly channels: readonly ChannelRef[];
  readonly faults: readonly WireError[];
} {
  if (!has(fields, "channels")) throw new WireError("field_missing", "channels", "is required");
  const { channels } = fields;
  if (!Array.isArray(channels)) throw new WireError("field_type", "channels", "must be a list");
  if (channels.length > CHANNELS_PER_MESSAGE_MAX) {
    throw new WireError("field_range", "channels", `has at most ${CHANNELS_PER_MESSAGE_MAX} elements`);
  }
  const refs: ChannelRef[] = [];
  const faults: WireError[] = [];
  for (const [at, item] of channels.entries()) {
    try {
      refs.push(within(`channels.${at}`, () => readChannel(objectOf(item, ""))));
    } catch (thrown) {
      if (!(thrown instanceof WireError)) throw thrown;
      faults.push(thrown);
    }
  }
  return { channels: refs, faults };
}

const marketChannels = ["orderbook", "trades", "funding", "oracleUpdates"] as const satisfies readonly MarketChannel[];
const accountChannels = ["fills", "orders", "liquidations", "positions"] as const satisfies readonly AccountChannel[];
const channelNames = [...marketChannels, ...accountChannels, "explorer"] as const;

function readChannel(fields: Fields): ChannelRef {
  const channel = oneOf(fields, "channel", channelNames);
  if (channel === "explorer") return { channel };
  if (isAccountChannel(channel)) return { channel, accountId: accountId(u64(fields, "account_id")) };
  return { channel, marketId: u16(fields, "market_id") };
}

const isAccountChannel = (channel: MarketChannel | AccountChannel): channel is AccountChannel =>
  accountChannels.some((candidate) => candidate === channel);
