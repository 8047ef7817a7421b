// The live stream: replaces each connection that ends and subscribes to everything again, until it is closed.

import { assert } from "../../kernel/assert.ts";
import type { Timer } from "../../kernel/clock.ts";
import type { Prng } from "../../kernel/prng.ts";
import { type BackOffOptions, jitteredMs } from "../../kernel/retry.ts";
import { type ChannelRef, encodeClientMessage } from "../../wire/stream/client.ts";
import {
  type Connection,
  type ConnectionEvents,
  type ConnectionModules,
  type ConnectionOptions,
  openConnection,
} from "./connection.ts";

/** Waits between connections. After a connection that lasted `steadyMs`, the next wait is the shortest again. */
export type ReconnectOptions = BackOffOptions & { readonly steadyMs: number };
export type StreamOptions = ConnectionOptions & { readonly reconnect: ReconnectOptions };
export type StreamModules = ConnectionModules & { readonly prng: Prng };

/** A live stream, whose subscriptions may change. */
export type LiveStream = {
  readonly close: () => void;
  readonly subscribe: (channels: readonly ChannelRef[]) => void;
  readonly unsubscribe: (channels: readonly ChannelRef[]) => void;
  /** Requests the chain's height and time; the answer is a `pong` event. */
  readonly ping: () => void;
};

export function openStream(
  options: StreamOptions,
  modules: StreamModules,
  channels: readonly ChannelRef[],
  events: Omit<ConnectionEvents, "onEnd">,
): LiveStream {
  const { clock, prng, report } = modules;
  let failures = 0;
  const subscribed = new Map(channels.map((channel) => [keyOf(channel), channel]));
  let closed = false;
  let retry: Timer | undefined;
  let connection: Connection | undefined;

  const connect = (): void => {
    connection = openConnection(options, modules, () => [...subscribed.values()], {
      ...events,
      onEnd(reason, livedMs, why) {
        connection = undefined;
        if (closed) return;
        failures = livedMs >= options.reconnect.steadyMs ? 1 : failures + 1;
        const waitMs = jitteredMs(options.reconnect, failures, prng);
        report({ kind: "streamEnded", reason, why, waitMs });
        retry = clock.after(waitMs, connect);
      },
    });
  };
  connect();

  return {
    subscribe(more) {
      for (const channel of more) subscribed.set(keyOf(channel), channel);
      connection?.say({ type: "subscribe", channels: more });
    },
    unsubscribe(fewer) {
      for (const channel of fewer) subscribed.delete(keyOf(channel));
      connection?.say({ type: "unsubscribe", channels: fewer });
    },
    ping: () => connection?.ping(),
    close() {
      closed = true;
      retry?.cancel();
      connection?.end("requested");
    },
  };
}

const keyOf = (channel: ChannelRef): string => encodeClientMessage({ type: "subscribe", channels: [channel] });

/** The stream's URL: as configured, or at the validator's address. Throws TypeError if that is not a URL. */
export function wsUrlOf({
  validatorUrl,
  wsUrl,
}: {
  readonly validatorUrl: string;
  /** Null: the validator's address with scheme ws or wss and path /v1/ws. */
  readonly wsUrl: string | null;
}): string {
  const { host, pathname, protocol } = new URL(validatorUrl);
  const scheme = protocol === "https:" ? "wss:" : "ws:";
  const address = wsUrl ?? `${scheme}//${host}${pathname.replace(/\/$/, "")}/v1/ws`;
  assert(URL.canParse(address), "the WebSocket address is a URL");
  return address;
}
