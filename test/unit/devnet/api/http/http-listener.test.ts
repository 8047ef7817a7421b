// The HTTP listener against clients that mean well, err, dawdle or attack.
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { ResponseFault } from "../../../../../src/devnet/api/faults/faults.ts";
import { createHost, type Log } from "../../../../../src/devnet/api/http/host.ts";
import {
  type HttpListener,
  type Limits,
  ListenError,
  listen,
} from "../../../../../src/devnet/api/http/http-listener.ts";
import { openDoor } from "../../../../../src/devnet/api/http/open-door.ts";
import { json } from "../../../../../src/devnet/api/http/reply.ts";
import { get, post, type Route } from "../../../../../src/devnet/api/http/router.ts";
import { createThrottle } from "../../../../../src/devnet/api/http/throttle.ts";
import { systemClock } from "../../../../../src/kernel/clock.ts";
import { until } from "../../../../support/until.ts";

const routes: readonly Route[] = [
  get("/v1/things", () => json([1, 2n ** 64n])),
  get("/v1/things/{id}", ({ params, query }) => json({ id: params.id ?? null, page: query.get("page") })),
  get("/v1/things/special", () => json("special")),
  post("/v1/things", ({ body, header }) => json({ bytes: body.length, kind: header("x-kind") ?? null })),
  get("/v1/large", () => json("x".repeat(8_000_000))),
  get("/v1/never", () => new Promise(() => {})),
  get("/v1/broken", () => {
    throw new Error("the secret is 42");
  }),
];

const open: HttpListener[] = [];
const logged: string[] = [];

/** A second that lasts as long as a loaded machine needs. */
const standingClock = { ...systemClock, monotonicMs: () => 0 };

async function started(extra: { fault?: ResponseFault; throttlePerSec?: number; limits?: Partial<Limits> } = {}) {
  const { fault, throttlePerSec, limits } = extra;
  const log: Log = (message) => logged.push(message);
  const throttle = throttlePerSec === undefined ? undefined : createThrottle(throttlePerSec, standingClock);
  const listener = await listen(
    {
      name: "test",
      host: "127.0.0.1",
      port: 0,
      bodyBytesMax: 1000,
      ...(limits && { limits }),
    },
    {
      host: createHost(routes, { log, throttle }),
      door: openDoor,
      clock: systemClock,
      log,
      ...(fault && { faultFor: () => fault }),
    },
  );
  open.push(listener);
  return listener;
}

/** Writes bytes as they are and resolves with all that came back until the server ended the connection. */
function raw(url: string, text: string | Uint8Array): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1", () => socket.write(text));
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk.toString();
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(received));
  });
}

const holders: Socket[] = [];

afterEach(async () => {
  for (const socket of holders.splice(0)) socket.destroy();
  await Promise.all(open.splice(0).map((listener) => listener.close()));
  logged.length = 0;
});

describe("routes", () => {
  it("answer JSON with whole numbers of any size", async () => {
    const { url } = await started();
    const answer = await fetch(`${url}/v1/things`);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(await answer.text()).toBe("[1,18446744073709551616]");
  });

  it("decode segments and queries, and prefer the spelled-out path", async () => {
    const { url } = await started();
    expect(await (await fetch(`${url}/v1/things/a%20b?page=2`)).json()).toEqual({ id: "a b", page: "2" });
    expect(await (await fetch(`${url}/v1/things/special`)).json()).toBe("special");
  });

  it("answer HEAD like GET without the body", async () => {
    const { url } = await started();
    const answer = await fetch(`${url}/v1/things`, { method: "HEAD" });
    expect([answer.status, answer.headers.get("content-length"), await answer.text()]).toEqual([200, "24", ""]);
  });

  it("get the body's bytes", async () => {
    const { url } = await started();
    const answer = await fetch(`${url}/v1/things`, { method: "POST", body: "é", headers: { "x-kind": "k" } });
    expect(await answer.json()).toEqual({ bytes: 2, kind: "k" });
  });
});

