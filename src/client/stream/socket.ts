// The WebSocket as the stream needs it: it opens, delivers frames and can be destroyed. The implementation is an argument: the runtime's
// own, another's, or one over a simulated network.

import type { Book } from "../../domain/book.ts";

export type StreamSocket = {
  readonly send: (text: string) => void;
  /** Destroys it at once, without a closing handshake. */
  readonly destroy: () => void;
};

/** None is called before `connect` has returned. `onClose` is the last; `onError`, if any, comes before it. */
export type SocketEvents = {
  readonly onOpen: () => void;
  readonly onText: (text: string) => void;
  /** A book snapshot as a value, from an exchange in this process. */
  readonly onBook: (book: Book) => void;
  /** A binary frame. */
  readonly onBinary: (bytes: Uint8Array) => void;
  /** A ping frame of the protocol; the socket itself has answered it. */
  readonly onPing: () => void;
  readonly onError: (error: Error) => void;
  readonly onClose: () => void;
};

export type Connect = (
  options: { readonly wsUrl: string; readonly handshakeTimeoutMs: number },
  events: SocketEvents,
) => StreamSocket;

/** A WebSocket as in browsers and Node, reduced to the used part. */
export type StandardWebSocket = {
  readonly send: (text: string) => void;
  readonly close: () => void;
  /** Type in which binary frames arrive. */
  binaryType: string;
  addEventListener(type: "open" | "close", listener: () => void): void;
  addEventListener(type: "error", listener: (event: { readonly message?: string }) => void): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
};

/** Empty if it is not one of a WebSocket's data types. */
function bytesOf(data: unknown): Uint8Array {
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  return ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array();
}

/** Streams over this WebSocket class. Such a socket cannot be destroyed: it is closed, and its events are ignored. */
export const connectWith =
  (WebSocket: new (url: string) => StandardWebSocket): Connect =>
  ({ wsUrl }, events) => {
    const socket = new WebSocket(wsUrl);
    socket.binaryType = "arraybuffer";
    socket.addEventListener("open", events.onOpen);
    socket.addEventListener("message", ({ data }) =>
      typeof data === "string" ? events.onText(data) : events.onBinary(bytesOf(data)),
    );
    socket.addEventListener("error", ({ message = "the connection failed" }) => events.onError(new Error(message)));
    socket.addEventListener("close", events.onClose);
    return { send: (text) => socket.send(text), destroy: () => socket.close() };
  };
