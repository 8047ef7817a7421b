// The live stream over real sockets: subscribes, proves that it is alive, is replaced when it dies, and trusts no frame that does not parse.

import { afterEach, describe, expect, test } from "vitest";
import type { Channel, VenueStream } from "../../../../src/bot/venue/port.ts";
import {
  createRemoteVenue,
  defaultRemoteOptions,
  type RemoteOptions,
} from "../../../../src/bot/venue/remote/remote.ts";
import type { RemoteReport } from "../../../../src/client/stream/report.ts";
import type { StreamEvent } from "../../../../src/domain/event.ts";
import { accountId } from "../../../../src/domain/units.ts";
import { systemClock } from "../../../../src/kernel/clock.ts";
import { createPrng } from "../../../../src/kernel/prng.ts";
import { until } from "../../../support/until.ts";
import { deadUrl, type Loopback, serveTcp, serveWs } from "./loopback.ts";

const open: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((thing) => thing.close()));
});

const channels: readonly Channel[] = [
  { channel: "orderbook", marketId: 1 },
  { channel: "fills", accountId: accountId(12n) },
];
const PONG = `{"type":"pong","blockHeight":7,"blockTimeMs":1700000000000}`;
const BOOK = `{"type":"orderbookSnapshot","market_id":1,"bids":[],"asks":[]}`;

type Listening = {
  readonly events: StreamEvent[];
  readonly reports: RemoteReport[];
  readonly stream: VenueStream;
  readonly kinds: () => readonly string[];
};

function listenTo(server: Pick<Loopback, "url">, options: Partial<RemoteOptions> = {}): Listening {
  const events: StreamEvent[] = [];
  const reports: Listening["reports"] = [];
  const venue = createRemoteVenue(
    {
      ...defaultRemoteOptions,
      validatorUrl: "http://127.0.0.1:1",
      wsUrl: server.url.replace("http:", "ws:"),
      pingMs: 20,
      pongTimeoutMs: 200,
      silenceMs: 1000,
      reconnect: { firstMs: 5, maxMs: 20, steadyMs: 10_000 },
      ...options,
    },
    { clock: systemClock, prng: createPrng(1n), report: (report) => reports.push(report) },
  );
  open.push(venue);
  const stream = venue.stream(channels, (event) => events.push(event));
  return { events, reports, stream, kinds: () => events.map(({ kind }) => kind) };
}

async function ws(onConnection: Parameters<typeof serveWs>[0]) {
  const server = await serveWs(onConnection);
  open.push(server);
  return server;
}

/** Answers pings, and does what a test wants with each connection. */
const lively =
  (then: Parameters<typeof serveWs>[0] = () => {}): Parameters<typeof serveWs>[0] =>
  (socket, count) => {
    socket.on("message", (content) => {
      if (content.toString() === `{"type":"ping"}`) socket.send(PONG);
    });
    then(socket, count);
  };

describe("a connection", () => {
  test("subscribes everything first, tells that it is open, then pings and turns frames into events", async () => {
    const server = await ws(lively((socket) => socket.on("message", () => socket.send(BOOK))));
    const { events, kinds } = listenTo(server);
    await until("a pong", () => kinds().includes("pong"));
    expect(kinds()[0]).toBe("streamOpened");
    expect(kinds()).toContain("book");
    expect(JSON.parse(server.heard[0] ?? "")).toEqual({
      type: "subscribe",
      channels: [
        { channel: "orderbook", market_id: 1 },
        { channel: "fills", account_id: 12 },
      ],
    });
    const pong = events.find((event) => event.kind === "pong");
    expect(pong).toMatchObject({ height: 7, blockTimeMs: 1_700_000_000_000 });
    if (pong?.kind === "pong") expect(pong.sentMs).toBeLessThanOrEqual(pong.receivedMs);
  });

  test("pings again and again", async () => {
    const { kinds } = listenTo(await ws(lively()));
    await until("three pongs", () => kinds().filter((kind) => kind === "pong").length >= 3);
  });

  test("answers a ping of the server's with one of its own", async () => {
    const server = await ws((socket) => socket.send(`{"type":"ping"}`));
    listenTo(server, { pingMs: 60_000 });
    await until("two pings", () => server.heard.filter((text) => text === `{"type":"ping"}`).length === 2);
  });

  test("a pong that nobody asked for tells no round trip and is no event", async () => {
    const server = await ws((socket) => {
      socket.on("message", (content) => {
        if (content.toString() === `{"type":"ping"}`) for (const pong of [PONG, PONG, BOOK]) socket.send(pong);
      });
    });
    const { kinds } = listenTo(server, { pingMs: 60_000 });
    await until("the book", () => kinds().includes("book"));
    expect(kinds().filter((kind) => kind === "pong").length).toBe(1);
  });
});