describe("bad requests get one stable sentence and a code", () => {
  it.each([
    ["GET", "/nowhere", 404, "UNKNOWN_PATH"],
    ["GET", "/v1/things/", 404, "UNKNOWN_PATH"],
    ["GET", "/v1/things/%ff", 400, "MALFORMED_PATH"],
    ["DELETE", "/v1/things", 405, "METHOD_NOT_ALLOWED"],
    ["POST", "/v1/things/special", 405, "METHOD_NOT_ALLOWED"],
    ["GET", "/v1/broken", 500, "INTERNAL"],
  ])("%s %s: %i %s", async (method, path, status, code) => {
    const { url } = await started();
    const answer = await fetch(url + path, { method });
    const body = (await answer.json()) as { error: string; code: string };
    expect([answer.status, body.code]).toEqual([status, code]);
    expect(body.error).toMatch(/^[a-z].*[^.]$/);
  });

  it("a wrong method is told which are right", async () => {
    const { url } = await started();
    expect((await fetch(`${url}/v1/things`, { method: "PUT" })).headers.get("allow")).toBe("GET, HEAD, POST");
  });

  it("what a handler throws stays inside", async () => {
    const { url } = await started();
    expect(await (await fetch(`${url}/v1/broken`)).text()).not.toContain("42");
    expect(logged).toContain("a handler threw");
  });

  it("a body beyond the cap is 413, said or only sent", async () => {
    const { url } = await started();
    expect((await fetch(`${url}/v1/things`, { method: "POST", body: "x".repeat(1001) })).status).toBe(413);
    const chunk = `${(600).toString(16)}\r\n${"x".repeat(600)}\r\n`;
    const head = "POST /v1/things HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n";
    expect(await raw(url, head + chunk + chunk)).toContain(" 413 ");
    expect((await fetch(`${url}/v1/things`, { method: "POST", body: "x".repeat(1000) })).status).toBe(200);
  });

  it("headers beyond the cap are 431, noise is 400", async () => {
    const { url } = await started();
    expect(await raw(url, `GET / HTTP/1.1\r\nx: ${"y".repeat(9000)}\r\n\r\n`)).toContain("431 Request Header");
    expect(await raw(url, "\u0000\u0001\u0002 what\r\n\r\n")).toContain("MALFORMED_REQUEST");
  });
});

describe("a client that dawdles", () => {
  it("over its headers is sent away, and so is one that never says anything", async () => {
    const { url } = await started({ limits: { headersMs: 100, requestMs: 100 } });
    expect(await raw(url, "GET / HTTP/1.1\r\nhost:")).toContain("408 Request Timeout");
    expect(await raw(url, "")).toContain("408");
  });

  it("over its body is sent away and the handler never runs", async () => {
    const { url } = await started({ limits: { headersMs: 100, requestMs: 100 } });
    expect(await raw(url, "POST /v1/things HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nabc")).toContain("408");
  });

  it("does not keep others waiting", async () => {
    const { url } = await started();
    const idle = await Promise.all(
      Array.from({ length: 300 }, () => {
        const socket = connect(Number(new URL(url).port), "127.0.0.1");
        return new Promise<typeof socket>((resolve) => socket.on("connect", () => resolve(socket)));
      }),
    );
    expect((await fetch(`${url}/v1/things`)).status).toBe(200);
    for (const socket of idle) socket.destroy();
  });
});

/** A client that says `text`, reads nothing and never closes. */
async function holding(url: string, text: string): Promise<Socket> {
  const socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => {});
  await once(socket, "connect");
  holders.push(socket);
  socket.write(text);
  return socket;
}

const openAt = ({ server }: HttpListener) =>
  new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));

