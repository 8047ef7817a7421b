// The WebSocket listener (S6.2): accepts connections on /v1/ws within limits, passes on their messages, and drops slow readers before their
// backlog hurts the others.

import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import type { Clock } from "../../../kernel/clock.ts";
import { decodeUtf8, JsonError } from "../../../kernel/json.ts";
import type { Log } from "../http/host.ts";
import type { HttpListener } from "../http/http-listener.ts";
import type { Connection, StreamHub } from "./stream.ts";
import { STREAM_PATH } from "./stream.ts";

export type StreamServerModules = Pick<StreamHub, "mayOpen" | "opened" | "received" | "closed"> & {
  readonly clock: Clock;
  readonly log: Log;
};

export type StreamServer = {
  /** Ends every connection with code 1001 (going away); connections that do not answer are cut after a moment. */
  readonly close: () => Promise<void>;
};

export type StreamOptions = {
  readonly path: string;
  readonly connectionsMax: number;
  /** A connection with a larger backlog is dropped. */
  readonly backlogBytesMax: number;
};

export const defaultStreamOptions: StreamOptions = {
  path: STREAM_PATH,
  /** Twice the thousand subscribers that the snapshot benchmark uses. */
  connectionsMax: 2000,
  /** About a hundred snapshots of a 100-level book: seconds of lag in a busy market, and safe for memory. */
  backlogBytesMax: 2_097_152,
};

/** The largest subscribe message that the wire accepts, with a thousand channels. */
const MESSAGE_BYTES_MAX = 131_072;
/** Finds peers that left without a close; the interface names no server heartbeat (NS-23). */
const KEEPALIVE_MS = 60_000;
const GOING_AWAY = 1001;
const CLOSE_GRACE_MS = 200;

/** Serves the stream on the listener. Upgrades to any other path are refused with 404. */
export function serveStream(
  listener: Pick<HttpListener, "onUpgrade">,
  options: StreamOptions,
  modules: StreamServerModules,
): StreamServer {
  const open = new Set<WebSocket>();
  const upgrader = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    autoPong: false,
    maxPayload: MESSAGE_BYTES_MAX,
    clientTracking: false,
  });

  function accept(socket: WebSocket): void {
    const connection = connectionOf(socket, options.backlogBytesMax, modules.log);
    socket.on("ping", connection.pong);
    open.add(socket);
    modules.opened(connection);
    socket.on("message", (bytes: Buffer, isBinary: boolean) => {
      const text = isBinary ? undefined : textOf(bytes);
      if (text !== undefined) modules.received(connection, text);
    });
    socket.on("error", () => socket.terminate());
    socket.on("close", () => {
      open.delete(socket);
      modules.closed(connection);
    });
  }

  listener.onUpgrade((request, stream, head) => {
    stream.on("error", () => stream.destroy());
    const path = (request.url ?? "").split("?")[0];
    if (path !== options.path) return refuseUpgrade(stream, "404 Not Found");
    const full = open.size >= options.connectionsMax;
    if (full || !modules.mayOpen()) return refuseUpgrade(stream, "503 Service Unavailable");
    request.socket.setKeepAlive(true, KEEPALIVE_MS);
    upgrader.handleUpgrade(request, stream, head, accept);
    return true;
  });

  return {
    async close() {
      const ended = [...open].map((socket) => new Promise((resolve) => socket.once("close", resolve)));
      for (const socket of open) socket.close(GOING_AWAY);
      const hurry = modules.clock.after(CLOSE_GRACE_MS, () => {
        for (const socket of open) socket.terminate();
      });
      await Promise.all(ended);
      hurry.cancel();
      upgrader.close();
    },
  };
}

/** `pong` answers a protocol ping; it counts toward the same backlog as frames. */
function connectionOf(socket: WebSocket, backlogBytesMax: number, log: Log): Connection & { pong(data: Buffer): void } {
  let muted = false;
  /** Runs `write` unless the socket is muted or closed; drops the socket instead if its backlog is too large. */
  function unlessBehind(write: () => void): void {
    if (muted || socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > backlogBytesMax) {
      log("a slow consumer was dropped", { backlogBytes: socket.bufferedAmount });
      socket.terminate();
    } else write();
  }
  return {
    send: (frame) => unlessBehind(() => socket.send(frame.bytes, { binary: frame.isBinary })),
    pong: (data) => unlessBehind(() => socket.pong(data)),
    mute() {
      muted = true;
      socket.pause();
    },
    drop: () => socket.terminate(),
  };
}

function textOf(bytes: Buffer): string | undefined {
  try {
    return decodeUtf8(bytes);
  } catch (thrown) {
    if (thrown instanceof JsonError) return undefined;
    throw thrown;
  }
}

/** Returns false: the upgrade was not taken. */
function refuseUpgrade(stream: Duplex, status: string): false {
  stream.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
  return false;
}
