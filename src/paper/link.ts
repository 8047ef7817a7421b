// A transport to an exchange in this process, for the remote venue: requests and frames without sockets, with a set latency.

import { answered, type HttpLane } from "../bot/venue/remote/http.ts";
import type { Transport } from "../bot/venue/remote/remote.ts";
import type { Connect, StreamSocket } from "../client/stream/socket.ts";
import { replyTo } from "../devnet/api/http/host.ts";
import type { Connection } from "../devnet/api/stream/stream.ts";
import type { Exchange } from "../devnet/exchange.ts";
import type { Clock } from "../kernel/clock.ts";

export type LinkModules = { readonly clock: Clock; readonly exchange: Pick<Exchange, "validator" | "stream"> };

/** `latencyMs`: from the sender to the exchange, ms; answers take no time. */
export function createLink(latencyMs: number, modules: LinkModules): Transport {
  return { lane: () => createLane(latencyMs, modules), connect: createConnect(modules) };
}

/** Orders take the latency; reads, which only report the state, do not. */
function createLane(latencyMs: number, { clock, exchange: { validator } }: LinkModules): HttpLane {
  let isClosed = false;

  return {
    send(request) {
      return new Promise((resolve) => {
        if (isClosed) return resolve({ kind: "notSent", why: "closed", cause: new Error("the exchange was closed") });
        const arrive = () => void replyTo(validator, request).then((reply) => resolve(answered(reply)));
        clock.after(request.method === "POST" ? latencyMs : 0, arrive);
      });
    },
    async close() {
      isClosed = true;
    },
  };
}

/** Frames arrive in their order, after whatever is being done as they are sent. */
const createConnect =
  ({ clock, exchange: { stream } }: LinkModules): Connect =>
  (_, events): StreamSocket => {
    let isOver = false;
    const later = (run: () => void) => clock.after(0, () => isOver || run());
    const end = () => {
      if (isOver) return;
      isOver = true;
      stream.closed(connection);
      events.onClose();
    };
    const connection: Connection = {
      send: (frame) => void later(() => events.onText(frame.text)),
      mute: () => {},
      drop: () => void later(end),
    };
    later(() => {
      stream.opened(connection);
      events.onOpen();
    });
    return { send: (text) => void later(() => stream.received(connection, text)), destroy: end };
  };
