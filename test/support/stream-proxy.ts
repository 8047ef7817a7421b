// A WebSocket proxy that changes the exchange's frames on the way to the client: `rewrite` may change or drop each.

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { WebSocket, WebSocketServer } from "ws";

type Message = Readonly<Record<string, unknown>>;

export type StreamProxy = {
  readonly wsUrl: string;
  /** Pongs from now on, for connections that are open too. */
  readonly rewrite: (change: (message: Message) => Message) => void;
  /** Says it once more than the exchange does, on every connection that is open. */
  readonly say: (message: Message) => void;
  /** Frames that the client never gets, by their text; from now on too. */
  readonly swallow: (isLost: (text: string) => boolean) => void;
  readonly close: () => Promise<void>;
};

/** Listens on a free loopback port and passes on to `targetUrl`. */
export async function startStreamProxy(targetUrl: string): Promise<StreamProxy> {
  let change = (message: Message): Message => message;
  let isLost = (_text: string): boolean => false;
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  server.on("connection", (client) => {
    const upstream = new WebSocket(targetUrl);
    const opened = once(upstream, "open");
    client.on("message", (data: Buffer) => void opened.then(() => upstream.send(data.toString())));
    upstream.on("message", (data: Buffer) => {
      const text = data.toString();
      if (isLost(text)) return;
      // Frames without a change pass as they are: their long numbers would not survive.
      client.send(text.startsWith('{"type":"pong"') ? JSON.stringify(change(JSON.parse(text))) : text);
    });
    for (const socket of [client, upstream]) {
      socket.on("error", () => undefined);
      socket.on("close", () => {
        client.close();
        upstream.close();
      });
    }
  });
  return {
    wsUrl: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    rewrite(next) {
      change = next;
    },
    say(message) {
      for (const client of server.clients) client.send(JSON.stringify(message));
    },
    swallow(next) {
      isLost = next;
    },
    async close() {
      for (const client of server.clients) client.terminate();
      server.close();
      await once(server, "close");
    },
  };
}
