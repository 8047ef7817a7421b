// Small real servers for the tests of the remote venue: each answers, refuses, stalls or lies in one particular way.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { type Clock, systemClock } from "../../../../src/kernel/clock.ts";

export type Loopback = { readonly url: string; readonly close: () => Promise<void> };

export type Received = { readonly method: string; readonly path: string; readonly body: string };

/** An HTTP server that reads each request whole, keeps it in `received`, and hands the response to `answer`. */
export async function serveHttp(
  answer: (request: Received, response: ServerResponse) => void,
): Promise<Loopback & { readonly received: readonly Received[] }> {
  const received: Received[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const whole = { method: request.method ?? "", path: request.url ?? "", body: Buffer.concat(chunks).toString() };
      received.push(whole);
      answer(whole, response);
    });
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** A TCP server that hands over raw sockets. */
export async function serveTcp(onSocket: (socket: Socket) => void): Promise<Loopback> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    onSocket(socket);
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** A WebSocket server; each connection comes with its number, from 1. */
export async function serveWs(
  onConnection: (socket: WebSocket, count: number) => void,
): Promise<Loopback & { readonly heard: string[]; readonly connections: () => number }> {
  const heard: string[] = [];
  let count = 0;
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await new Promise((resolve) => server.once("listening", resolve));
  server.on("connection", (socket) => {
    count += 1;
    socket.on("error", () => {});
    socket.on("message", (content) => heard.push(content.toString()));
    onConnection(socket, count);
  });
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    connections: () => count,
    close: () =>
      new Promise((resolve) => {
        for (const socket of server.clients) socket.terminate();
        server.close(() => resolve());
      }),
  };
}

/** An address that nobody listens on: it was free a moment ago. */
export async function deadUrl(): Promise<string> {
  const server = await serveTcp((socket) => socket.destroy());
  await server.close();
  return server.url;
}

/** A clock whose deadlines come when the test says so, the newest first. */
export function heldClock(): { readonly clock: Clock; readonly pass: () => void } {
  const deadlines = new Set<() => void>();
  return {
    clock: {
      ...systemClock,
      after(_, run) {
        const deadline = () => run();
        deadlines.add(deadline);
        return { cancel: () => deadlines.delete(deadline) };
      },
    },
    pass() {
      for (const deadline of [...deadlines].toReversed()) if (deadlines.delete(deadline)) deadline();
    },
  };
}
