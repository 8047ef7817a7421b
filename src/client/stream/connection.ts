// One WebSocket from its first byte to its last: subscribes, reads frames into events, and ends exactly once. A half-open connection
// looks alive forever, so a dead one is destroyed, not closed.

import type { Block } from "../../domain/block.ts";
import type { StreamEvent } from "../../domain/event.ts";
import type { Clock } from "../../kernel/clock.ts";
import { messageOf } from "../../kernel/errors.ts";
import { decodeUtf8 } from "../../kernel/json.ts";
import { WireError } from "../../wire/errors.ts";
import { type ChannelRef, type ClientMessage, encodeClientMessage } from "../../wire/stream/client.ts";
import {
  decodeParsed,
  decodeServerMessage,
  isBatch,
  readBatch,
  type ServerMessage,
} from "../../wire/stream/server-decode.ts";
import { createHeartbeat, type Heartbeat, type HeartbeatOptions } from "./heartbeat.ts";
import type { Report, StreamEnd } from "./report.ts";
import type { Connect } from "./socket.ts";

export type ConnectionOptions = HeartbeatOptions & { readonly wsUrl: string; readonly handshakeTimeoutMs: number };

export type ConnectionModules = {
  readonly clock: Clock;
  readonly report: Report;
  /** Counts the connections of all streams of a venue, from 1. */
  readonly nextEpoch: () => number;
  readonly connect: Connect;
};

export type ConnectionEvents = {
  readonly onEvent: (event: StreamEvent) => void;
  /** The explorer's, of whoever listens to it. */
  readonly onBlock?: (block: Block) => void;
  /** Once, after the last event. `livedMs` counts from the open socket, 0 where it never opened; `why`: the system's words. */
  readonly onEnd: (reason: StreamEnd, livedMs: number, why: string | null) => void;
};

export type Connection = {
  /** Sends at once on an open socket, and nothing before that: `channels` is read when the socket opens. */
  readonly say: (message: Exclude<ClientMessage, { readonly type: "ping" }>) => void;
  /** A ping beside those of the heartbeat. */
  readonly ping: () => void;
  readonly end: (reason: StreamEnd) => void;
};

/** `channels` is read once the socket is open: what to subscribe to from the start. */
export function openConnection(
  options: ConnectionOptions,
  modules: ConnectionModules,
  channels: () => readonly ChannelRef[],
  events: ConnectionEvents,
): Connection {
  const { onEvent, onEnd } = events;
  const { clock, report, connect } = modules;
  const sendPing = () => socket.send(encodeClientMessage({ type: "ping" }));
  const heartbeat = createHeartbeat(options, { clock, sendPing, onDead: end });
  const takers = { clock, heartbeat, report, ...events };
  let ended = false;
  let opened: { readonly epoch: number; readonly atMs: number } | undefined;

  function end(reason: StreamEnd, why: string | null = null): void {
    if (ended) return;
    ended = true;
    heartbeat.stop();
    socket.destroy();
    const receivedMs = clock.monotonicMs();
    if (opened !== undefined) onEvent({ kind: "streamClosed", epoch: opened.epoch, reason, receivedMs });
    onEnd(reason, opened === undefined ? 0 : receivedMs - opened.atMs, why);
  }

  const socket = connect(options, {
    onOpen() {
      if (ended) return;
      opened = { epoch: modules.nextEpoch(), atMs: clock.monotonicMs() };
      heartbeat.frame(opened.atMs);
      socket.send(encodeClientMessage({ type: "subscribe", channels: channels() }));
      onEvent({ kind: "streamOpened", epoch: opened.epoch, receivedMs: opened.atMs });
      heartbeat.ping();
    },
    onText(text) {
      if (ended) return;
      const receivedMs = clock.monotonicMs();
      heartbeat.frame(receivedMs);
      takeFrame(text, receivedMs, takers);
    },
    onBook(book) {
      if (ended) return;
      const receivedMs = clock.monotonicMs();
      heartbeat.frame(receivedMs);
      onEvent({ kind: "book", book, receivedMs });
    },
    onBinary(bytes) {
      if (ended) return;
      const receivedMs = clock.monotonicMs();
      heartbeat.frame(receivedMs);
      const text = textIn(bytes);
      if (text === null) report({ kind: "frameMalformed", code: "binary", message: "a binary frame that is no text" });
      else takeFrame(text, receivedMs, takers);
    },
    onPing: () => heartbeat.frame(clock.monotonicMs()),
    onError(error) {
      end(opened === undefined ? "refused" : "failed", messageOf(error));
    },
    onClose: () => end(opened === undefined ? "refused" : "closed"),
  });
  return {
    say(message) {
      if (opened !== undefined && !ended) socket.send(encodeClientMessage(message));
    },
    ping() {
      if (opened !== undefined && !ended) heartbeat.ping();
    },
    end,
  };
}

type Takers = Pick<ConnectionEvents, "onEvent" | "onBlock"> & {
  readonly clock: Clock;
  readonly heartbeat: Heartbeat;
  readonly report: Report;
};

/** A message, or a list of them, each as if it had come alone: one that is wrong takes no other with it. */
function takeFrame(frame: string, receivedMs: number, takers: Takers): void {
  const messages = isBatch(frame) ? attempt(() => readBatch(frame), takers.report) : null;
  if (messages === null) takeOne(() => decodeServerMessage(frame, receivedMs), takers);
  else for (const message of messages ?? []) takeOne(() => decodeParsed(message, receivedMs), takers);
}

function takeOne(read: () => ServerMessage, takers: Takers): void {
  const message = attempt(read, takers.report);
  if (message !== undefined) take(message, takers);
}

/** JSON in a frame that is not marked as text; null: it is no text. */
function textIn(bytes: Uint8Array): string | null {
  try {
    return decodeUtf8(bytes);
  } catch {
    return null;
  }
}

/** Reports what does not parse and skips it. */
function attempt<T>(read: () => T, report: Report): T | undefined {
  try {
    return read();
  } catch (thrown) {
    const code = thrown instanceof WireError ? thrown.code : "unreadable";
    report({ kind: "frameMalformed", code, message: messageOf(thrown) });
    return undefined;
  }
}

function take(message: ServerMessage, { heartbeat, report, onEvent, onBlock }: Takers): void {
  switch (message.kind) {
    case "pongMessage": {
      const sentMs = heartbeat.pong();
      if (sentMs === undefined) return; // Unrequested: it measures no round trip.
      const { height, blockTimeMs, receivedMs } = message;
      onEvent({ kind: "pong", height, blockTimeMs, sentMs, receivedMs });
      return;
    }
    case "serverPing": // The interface names neither this nor an answer to it: our own ping shows that we live (NS-23).
      heartbeat.ping();
      return;
    case "ignored":
      report({ kind: "frameIgnored", type: message.type });
      return;
    case "error":
      report({ kind: "streamRefused", message: message.message });
      return;
    case "blockFinalized":
      onBlock?.(message.block);
      return;
    default:
      onEvent(message);
  }
}
