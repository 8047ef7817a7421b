// AsyncAPI 3.0 of the WebSocket stream, made from the shapes of its messages.

import { z } from "zod";
import type { JsonSchema } from "../../../wire/description.ts";
import { channels, clientMessages, connectionMessages } from "../../../wire/shapes/stream.ts";

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

/** `action` as the exchange sees it. */
type AsyncOperation = {
  readonly action: "send" | "receive";
  readonly summary: string;
  readonly channel: { readonly $ref: string };
  readonly messages: readonly { readonly $ref: string }[];
};

const STREAM = "#/channels/stream";

/** `path` of the WebSocket on the validator's host. */
export function asyncApiOf(path: string): AsyncApi {
  const messages: Record<string, Message> = {};
  const operations: Record<string, AsyncOperation> = {};
  const add = (name: string, action: AsyncOperation["action"], summary: string, of: Record<string, z.ZodType>) => {
    for (const [message, shape] of Object.entries(of)) messages[message] = { name: message, payload: payloadOf(shape) };
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

function payloadOf(shape: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(shape, { unrepresentable: "any", io: "input" });
  return schema;
}
