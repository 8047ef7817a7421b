// The connections that orders travel on, over real sockets: ready before they are asked for, one write a request, no request twice.

import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { createServer, getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterEach, describe, expect, test } from "vitest";
import type { HttpEnd, HttpLaneOptions } from "../../../../src/bot/venue/remote/http.ts";
import { SocketLane } from "../../../../src/bot/venue/remote/http-lane.ts";
import { type Clock, systemClock } from "../../../../src/kernel/clock.ts";
import { until } from "../../../support/until.ts";
import { type Loopback, serveTcp } from "./loopback.ts";

const open: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((thing) => thing.close()));
});

const answer = (body: string, ...headers: readonly string[]): string =>
  ["HTTP/1.1 200 OK", `Content-Length: ${Buffer.byteLength(body)}`, ...headers, "", body].join("\r\n");

/** A server that has its own way with each connection; `sockets` are all there ever were. */
async function tcp(
  onSocket: (socket: Socket, count: number) => void,
): Promise<Loopback & { readonly sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const server = await serveTcp((socket) => onSocket(socket, sockets.push(socket)));
  open.push(server);
  return { ...server, sockets };
}

/** Answers each request with `reply`; one write of the client is one event here. */
const answering = (reply: (request: string) => string) => (socket: Socket) =>
  socket.on("data", (bytes) => socket.write(reply(bytes.toString())));

function laneTo(origin: string, options: Partial<HttpLaneOptions> = {}, clock: Clock = systemClock): SocketLane {
  const lane = new SocketLane(
    { origin, connections: 4, timeoutMs: 3000, answerBytesMax: 10_000, warmConnections: 1, ...options },
    { clock },
  );
  open.push(lane);
  return lane;
}

const post = (lane: SocketLane, body = "{}"): Promise<HttpEnd> => lane.send({ method: "POST", path: "/v1/tx", body });

/** The system's clock, but for the looks after the connections, which the test makes happen, and for time, which it moves. */
function handClock() {
  const looks: (() => void)[] = [];
  const hand = {
    aheadMs: 0,
    look() {
      for (const look of looks) look();
    },
    clock: {
      ...systemClock,
      monotonicMs: () => systemClock.monotonicMs() + hand.aheadMs,
      every: (_: number, run: () => void) => {
        looks.push(run);
        return { cancel: () => {} };
      },
    },
  };
  return hand;
}

describe("the request", () => {
  test("is one write: head and body, byte for byte", async () => {
    const writes: string[] = [];
    const server = await tcp(
      answering((request) => {
        writes.push(request);
        return answer("{}");
      }),
    );
    const lane = laneTo(server.url);
    await post(lane, `{"nonce":18446744073709551615}`);
    await post(lane, `{"name":"Zürich"}`);
    const { host } = new URL(server.url);
    const head = `POST /v1/tx HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\naccept: application/json\r\ncontent-type: application/json\r\n`;
    expect(writes).toEqual([
      `${head}content-length: 30\r\n\r\n{"nonce":18446744073709551615}`,
      `${head}content-length: 18\r\n\r\n{"name":"Zürich"}`,
    ]);
  });

  test.each(["/v1/tx HTTP/1.1\r\nX: y", "v1/tx"])("a path that could be read as more is refused: %j", async (path) => {
    const server = await tcp(() => {});
    expect(() => laneTo(server.url).send({ method: "POST", path, body: "" })).toThrow("plain text");
  });
});

