// Client messages over the WebSocket (S6.2): subscribe, unsubscribe, ping. Other members, such as an id, are ignored.

import type { AccountId, MarketId } from "../../domain/units.ts";
import { type JsonLimits, parseJson } from "../../kernel/json.ts";
import { arrayOf, fixed, type Kind, kind, list, readable, request } from "../description.ts";
import { WireError, within } from "../errors.ts";
import { accountId, marketId } from "../transaction/values.ts";
import { word } from "../values.ts";

const marketChannels = ["orderbook", "trades", "funding", "oracleUpdates"] as const;
const accountChannels = ["fills", "orders", "liquidations", "positions"] as const;
export type MarketChannel = (typeof marketChannels)[number];
export type AccountChannel = (typeof accountChannels)[number];

/** A channel with its parameter; explorer has none. */
export type ChannelRef =
  | { readonly channel: MarketChannel; readonly marketId: MarketId }
  | { readonly channel: AccountChannel; readonly accountId: AccountId }
  | { readonly channel: "explorer" };

const ofMarket = request({ channel: word(marketChannels), marketId }, "ignored");
const ofAccount = request({ channel: word(accountChannels), accountId }, "ignored");
const explorer = request({ channel: word(["explorer"]) }, "ignored");
const named = request({ channel: word([...marketChannels, ...accountChannels, "explorer"]) }, "ignored");

const channelRef: Kind<ChannelRef> = kind(
  { anyOf: [ofMarket.schema, ofAccount.schema, explorer.schema] },
  (value) => {
    const { channel } = named.read(value);
    if (channel === "explorer") return explorer.read(value);
    return accountChannels.some((each) => each === channel) ? ofAccount.read(value) : ofMarket.read(value);
  },
  (ref) => ("marketId" in ref ? ofMarket.text(ref) : "accountId" in ref ? ofAccount.text(ref) : explorer.text(ref)),
);

/** Also the most that one connection may subscribe to; such a message stays below the size limit. */
export const CHANNELS_PER_MESSAGE_MAX = 1000;

const refs = list(channelRef);
const channels = { ...refs, schema: { ...refs.schema, maxItems: CHANNELS_PER_MESSAGE_MAX } };

export const clientMessages = {
  subscribe: request({ type: fixed("subscribe"), channels }, "ignored"),
  unsubscribe: request({ type: fixed("unsubscribe"), channels }, "ignored"),
  ping: request({ type: fixed("ping") }, "ignored"),
};

export type ClientMessage =
  | { readonly type: "subscribe" | "unsubscribe"; readonly channels: readonly ChannelRef[] }
  | { readonly type: "ping" };

export const encodeClientMessage = (message: ClientMessage): string =>
  message.type === "ping" ? clientMessages.ping.text(message) : clientMessages[message.type].text(message);

/** A message as received: `faults` are the invalid channels, which do not affect the valid ones. */
export type HeardMessage =
  | {
      readonly type: "subscribe" | "unsubscribe";
      readonly channels: readonly ChannelRef[];
      readonly faults: readonly WireError[];
    }
  | { readonly type: "ping" };

const limits: JsonLimits = { lengthMax: 131_072, depthMax: 4, wholeOnly: true };
const typed = request({ type: word(["subscribe", "unsubscribe", "ping"]) }, "ignored");
const asking = request({ channels: kind<readonly unknown[]>({}, arrayOf) }, "ignored");

/** Reads one client message. Throws WireError if it is none of the three. */
export function decodeClientMessage(text: string): HeardMessage {
  return within("", () => {
    const message = parseJson(text, limits);
    const { type } = typed.read(message);
    if (type === "ping") return { type };
    const asked = asking.read(message).channels;
    if (asked.length > CHANNELS_PER_MESSAGE_MAX)
      throw new WireError("field_range", "channels", `has at most ${CHANNELS_PER_MESSAGE_MAX} elements`);
    const [heard, faults] = readable(
      asked,
      (item, at) => within(`channels.${at}`, () => channelRef.read(item)),
      (_, fault) => fault,
    );
    return { type, channels: heard, faults };
  });
}
