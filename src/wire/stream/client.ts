// What a client says over the WebSocket (S6.2): subscribe, unsubscribe, ping.

import { type AccountId, accountId, type MarketId } from "../../domain/units.ts";
import { type JsonLimits, parseJson } from "../../kernel/json.ts";
import { WireError, within } from "../errors.ts";
import { type Fields, has, objectOf, oneOf, onlyKeys, u16, u64 } from "../strict.ts";

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
const pingKeys = new Set(["type"]);
const subscribeKeys = new Set(["type", "channels"]);

/** Reads one message of a client. Throws WireError. */
export function decodeClientMessage(text: string): ClientMessage {
  return within("", () => {
    const fields = objectOf(parseJson(text, limits), "");
    const type = oneOf(fields, "type", types);
    if (type === "ping") {
      onlyKeys(fields, pingKeys);
      return { type };
    }
    onlyKeys(fields, subscribeKeys);
    return { type, channels: readChannels(fields) };
  });
}

function readChannels(fields: Fields): readonly ChannelRef[] {
  if (!has(fields, "channels")) throw new WireError("field_missing", "channels", "is required");
  const { channels } = fields;
  if (!Array.isArray(channels)) throw new WireError("field_type", "channels", "must be a list");
  if (channels.length > CHANNELS_PER_MESSAGE_MAX) {
    throw new WireError("field_range", "channels", `has at most ${CHANNELS_PER_MESSAGE_MAX} elements`);
  }
  return channels.map((item: unknown, at) => within(`channels.${at}`, () => readChannel(objectOf(item, ""))));
}

const marketChannels = ["orderbook", "trades", "funding", "oracleUpdates"] as const satisfies readonly MarketChannel[];
const accountChannels = ["fills", "orders", "liquidations", "positions"] as const satisfies readonly AccountChannel[];
const channelNames = [...marketChannels, ...accountChannels, "explorer"] as const;
const marketKeys = new Set(["channel", "market_id"]);
const accountKeys = new Set(["channel", "account_id"]);
const explorerKeys = new Set(["channel"]);

function readChannel(fields: Fields): ChannelRef {
  const channel = oneOf(fields, "channel", channelNames);
  if (channel === "explorer") {
    onlyKeys(fields, explorerKeys);
    return { channel };
  }
  if (isAccountChannel(channel)) {
    onlyKeys(fields, accountKeys);
    return { channel, accountId: accountId(u64(fields, "account_id")) };
  }
  onlyKeys(fields, marketKeys);
  return { channel, marketId: u16(fields, "market_id") };
}

const isAccountChannel = (channel: MarketChannel | AccountChannel): channel is AccountChannel =>
  accountChannels.some((candidate) => candidate === channel);
