// Every way a submit can end, over real sockets: what was never written is not sent, what may have arrived is unknown.

import { afterEach, describe, expect, test } from "vitest";
import type { Venue } from "../../../../src/bot/venue/port.ts";
import {
  createRemoteVenue,
  defaultRemoteOptions,
  type RemoteOptions,
} from "../../../../src/bot/venue/remote/remote.ts";
import { systemClock } from "../../../../src/kernel/clock.ts";
import { createPrng } from "../../../../src/kernel/prng.ts";
import { until } from "../../../support/until.ts";
import { deadUrl, heldClock, type Loopback, serveHttp, serveTcp } from "./loopback.ts";

const open: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((thing) => thing.close()));
});

const BODY = `{"transaction":{"CancelOrder":{"order_id":18446744073709551615}},"nonce":1}`;

function venueAt(validatorUrl: string, options: Partial<RemoteOptions> = {}, clock = systemClock): Venue {
  const venue = createRemoteVenue(
    { ...defaultRemoteOptions, submitTimeoutMs: 3000, readTimeoutMs: 3000, validatorUrl, ...options },
    { clock, prng: createPrng(1n), report: () => {} },
  );
  open.push(venue);
  return venue;
}

async function http(status: number, body: string, headers: Record<string, string> = {}) {
  const server = await serveHttp((_, response) => response.writeHead(status, headers).end(body));
  open.push(server);
  return server;
}

async function tcp(onSocket: Parameters<typeof serveTcp>[0]): Promise<Loopback> {
  const server = await serveTcp(onSocket);
  open.push(server);
  return server;
}

describe("answers", () => {
  test("the bytes arrive as they are, once, and success is executed with its events", async () => {
    const server = await http(200, `{"status":"success","hash":"h","events":[]}`);
    const outcome = await venueAt(server.url).submit(BODY, "place");
    expect(outcome).toEqual({ kind: "executed", hash: "h", events: [] });
    expect(server.received).toEqual([{ method: "POST", path: "/v1/tx", body: BODY }]);
  });

  test("a base path stands before the interface's path", async () => {
    const server = await http(200, `{"status":"success","hash":"h","events":[]}`);
    await venueAt(`${server.url}/gateway/`).submit(BODY, "place");
    expect(server.received[0]?.path).toBe("/gateway/v1/tx");
  });

  test.each([200, 400, 409, 422])("failed with a hash is refused whatever the HTTP status (%i)", async (status) => {
    const server = await http(status, `{"status":"failed","hash":"h","events":[],"error":"insufficient margin"}`);
    const outcome = await venueAt(server.url).submit(BODY, "place");
    expect(outcome).toEqual({ kind: "refused", hash: "h", error: "insufficient margin" });
  });

  test("4xx without a hash is rejected", async () => {
    const server = await http(400, `{"error":"nonce used"}`);
    expect(await venueAt(server.url).submit(BODY, "place")).toMatchObject({ kind: "rejected", httpStatus: 400 });
  });

  test("429 is a rate limit with the time to wait", async () => {
    const server = await http(429, `{"error":"slow down"}`, { "retry-after": "2" });
    expect(await venueAt(server.url).submit(BODY, "place")).toMatchObject({ kind: "rateLimited", retryAfterMs: 2000 });
  });

  test.each([
    [500, `{"error":"boom"}`],
    [502, "<html>bad gateway</html>"],
    [503, ""],
    [200, "not json"],
    [200, `{"status":"success"}`],
    [302, ""],
  ])("%i %j is unknown", async (status, body) => {
    const server = await http(status, body, status === 302 ? { location: "/elsewhere" } : {});
    expect(await venueAt(server.url).submit(BODY, "place")).toMatchObject({ kind: "unknown" });
    expect(server.received.length, "no redirect followed, nothing sent twice").toBe(1);
  });

  test("bytes that are not UTF-8 are unknown", async () => {
    const server = await serveHttp((_, response) => response.end(Buffer.from([0xff, 0xfe, 0x80])));
    open.push(server);
    expect(await venueAt(server.url).submit(BODY, "place")).toMatchObject({ kind: "unknown" });
  });
});

