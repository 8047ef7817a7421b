// One WebSocket connection: subscribes, reads frames into events, and ends exactly once. A half-open connection looks alive forever, so a
// dead one is destroyed, not closed.

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
  /** Blocks of the explorer channel, for a subscriber. */
  readonly onBlock?: (block: Block) => void;
  /** Called once, after the last event. `livedMs`: time since the socket opened, 0 if it never did; `why`: the system's message. */
  readonly onEnd: (reason: StreamEnd, livedMs: number, why: string | null) => void;
};

export type Connection = {
  /** Sends at once if the socket is open, else nothing: `channels` is read when it opens. */
  readonly say: (message: Exclude<ClientMessage, { readonly type: "ping" }>) => void;
  /** Sends a ping in addition to the heartbeat's. */
  readonly ping: () => void;
  readonly end: (reason: StreamEnd) => void;
};

/** `channels`: the first subscriptions, read when the socket opens. */
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

/** Handles a message, or a list of them, each as if it arrived alone: a wrong one does not affect the others. */
function takeFrame(frame: string, receivedMs: number, takers: Takers): void {
  const messages = isBatch(frame) ? attempt(() => readBatch(frame), takers.report) : null;
  if (messages === null) takeOne(() => decodeServerMessage(frame, receivedMs), takers);
  else for (const message of messages ?? []) takeOne(() => decodeParsed(message, receivedMs), takers);
}

function takeOne(read: () => ServerMessage, takers: Takers): void {
  const message = attempt(read, takers.report);
  if (message !== undefined) take(message, takers);
}

/** JSON in a binary frame; null if it is not text. */
function textIn(bytes: Uint8Array): string | null {
  try {
    return decodeUtf8(bytes);
  } catch {
    return null;
  }
}

/** Reports and skips what does not parse. */
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
      if (sentMs === undefined) return; // A pong without our ping: it measures no round trip.
      const { height, blockTimeMs, receivedMs } = message;
      onEvent({ kind: "pong", height, blockTimeMs, sentMs, receivedMs });
      return;
    }
    case "serverPing": // The interface names neither this nor an answer to it; our own ping shows that we are alive (NS-23).
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
