// What the stream needs of a WebSocket: one that opens, hands over its frames and can be destroyed. Whose it is, is an argument: the
// runtime's own, another's, or one over a simulated network.

import type { Book } from "../../domain/book.ts";

export type StreamSocket = {
  readonly send: (text: string) => void;
  /** Destroys it at once, without a closing handshake. */
  readonly destroy: () => void;
};

/** None is called before `connect` has returned. `onClose` is the last; `onError` comes before it, if at all. */
export type SocketEvents = {
  readonly onOpen: () => void;
  readonly onText: (text: string) => void;
  /** A snapshot of a book from an exchange in this process, which needs no text. */
  readonly onBook: (book: Book) => void;
  /** A frame that is not marked as text. */
  readonly onBinary: (bytes: Uint8Array) => void;
  /** A ping frame of the protocol, which its owner answers. */
  readonly onPing: () => void;
  readonly onError: (error: Error) => void;
  readonly onClose: () => void;
};

export type Connect = (
  options: { readonly wsUrl: string; readonly handshakeTimeoutMs: number },
  events: SocketEvents,
) => StreamSocket;

/** A WebSocket as browsers and Node have it, as much of it as is used. */
export type StandardWebSocket = {
  readonly send: (text: string) => void;
  readonly close: () => void;
  /** How frames come that are not marked as text. */
  binaryType: string;
  addEventListener(type: "open" | "close", listener: () => void): void;
  addEventListener(type: "error", listener: (event: { readonly message?: string }) => void): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
};

/** Empty where it is none of those that a WebSocket has. */
function bytesOf(data: unknown): Uint8Array {
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  return ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array();
}

/** Streams over WebSockets of that class. Such a socket cannot be torn off: one that is destroyed is closed, and heard no longer. */
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