describe("connections that fail", () => {
  test("nobody listening: not sent", async () => {
    expect(await venueAt(await deadUrl()).submit(BODY, "place")).toMatchObject({ kind: "notSent" });
  });

  test("a name that does not resolve: not sent", async () => {
    const outcome = await venueAt("http://no-such-host.invalid", { submitTimeoutMs: 5000 }).submit(BODY, "place");
    expect(outcome.kind).toBe("notSent");
  });

  test("TLS to a server that speaks none: not sent", async () => {
    const server = await tcp((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    const outcome = await venueAt(server.url.replace("http:", "https:")).submit(BODY, "place");
    expect(outcome.kind).toBe("notSent");
  });

  test("reset after the request was written: unknown, and never sent again", async () => {
    let requests = 0;
    const server = await tcp((socket) =>
      socket.on("data", () => {
        requests += 1;
        socket.resetAndDestroy();
      }),
    );
    expect(await venueAt(server.url).submit(BODY, "place")).toMatchObject({ kind: "unknown" });
    expect(requests).toBe(1);
  });

  test("silence after the request was written: unknown after the time limit", async () => {
    const server = await serveHttp(() => {});
    open.push(server);
    const { clock, pass } = heldClock();
    const outcome = venueAt(server.url, {}, clock).submit(BODY, "place");
    await until("the request to arrive", () => server.received.length === 1);
    pass();
    expect(await outcome).toEqual({ kind: "unknown", why: "no answer in time" });
  });

  test("an answer that stops in the middle: unknown", async () => {
    const server = await tcp((socket) =>
      socket.on("data", () => socket.end(`HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"status":"succ`)),
    );
    expect(await venueAt(server.url).submit(BODY, "place")).toMatchObject({ kind: "unknown" });
  });

  test("an answer without end: unknown, cut off", async () => {
    const server = await serveHttp((_, response) => {
      response.writeHead(200);
      const more = (): void => {
        while (response.write("x".repeat(65_536)));
        response.once("drain", more);
      };
      more();
    });
    open.push(server);
    const outcome = await venueAt(server.url, { submitTimeoutMs: 10_000 }).submit(BODY, "place");
    expect(outcome).toMatchObject({ kind: "unknown", why: expect.stringContaining("tooLarge") });
  });

  test("no connection free before the limit: not sent, and not sent later either", async () => {
    const server = await serveHttp(({ method }, response) => {
      if (method === "GET") response.end();
    });
    open.push(server);
    const { clock, pass } = heldClock();
    const venue = venueAt(server.url, { submitConnections: 1 }, clock);
    const [first, second] = [venue.submit("first", "place"), venue.submit("second", "place")];
    await until("the first to arrive", () => server.received.length === 1);
    pass();
    expect([await first, await second].map(({ kind }) => kind)).toEqual(["unknown", "notSent"]);
    await venueAt(server.url)
      .reads.node()
      .catch(() => {}); // The server is still there to hear of it.
    expect(server.received.filter(({ method }) => method === "POST").map(({ body }) => body)).toEqual(["first"]);
  });

  test("closing ends what is under way as unknown, and what comes after as not sent", async () => {
    const server = await serveHttp(() => {});
    open.push(server);
    const venue = venueAt(server.url, { submitTimeoutMs: 10_000 });
    const underWay = venue.submit(BODY, "place");
    await until("the request to arrive", () => server.received.length === 1);
    await venue.close();
    expect(await underWay).toMatchObject({ kind: "unknown" });
    expect(await venue.submit(BODY, "place")).toMatchObject({ kind: "notSent" });
  });
});

test("cancels have their own connections: nothing stands before them", async () => {
  const server = await serveHttp(({ body }, response) => {
    if (body === "cancel") response.end(`{"status":"success","hash":"h","events":[]}`);
  });
  open.push(server);
  const venue = venueAt(server.url, { submitConnections: 2, submitTimeoutMs: 5000 });
  const stuck = [1, 2, 3, 4, 5].map(() => venue.submit("place", "place"));
  await until("the places to fill their lane", () => server.received.length === 2);
  expect(await venue.submit("cancel", "cancel")).toMatchObject({ kind: "executed" });
  await venue.close();
  await Promise.all(stuck);
});

test("connections are kept: requests one after another use no more than two", async () => {
  const ports = new Set<number | undefined>();
  const server = await serveHttp((_, response) => {
    ports.add(response.req.socket.remotePort);
    response.end(`{"status":"success","hash":"h","events":[]}`);
  });
  open.push(server);
  const venue = venueAt(server.url);
  for (let count = 0; count < 10; count += 1) await venue.submit(BODY, "place");
  // The first is still being put back when the second request leaves.
  expect(ports.size).toBeLessThanOrEqual(2);
});