describe("connections stand ready", () => {
  test("from the start, and again after the server closed them", async () => {
    const server = await tcp(answering(() => answer("{}")));
    const lane = laneTo(server.url, { warmConnections: 3 });
    await until("three connections", () => server.sockets.length === 3);
    expect((await post(lane)).kind).toBe("answered");
    expect(server.sockets.length, "the request opened none").toBe(3);
    for (const socket of server.sockets) socket.end();
    await until("three more", () => server.sockets.length === 6);
  });

  test("as many requests at once as there are connections, and the rest in line", async () => {
    const timeoutMs = 2999;
    const deadlines: (() => void)[] = [];
    const after: Clock["after"] = (delayMs, run) => {
      if (delayMs !== timeoutMs) return systemClock.after(delayMs, run);
      deadlines.push(run);
      return { cancel: () => {} };
    };
    const server = await tcp(() => {});
    const lane = laneTo(server.url, { connections: 2, timeoutMs }, { ...systemClock, after });
    const ends = Array.from({ length: 4 }, () => post(lane));
    await until("two requests", () => server.sockets.filter(({ bytesRead }) => bytesRead > 0).length === 2);
    deadlines[3]?.();
    expect(await ends[3], "it never left the line").toMatchObject({ kind: "notSent", why: "timeout" });
    server.sockets[0]?.write(answer("{}"));
    await Promise.race(ends);
    await until("the third", () => server.sockets[0]?.bytesRead === 2 * (server.sockets[1]?.bytesRead ?? 0));
    for (const deadline of deadlines) deadline();
    expect((await Promise.all(ends)).map(({ kind }) => kind).toSorted()).toEqual([
      "answered",
      "lost",
      "lost",
      "notSent",
    ]);
    expect(server.sockets.length).toBe(2);
  });

  test("an idle one is replaced before it is old, and none that is old carries a request", async () => {
    const hand = handClock();
    const server = await tcp(answering(() => answer("{}", "Keep-Alive: timeout=3")));
    const lane = laneTo(server.url, {}, hand.clock);
    await post(lane);
    hand.aheadMs = 500;
    hand.look();
    await until("its successor", () => server.sockets.length === 2);
    hand.aheadMs = 1500;
    hand.look();
    await until("the end of the first", () => server.sockets[0]?.closed);
    hand.aheadMs = 60_000;
    expect((await post(lane)).kind, "on a connection of its own").toBe("answered");
    expect(server.sockets.at(-1)?.bytesRead).toBeGreaterThan(0);
    expect(server.sockets.length).toBeGreaterThan(2);
  });

  test("a server that hangs up at once is asked again at the next look only", async () => {
    const { clock, look } = handClock();
    const server = await tcp((socket) => socket.destroy());
    laneTo(server.url, {}, clock);
    await until("the first", () => server.sockets[0]?.closed);
    // The lane hears of the end a moment after the server: a look before that finds a connection.
    await until("the second", () => {
      if (server.sockets.length < 2) look();
      return server.sockets[1]?.closed;
    });
    expect(server.sockets.length).toBe(2);
  });
});

describe("answers that are not to be trusted", () => {
  test("a whole answer before a request makes the connection useless, and answers nothing", async () => {
    const server = await tcp((socket, count) => {
      if (count === 1) socket.write(answer("stray"));
      else answering(() => answer("mine"))(socket);
    });
    const lane = laneTo(server.url);
    await until("the end of the first", () => server.sockets[0]?.closed);
    expect(await post(lane)).toMatchObject({ kind: "answered", body: "mine" });
  });

  test.each([
    ["a second answer behind it", answer("{}") + answer("{}")],
    ["rubbish behind it", `${answer("{}")}\r\n`],
    ["a head that is too long", `HTTP/1.1 200 OK\r\n${"X: y\r\n".repeat(4000)}`],
    ["a body that is too long", answer("x".repeat(10_001))],
  ])("%s: lost, and the connection with it", async (_, reply) => {
    const server = await tcp((socket, count) => answering(() => (count === 1 ? reply : answer("good")))(socket));
    const lane = laneTo(server.url);
    expect(await post(lane)).toMatchObject({ kind: "lost" });
    expect(await post(lane)).toMatchObject({ kind: "answered", body: "good" });
    expect(server.sockets[0]?.bytesRead, "the first carried one request").toBe(server.sockets[1]?.bytesRead);
  });

  test("without a length it counts once the server has closed the connection in order, and not when it breaks off", async () => {
    const server = await tcp((socket, count) =>
      socket.on("data", () => {
        socket.write("HTTP/1.1 429 Too Many Requests\r\nRetry-After: 2\r\n\r\n{}", () => {
          if (count === 1) socket.end();
          else socket.resetAndDestroy();
        });
      }),
    );
    const lane = laneTo(server.url, { warmConnections: 0 });
    expect(await post(lane)).toMatchObject({ kind: "answered", httpStatus: 429, body: "{}", retryAfter: "2" });
    expect(await post(lane)).toMatchObject({ kind: "lost", why: "connection" });
  });

  test("rubbish some time after it: the answer counts, and the connection carries no other", async () => {
    const server = await tcp(answering(() => answer("{}")));
    const lane = laneTo(server.url);
    expect(await post(lane)).toMatchObject({ kind: "answered" });
    server.sockets[0]?.write("more");
    await until("its end", () => server.sockets[0]?.closed);
    expect(await post(lane)).toMatchObject({ kind: "answered" });
  });

  test("an answer before the request was taken whole is lost", async () => {
    const server = await tcp((socket) => {
      socket.pause();
      socket.write(answer("{}"));
    });
    const lane = laneTo(server.url, { warmConnections: 0 });
    expect(await post(lane, "x".repeat(20_000_000))).toMatchObject({ kind: "lost", why: "malformed" });
  });

  test("interim answers and an answer in pieces are one answer", async () => {
    const server = await tcp((socket) =>
      socket.on("data", async () => {
        const text = `HTTP/1.1 100 Continue\r\n\r\n${answer("{}", "Connection: close")}`;
        for (const byte of text) await new Promise((done) => socket.write(byte, done));
      }),
    );
    const lane = laneTo(server.url);
    expect(await post(lane)).toMatchObject({ kind: "answered", body: "{}" });
    await until("its end", () => server.sockets[0]?.closed);
    expect(await post(lane)).toMatchObject({ kind: "answered", body: "{}" });
  });
});