describe("frames that are not what the interface says", () => {
  const garbage = [
    "",
    "not json",
    "[5]",
    `{"type":null}`,
    `{"type":"orderbookSnapshot","market_id":1,"bids":[{}],"asks":[]}`,
  ];

  test("are told of, never trusted, and end nothing", async () => {
    const server = await ws(
      lively((socket) => {
        for (const frame of [...garbage, ...garbage]) socket.send(frame);
        socket.send(Buffer.from([1, 2, 3]));
        socket.send(`{"type":"somethingNew","x":1}`);
        socket.send(`{"type":"somethingNew","x":2}`);
        socket.send(`{"type":"error","message":"no such channel"}`);
        socket.send(BOOK);
      }),
    );
    const { kinds, reports } = listenTo(server);
    await until("the book behind them", () => kinds().includes("book"));
    expect(server.connections()).toBe(1);
    const told = (kind: RemoteReport["kind"]) => reports.filter((report) => report.kind === kind);
    expect(told("frameMalformed").length).toBe(2 * garbage.length + 1);
    expect(told("frameIgnored")).toEqual(Array(2).fill({ kind: "frameIgnored", type: "somethingNew" }));
    expect(told("streamRefused").length).toBe(1);
  });

  test("one that is too large ends the connection, and the next one works", async () => {
    const server = await ws(
      lively((socket, count) => {
        if (count === 1) socket.send("x".repeat(3_000_000));
      }),
    );
    const { kinds, events } = listenTo(server);
    await until("a second connection", () => kinds().filter((kind) => kind === "streamOpened").length >= 2);
    expect(events.find(({ kind }) => kind === "streamClosed")).toMatchObject({ epoch: 1, reason: "failed" });
  });
});

describe("a dead connection is replaced, as a new epoch with everything subscribed again", () => {
  async function expectReplaced(onFirst: Parameters<typeof serveWs>[0], reason: string, options = {}): Promise<void> {
    const server = await ws((socket, count) => (count === 1 ? onFirst(socket, count) : lively()(socket, count)));
    const { events, kinds, reports } = listenTo(server, options);
    await until("the second connection", () => kinds().filter((kind) => kind === "streamOpened").length >= 2);
    const lifecycle = events.filter(({ kind }) => kind.startsWith("stream"));
    expect(lifecycle.slice(0, 3)).toMatchObject([
      { kind: "streamOpened", epoch: 1 },
      { kind: "streamClosed", epoch: 1, reason },
      { kind: "streamOpened", epoch: 2 },
    ]);
    await until("a second subscribe", () => server.heard.filter((text) => text.includes("subscribe")).length >= 2);
    expect(reports.some((report) => report.kind === "streamEnded" && report.reason === reason)).toBe(true);
  }

  test("closed by the server", () => expectReplaced((socket) => socket.on("message", () => socket.close()), "closed"));
  test("destroyed by the server", () =>
    expectReplaced((socket) => socket.on("message", () => socket.terminate()), "closed"));
  test("no pong in time", () => expectReplaced((socket) => socket.send(BOOK), "pongTimeout"));
  test("books but no pong: a half-open connection that still delivers", () =>
    expectReplaced((socket) => {
      const timer = setInterval(() => socket.send(BOOK), 10);
      socket.on("close", () => clearInterval(timer));
    }, "pongTimeout"));
  test("silent", () => expectReplaced(() => {}, "silent", { pongTimeoutMs: 60_000, silenceMs: 150 }));
});

describe("connections that never come to be", () => {
  test("nobody listening: tried again and again, with no event", async () => {
    const { events, reports } = listenTo({ url: await deadUrl() });
    await until("five attempts", () => reports.filter((report) => report.kind === "streamEnded").length >= 5);
    expect(events).toEqual([]);
    expect(reports).toMatchObject(
      Array(reports.length).fill({
        kind: "streamEnded",
        reason: "refused",
        why: expect.stringMatching(/ECONNREFUSED/),
      }),
    );
  });

  test("a server that accepts and says nothing is given up", async () => {
    const server = await serveTcp(() => {});
    open.push(server);
    const { reports } = listenTo(server, { readTimeoutMs: 300 });
    await until("the handshake to be given up", () => reports.some((report) => report.kind === "streamEnded"));
  });

  test("a server that speaks no WebSocket is refused", async () => {
    const server = await serveTcp((socket) => socket.end("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"));
    open.push(server);
    const { reports } = listenTo(server);
    await until("an end", () => reports.some((report) => report.kind === "streamEnded" && report.reason === "refused"));
  });
});

describe("closing", () => {
  test("tells that the stream is closed, at once, and nothing after that", async () => {
    const server = await ws(lively());
    const { events, kinds, stream } = listenTo(server);
    await until("a pong", () => kinds().includes("pong"));
    stream.close();
    expect(events.at(-1)).toMatchObject({ kind: "streamClosed", epoch: 1, reason: "requested" });
    const count = events.length;
    const again = listenTo(server);
    await until("a later connection to work", () => again.kinds().includes("pong"));
    expect(events.length).toBe(count);
    expect(server.connections()).toBe(2);
  });

  test("before the connection came to be: no event at all", async () => {
    const server = await ws(lively());
    const { events, stream } = listenTo(server);
    stream.close();
    const again = listenTo(server);
    await until("a later connection to work", () => again.kinds().includes("pong"));
    expect(events).toEqual([]);
  });
});

test("frames with several messages and frames not marked as text are read, and one that is wrong takes no other with it", async () => {
  const server = await ws(
    lively((socket) => {
      socket.send(`[${BOOK},{"type":"orderPlaced"},${BOOK}]`);
      socket.send(Buffer.from(BOOK), { binary: true });
      socket.send(Buffer.from([0xff, 0xfe]), { binary: true });
    }),
  );
  const { kinds, reports } = listenTo(server);
  await until("both reports", () => reports.length === 2);
  expect(kinds().filter((kind) => kind === "book")).toHaveLength(3);
  expect(reports).toMatchObject([
    { kind: "frameMalformed", code: "field_missing" },
    { kind: "frameMalformed", code: "binary" },
  ]);
});
