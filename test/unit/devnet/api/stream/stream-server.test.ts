// The stream's listener: who reads too slowly is dropped, who does not answer a close is cut off, and nobody else notices.
import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { WebSocket } from "ws";
import { createHost } from "../../../../../src/devnet/api/http/host.ts";
import { type HttpListener, listen } from "../../../../../src/devnet/api/http/http-listener.ts";
import { openDoor } from "../../../../../src/devnet/api/http/open-door.ts";
import { Sent } from "../../../../../src/devnet/api/stream/frames.ts";
import type { Connection } from "../../../../../src/devnet/api/stream/stream.ts";
import {
  defaultStreamOptions,
  type StreamServer,
  serveStream,
} from "../../../../../src/devnet/api/stream/stream-server.ts";
import { macrotask, systemClock } from "../../../../../src/kernel/clock.ts";
import { until } from "../../../../support/until.ts";

const logged: string[] = [];
const open = new Set<Connection>();
const closed: Connection[] = [];
let listener: HttpListener;
let stream: StreamServer;

beforeEach(async () => {
  logged.length = 0;
  open.clear();
  closed.length = 0;
  listener = await listen(
    { name: "stream", host: "127.0.0.1", port: 0, bodyBytesMax: 1, limits: { endedMs: 50 } },
    { host: createHost([], { log: () => {} }), door: openDoor, clock: systemClock, log: () => {} },
  );
  stream = serveStream(
    listener,
    { ...defaultStreamOptions, connectionsMax: 3 },
    {
      clock: systemClock,
      log: (message) => logged.push(message),
      mayOpen: () => true,
      opened: (connection) => open.add(connection),
      received: (connection, text) => connection.send(new Sent(text)),
      closed(connection) {
        open.delete(connection);
        closed.push(connection);
      },
    },
  );
});

afterEach(async () => {
  await stream.close();
  await listener.close();
});

async function joined(): Promise<{ readonly socket: WebSocket; readonly heard: string[] }> {
  const socket = new WebSocket(`${listener.url.replace("http", "ws")}/v1/ws`);
  const heard: string[] = [];
  socket.on("message", (bytes: Buffer) => heard.push(bytes.toString()));
  await once(socket, "open");
  return { socket, heard };
}

it("a slow consumer is dropped, and the others hear everything", async () => {
  const slow = await joined();
  slow.socket.pause();
  const fast = await joined();
  const frame = new Sent("x".repeat(200_000));
  let sent = 0;
  await until("the slow one is dropped", () => {
    for (const connection of open) connection.send(frame);
    sent += 1;
    return closed.length === 1;
  });
  expect(logged).toEqual(["a slow consumer was dropped"]);
  await until("the fast one has everything", () => fast.heard.length === sent);
  expect(open.size).toBe(1);
});

it("one that pings and never reads is dropped", async () => {
  const { socket } = await joined();
  socket.pause();
  const payload = Buffer.alloc(125);
  await until("it is dropped", async () => {
    for (let i = 0; i < 20_000 && socket.readyState === socket.OPEN; i += 1) socket.ping(payload);
    await macrotask();
    return closed.length === 1;
  });
  expect(logged).toEqual(["a slow consumer was dropped"]);
});

it("a ping is answered with its own data", async () => {
  const { socket } = await joined();
  const pong = once(socket, "pong");
  socket.ping("hello");
  expect(String((await pong)[0])).toBe("hello");
});

it("a refused upgrade is let go of, read or not", async () => {
  const { port } = new URL(listener.url);
  const refused = connect({ port: Number(port), host: "127.0.0.1", allowHalfOpen: true });
  refused.on("error", () => {});
  refused.pause();
  refused.write("GET /elsewhere HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n");
  await once(listener.server, "upgrade");
  await until("it is gone", () =>
    new Promise<number>((resolve) => listener.server.getConnections((_, count) => resolve(count))).then((n) => n === 0),
  );
  refused.destroy();
});

it("binary frames are not handed over", async () => {
  const { socket, heard } = await joined();
  socket.send(Buffer.from("hello"), { binary: true });
  socket.send("there");
  await until("the text is answered", () => heard.length > 0);
  expect(heard).toEqual(["there"]);
});

it("more connections than the limit are refused", async () => {
  await Promise.all([joined(), joined(), joined()]);
  await expect(joined()).rejects.toThrow("503");
});

it("close ends a connection that never answers", async () => {
  const { socket } = await joined();
  socket.pause();
  await stream.close();
  expect(open.size).toBeLessThanOrEqual(1);
  await until("it is gone", () => closed.length === 1);
});