describe("a connection that ends", () => {
  test("while it is idle, in the instant of the write: lost, and not one byte of it anywhere else", async () => {
    const server = await tcp(answering(() => answer("{}")));
    const lane = laneTo(server.url, { warmConnections: 2 });
    await until("both", () => server.sockets.length === 2);
    await post(lane);
    const read = () => server.sockets.map(({ bytesRead }) => bytesRead).reduce((sum, bytes) => sum + bytes, 0);
    const before = read();
    // The server's end is on its way when the request is written: this task has not given it to the client yet.
    for (const socket of server.sockets) socket.resetAndDestroy();
    const end = await post(lane);
    expect(end).toMatchObject({ kind: "lost", why: "connection" });
    expect(read()).toBe(before);
  });

  test("before it was made: not sent, for each that waits", async () => {
    const server = await tcp(() => {});
    await server.close();
    const lane = laneTo(server.url, { warmConnections: 0 });
    const ends = await Promise.all([post(lane), post(lane), post(lane), post(lane), post(lane)]);
    expect(ends.map(({ kind }) => kind)).toEqual(Array.from({ length: 5 }, () => "notSent"));
  });
});

describe("TLS", () => {
  const pem = (name: string): string =>
    readFileSync(new URL(`../../../support/tls/${name}.pem`, import.meta.url), "utf8");
  const usual = getCACertificates("default");
  afterEach(() => setDefaultCACertificates(usual));

  async function serveTls(ALPNProtocols?: string[]) {
    const seen: { servername: unknown; protocol: unknown }[] = [];
    const server = createServer(
      { key: pem("key"), cert: pem("cert"), ...(ALPNProtocols && { ALPNProtocols }) },
      (socket) => {
        seen.push({ servername: socket.servername, protocol: socket.alpnProtocol });
        socket.on("error", () => {});
        answering(() => answer("{}"))(socket);
      },
    );
    server.on("tlsClientError", () => {});
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    open.push({ close: () => new Promise((done) => server.close(() => done())) });
    const { port } = server.address() as { port: number };
    return { seen, origin: (host: string) => `https://${host}:${port}` };
  }

  test("a certificate that is valid for the host: answered, in HTTP/1.1, the server told its name", async () => {
    setDefaultCACertificates([...usual, pem("cert")]);
    const server = await serveTls(["h2", "http/1.1"]);
    expect(await post(laneTo(server.origin("localhost")))).toMatchObject({ kind: "answered" });
    expect(server.seen[0]).toEqual({ servername: "localhost", protocol: "http/1.1" });
  });

  test("one that nobody vouches for, and one of another host: not sent", async () => {
    const server = await serveTls();
    expect(await post(laneTo(server.origin("localhost")))).toMatchObject({ kind: "notSent" });
    setDefaultCACertificates([...usual, pem("cert")]);
    expect(await post(laneTo(server.origin("127.0.0.1")))).toMatchObject({ kind: "notSent" });
  });

  test("a server that speaks HTTP/2 alone: not sent", async () => {
    setDefaultCACertificates([...usual, pem("cert")]);
    const server = await serveTls(["h2"]);
    expect(await post(laneTo(server.origin("localhost")))).toMatchObject({ kind: "notSent" });
  });
});
