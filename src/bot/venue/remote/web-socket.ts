// The bytes of one WebSocket: opens it, hands over its frames, and destroys it. connection.ts reads the frames, so that the same
// connection also runs over a simulated network.

import { WebSocket } from "ws";
import { FRAME_LENGTH_MAX } from "../../../wire/stream/server-decode.ts";

export type StreamSocket = {
  readonly send: (text: string) => void;
  /** Destroys it at once, without a closing handshake. */
  readonly destroy: () => void;
};

/** None is called before `connect` has returned. `onClose` is the last; `onError` comes before it, if at all. */
export type SocketEvents = {
  readonly onOpen: () => void;
  readonly onText: (text: string) => void;
  readonly onBinary: () => void;
  /** A ping frame of the protocol; ws answers it. */
  readonly onPing: () => void;
  readonly onError: (error: Error) => void;
  readonly onClose: () => void;
};

export type Connect = (
  options: { readonly wsUrl: string; readonly handshakeTimeoutMs: number },
  events: SocketEvents,
) => StreamSocket;

export const connectWebSocket: Connect = ({ wsUrl, handshakeTimeoutMs }, events) => {
  const socket = new WebSocket(wsUrl, {
    perMessageDeflate: false, // Costs more time than a book of small numbers saves.
    maxPayload: FRAME_LENGTH_MAX,
    handshakeTimeout: handshakeTimeoutMs,
    followRedirects: false,
  });
  socket.on("open", events.onOpen);
  socket.on("message", (content, isBinary) => (isBinary ? events.onBinary() : events.onText(content.toString())));
  socket.on("ping", events.onPing);
  socket.on("error", events.onError);
  socket.on("close", events.onClose);
  return { send: (text) => socket.send(text), destroy: () => socket.terminate() };
};
