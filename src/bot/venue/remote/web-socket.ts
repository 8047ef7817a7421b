// The bot's WebSocket: the package ws, which shows pings, limits frames and can drop a dead connection.

import { WebSocket } from "ws";
import type { Connect } from "../../../client/stream/socket.ts";
import { FRAME_LENGTH_MAX } from "../../../wire/stream/server-decode.ts";

export const connectWebSocket: Connect = ({ wsUrl, handshakeTimeoutMs }, events) => {
  const socket = new WebSocket(wsUrl, {
    perMessageDeflate: false, // Costs more time than a book of small numbers saves.
    maxPayload: FRAME_LENGTH_MAX,
    handshakeTimeout: handshakeTimeoutMs,
    followRedirects: false,
  });
  socket.on("open", events.onOpen);
  socket.on("message", (content, isBinary) => {
    if (!isBinary) events.onText(content.toString());
    else events.onBinary(Buffer.isBuffer(content) ? content : new Uint8Array()); // Always a Buffer, as the socket is set up.
  });
  socket.on("ping", events.onPing);
  socket.on("error", events.onError);
  socket.on("close", events.onClose);
  return { send: (text) => socket.send(text), destroy: () => socket.terminate() };
};
