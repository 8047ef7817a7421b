// The stream's listener: who reads too slowly is dropped, who does not answer a close is cut off, and nobody else notices.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { WebSocket } from "ws";
import type { Connection } from "../../../../../src/devnet/api/stream/stream.ts";
import {
  defaultStreamOptions,
  type StreamServer,
  serveStream,
} from "../../../../../src/devnet/api/stream/stream-server.ts";
import { systemClock } from "../../../../../src/kernel/clock.ts";
import { until } from "../../../../support/until.ts";

const logged: string[] = [];
const open = new Set<Connection>();
const closed: Connection[] = [];
let server: Server;
let stream: StreamServer;

beforeEach(async () => {
  logged.length = 0;
  open.clear();
  closed.length = 0;
  server = createServer();
  stream = serveStream(
    server,
    { ...defaultStreamOptions, connectionsMax: 3 },
    {
      clock: systemClock,
      log: (message) => logged.push(message),
      mayOpen: () => true,
      opened: (connection) => open.add(connection),
      received: (connection, text) => connection.send(Buffer.from(text)),
      closed(connection) {
        open.delete(connection);
        closed.push(connection);
      },
    },
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});

afterEach(async () => {
  await stream.close();
  server.close();
});

async function joined(): Promise<{ readonly socket: WebSocket; readonly heard: string[] }> {
  const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/v1/ws`);
  const heard: string[] = [];
  socket.on("message", (bytes: Buffer) => heard.push(bytes.toString()));
  await once(socket, "open");
  return { socket, heard };
}

it("a slow consumer is dropped, and the others hear everything", async () => {
  const slow = await joined();
  slow.socket.pause();
  const fast = await joined();
  const frame = Buffer.alloc(200_000, "x");
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
