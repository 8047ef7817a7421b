// AsyncAPI 3.0 document of the WebSocket stream, generated from the message descriptions.

import type { JsonSchema } from "../../../wire/description.ts";
import { clientMessages } from "../../../wire/stream/client.ts";
import { channels, connectionMessages } from "../../../wire/stream/messages.ts";
import type { Described } from "./operation.ts";

type Message = { readonly name: string; readonly payload: JsonSchema };

export type AsyncApi = {
  readonly asyncapi: "3.0.0";
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly channels: {
    readonly stream: {
      readonly address: string;
      readonly messages: Readonly<Record<string, Message>>;
    };
  };
  readonly operations: Readonly<Record<string, AsyncOperation>>;
};

/** `action` from the exchange's point of view. */
type AsyncOperation = {
  readonly action: "send" | "receive";
  readonly summary: string;
  readonly channel: { readonly $ref: string };
  readonly messages: readonly { readonly $ref: string }[];
};

const STREAM = "#/channels/stream";

/** `path`: path of the WebSocket on the validator's host. */
export function asyncApiOf(path: string): AsyncApi {
  const messages: Record<string, Message> = {};
  const operations: Record<string, AsyncOperation> = {};
  const add = (name: string, action: AsyncOperation["action"], summary: string, of: Record<string, Described>) => {
    for (const [message, shape] of Object.entries(of)) messages[message] = { name: message, payload: shape.schema };
    const refs = Object.keys(of).map((message) => ({ $ref: `${STREAM}/messages/${message}` }));
    operations[name] = { action, summary, channel: { $ref: STREAM }, messages: refs };
  };
  add("listen", "receive", "What a client says.", clientMessages);
  add("answer", "send", "To one client: the answer to a ping, and faults.", connectionMessages);
  for (const [channel, { by, says }] of Object.entries(channels)) {
    add(channel, "send", `Channel ${channel}${by === null ? "" : `, by ${by}`}.`, says);
  }
  return {
    asyncapi: "3.0.0",
    info: {
      title: "Quoin devnet: stream",
      version: "1",
      description:
        "Subscriptions are not confirmed; an orderbook begins with a snapshot. The channel positions is silent.",
    },
    channels: { stream: { address: path, messages } },
    operations,
  };
}