it("a client that pipelines gets every answer, in its order", async () => {
  const { url } = await started();
  const ask = (at: number, more = "") => `GET /v1/things/${at} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
  const post = "POST /v1/things HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\nabc";
  const all = Array.from({ length: 500 }, (_, at) => ask(at) + post).join("") + ask(500, "connection: close\r\n");
  const answers = await raw(url, all);
  expect([...answers.matchAll(/"id":"(\d+)"/g)].map(([, id]) => Number(id))).toEqual(
    Array.from({ length: 501 }, (_, at) => at),
  );
  expect(answers.split('"bytes":3')).toHaveLength(501);
});

describe("a client that never lets go", () => {
  const brief = { headersMs: 100, requestMs: 100, unreadMs: 100, endedMs: 50 };
  const post = "POST /v1/things HTTP/1.1\r\nhost: x\r\n";

  it.each([
    ["its headers never end", "GET / HTTP/1.1\r\nhost:"],
    ["it never says anything", ""],
    ["its body never ends", `${post}content-length: 10\r\n\r\nabc`],
    ["its body is too large", `${post}content-length: 2000\r\n\r\n${"x".repeat(1500)}`],
    ["it speaks TLS", "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001"],
    ["it posts where nothing is", "POST /nowhere HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nabc"],
    ["it asks to close", "GET /v1/things HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"],
    ["its answer stays unread", "GET /v1/large HTTP/1.1\r\nhost: x\r\n\r\n"],
    ["its answers stay unread", "GET /v1/large HTTP/1.1\r\nhost: x\r\n\r\n".repeat(8)],
    ["its last answer stays unread", "GET /v1/large HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"],
  ])("is let go of: %s", async (_, text) => {
    const listener = await started({ limits: brief });
    const holder = await holding(listener.url, text);
    holder.pause();
    await until("it is gone", async () => (await openAt(listener)) === 0);
  });

  it("having closed its own side, is let go of", async () => {
    const listener = await started({ limits: brief });
    const holder = await holding(listener.url, "GET /v1/large HTTP/1.1\r\nhost: x\r\n\r\n");
    holder.pause();
    holder.end();
    await until("it is gone", async () => (await openAt(listener)) === 0);
  });

  it("does not keep others out, whether it is silent, slow with a body, or has left its answer unread", async () => {
    const listener = await started({ limits: { connectionsMax: 6 } });
    const slow = "POST /v1/things HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nabc";
    const unread = "GET /v1/large HTTP/1.1\r\nhost: x\r\n\r\n";
    for (const text of ["", "GET", slow]) {
      for (let i = 0; i < 7; i += 1) await holding(listener.url, text);
      expect((await fetch(`${listener.url}/v1/things`)).status).toBe(200);
    }
    expect(await openAt(listener)).toBeLessThanOrEqual(6);
    const brisk = await started({ limits: { connectionsMax: 3, unreadMs: 1000 } });
    for (let i = 0; i < 3; i += 1) (await holding(brisk.url, unread)).pause();
    await until("there is room", () =>
      fetch(`${brisk.url}/v1/things`).then(
        ({ status }) => status === 200,
        () => false,
      ),
    );
  });

  it("makes room before one that is served does", async () => {
    const listener = await started({ limits: { connectionsMax: 4 } });
    const ask = "GET /v1/things HTTP/1.1\r\nhost: x\r\n\r\n";
    const served = await holding(listener.url, ask);
    let heard = "";
    served.on("data", (chunk) => {
      heard += chunk;
    });
    await until("the first answer", () => heard.includes("]"));
    for (let i = 0; i < 20; i += 1) await holding(listener.url, "GET");
    heard = "";
    served.write(ask);
    await until("the second answer", () => heard.includes("]"));
  });

  it("may not have more requests under way than the bound", async () => {
    const listener = await started({ limits: { pipelinedMax: 10 } });
    const ask = "GET /v1/never HTTP/1.1\r\nhost: x\r\n\r\n";
    const polite = await holding(listener.url, ask.repeat(10));
    expect(await raw(listener.url, ask.repeat(11))).toBe("");
    expect(polite.destroyed).toBe(false);
    expect(await openAt(listener)).toBe(1);
  });
});

describe("throttle", () => {
  it("answers 429 with Retry-After beyond the rate", async () => {
    const { url } = await started({ throttlePerSec: 2 });
    const statuses: number[] = [];
    for (let i = 0; i < 4; i += 1) {
      const answer = await fetch(`${url}/v1/things`);
      statuses.push(answer.status);
      if (answer.status === 429) expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
      await answer.text();
    }
    expect(statuses).toEqual([200, 200, 429, 429]);
  });
});

describe("response faults", () => {
  const asIs: ResponseFault = { delayBeforeMs: 0, execute: true, delayAfterMs: 0, answer: "asIs" };

  it("hangs up without an answer", async () => {
    const { url } = await started({ fault: { ...asIs, answer: "hangUp" } });
    await expect(fetch(`${url}/v1/things`)).rejects.toThrow();
  });

  it("replaces the answer", async () => {
    const { url } = await started({ fault: { ...asIs, execute: false, answer: json("no", 503) } });
    expect((await fetch(`${url}/v1/things`)).status).toBe(503);
  });

  it("never answers, and closing the listener still ends", async () => {
    const listener = await started({ fault: { ...asIs, answer: "silence" } });
    const asked = httpRequest(`${listener.url}/v1/things`);
    const ended = new Promise((resolve) => asked.on("error", resolve));
    asked.end();
    await new Promise((resolve) => listener.server.once("request", resolve));
    await listener.close();
    await ended;
  });
});

it("a port in use is one clear error", async () => {
  const { url } = await started();
  const port = Number(new URL(url).port);
  const again = listen(
    { name: "validator", host: "127.0.0.1", port, bodyBytesMax: 1 },
    { host: createHost([], { log: () => {} }), door: openDoor, clock: systemClock, log: () => {} },
  );
  await expect(again).rejects.toThrow(`validator: port ${port} on 127.0.0.1 is in use`);
  await expect(again).rejects.toBeInstanceOf(ListenError);
});
