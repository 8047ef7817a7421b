// The daemon's HTTP over real sockets: routes are routes, and no other site, host or size gets to them.

import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Access, type ScopedToken } from "../../../../src/bot/telemetry/access.ts";
import {
  type HttpServer,
  json,
  type PostCall,
  plain,
  type Routes,
  type Sink,
  serveHttp,
  stream,
} from "../../../../src/bot/telemetry/http.ts";
import type { Scope } from "../../../../src/bot/telemetry/scopes.ts";
import { systemClock } from "../../../../src/kernel/clock.ts";
import { until } from "../../../support/until.ts";

type Handler = Routes extends ReadonlyMap<string, infer H> ? H : never;

const TOKEN = "a-token-of-the-test";
const page: Routes = new Map<string, Handler>([
  ["GET /", () => ({ status: 200, type: "text/html", body: "<p>the page</p>" })],
  ["GET /page.js", () => plain(200, "script")],
  ["GET /large.js", () => ({ ...plain(200, "script"), gzip: gzipSync("script") })],
]);
const calls: PostCall[] = [];
/** Tokens below the administrator's. */
let scoped: readonly ScopedToken[] = [];
function serve(host: string, routes: Routes, port = 0, requireTokenForReads = false): Promise<HttpServer> {
  const access = new Access(
    { host, token: TOKEN, scoped: () => scoped, requireTokenForReads, hosts: ["quoin.lan"] },
    systemClock,
  );
  return serveHttp({ host, port }, { routes, page, access, onPost: (call) => calls.push(call) });
}

let server: HttpServer;
let port: number;
const posted: string[] = [];

beforeAll(async () => {
  const routes: Routes = new Map<string, Handler>([
    ["GET /plain", () => plain(200, "words")],
    ["GET /query", ({ query }) => json(200, { page: query.get("page") })],
    [
      "POST /halt",
      ({ body }) => {
        posted.push(body);
        return json(200, { done: true });
      },
    ],
    ["GET /halt", () => plain(200, "never")],
    ["POST /orders/*/cancel", ({ path, token }) => json(200, { path, token })],
    ["GET /broken", () => Promise.reject(new Error("with a secret"))],
    ["GET /parts", () => ({ ...plain(200, ""), body: "", parts: parts(false) })],
    ["GET /broken-parts", () => ({ ...plain(200, ""), body: "", parts: parts(true) })],
  ]);
  server = await serve("127.0.0.1", routes);
  port = Number(new URL(server.url).port);
});
afterAll(() => server.close());

async function* parts(isBroken: boolean): AsyncGenerator<string> {
  yield "one ";
  if (isBroken) throw new Error("with a secret");
  yield "two";
}

type Sent = {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** With exactly these headers: fetch would not let a Host be said. */
function ask({ method = "GET", path = "/plain", headers = {}, body = "" }: Sent) {
  return new Promise<{ status: number; headers: Record<string, unknown>; text: string }>((resolve, reject) => {
    const asking = request({ host: "127.0.0.1", port, method, path, headers, agent: false }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      answer.on("error", reject);
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
    });
    asking.on("error", reject);
    asking.end(body);
  });
}
const TYPE = { "content-type": "application/json" };
const BEARER = { authorization: `Bearer ${TOKEN}` };
const JSON_TYPE = { ...BEARER, ...TYPE };

describe("routes", () => {
  test("an answer with its type and length, never stored, never framed", async () => {
    const { status, headers, text } = await ask({});
    expect([status, text]).toEqual([200, "words\n"]);
    expect(headers).toMatchObject({
      "content-type": "text/plain; charset=utf-8",
      "content-length": "6",
      "cache-control": "no-store",
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
    });
    expect(headers["content-security-policy"]).toBe("default-src 'self'; frame-ancestors 'none'");
    expect(headers["access-control-allow-origin"]).toBeUndefined();
  });

  test("HEAD is GET without its body", async () => {
    expect(await ask({ method: "HEAD" })).toMatchObject({ status: 200, text: "", headers: { "content-length": "6" } });
  });

  test("a file goes out compressed to those who take it, and as it is to others", async () => {
    const plainly = await ask({ path: "/large.js" });
    expect([plainly.text, plainly.headers["content-encoding"]]).toEqual(["script\n", undefined]);
    const { headers } = await ask({ path: "/large.js", headers: { "accept-encoding": "br, gzip" } });
    expect(headers).toMatchObject({ "content-encoding": "gzip", "content-length": `${gzipSync("script").length}` });
    expect(await (await fetch(`${server.url}/large.js`)).text()).toBe("script");
  });

  test("parts are one body, and where one fails the answer breaks off", async () => {
    expect((await ask({ path: "/parts" })).text).toBe("one two");
    expect(await ask({ method: "HEAD", path: "/parts" })).toMatchObject({ status: 200, text: "" });
    await expect(ask({ path: "/broken-parts" })).rejects.toThrow(/aborted|hang up/);
  });

  test("the query is the route's", async () => {
    expect((await ask({ path: "/query?page=2" })).text).toBe('{"page":"2"}\n');
  });

  test("a * in a route is any one segment", async () => {
    const answer = await ask({ method: "POST", path: "/orders/7/cancel", headers: JSON_TYPE, body: "{}" });
    expect([answer.status, answer.text]).toEqual([200, '{"path":"/orders/7/cancel","token":null}\n']);
  });

  test.each<readonly [Sent, number, string]>([
    [{ path: "/nothing" }, 404, "no such page"],
    [{ path: "/plain/../halt/x" }, 404, "no such page"],
    [{ method: "POST", path: "/plain", headers: JSON_TYPE }, 405, "allowed here: GET"],
    [{ method: "GET", path: "/orders/7/cancel" }, 405, "allowed here: POST"],
    [{ method: "POST", path: "/orders//cancel", headers: JSON_TYPE }, 404, "no such page"],
    [{ method: "POST", path: "/orders/7/8/cancel", headers: JSON_TYPE }, 404, "no such page"],
    [{ method: "DELETE", path: "/halt", headers: BEARER }, 405, "allowed here: GET, POST"],
    [{ path: "/broken" }, 500, "the daemon failed to answer"],
  ])("%j is answered with %d", async (sent, status, text) => {
    const answer = await ask(sent);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(text);
    expect(answer.text).not.toContain("secret");
  });
});

describe("who may ask", () => {
  test.each(["127.0.0.1", "127.0.0.1:9464", "localhost", "LOCALHOST:1", "[::1]:9464", "10.0.0.1", "Quoin.LAN:9464"])(
    "Host %s is ours",
    async (host) => {
      expect((await ask({ headers: { host } })).status).toBe(200);
    },
  );

  test.each([
    "evil.example",
    "127.0.0.1.evil.example",
    "localhost.evil.example:9464",
    "quoin.lan.",
    "localhost:x",
    "::1",
  ])("Host %j is not (a name that was rebound to us)", async (host) => {
    expect((await ask({ headers: { host } })).status).toBe(403);
  });

  test("an Origin must be our own page's", async () => {
    const host = `127.0.0.1:${port}`;
    const from = (origin: string) => ask({ headers: { host, origin } });
    expect((await from(`http://${host}`)).status).toBe(200);
    for (const origin of ["http://evil.example", "null", "http://127.0.0.1:1", `https://${host}`]) {
      expect((await from(origin)).status, origin).toBe(403);
    }
  });

  test("on loopback a POST needs the token, a GET does not", async () => {
    const at = posted.length;
    const status = async (headers: Readonly<Record<string, string>>) => {
      const answer = await ask({ method: "POST", path: "/halt", body: "{}", headers: { ...headers, ...TYPE } });
      return answer.status;
    };
    expect(await status({})).toBe(401);
    for (const authorization of ["Bearer wrong", "Bearer", TOKEN, `Basic ${TOKEN}`, `Bearer ${TOKEN}x`, "Bearer "])
      expect(await status({ authorization }), authorization).toBe(401);
    expect(posted).toHaveLength(at);
    expect(await status(BEARER)).toBe(200);
    expect((await ask({ method: "POST", path: "/nothing", headers: TYPE })).status, "whatever is asked for").toBe(401);
    expect(await ask({ method: "POST", path: "/halt" })).toMatchObject({ headers: { "www-authenticate": "Bearer" } });
    posted.length = at;
  });

  test("beyond loopback a GET needs it too, but for probes, scrapers, the watchdog and the empty page's files", async () => {
    const paths = ["/livez", "/readyz", "/heartbeat", "/metrics", "/status.json"];
    const open = await serve("0.0.0.0", new Map(paths.map((path) => [`GET ${path}`, () => plain(200, "words")])));
    const at = `http://127.0.0.1:${new URL(open.url).port}`;
    const status = async (path: string, headers: Record<string, string> = {}) =>
      (await fetch(`${at}${path}`, { headers })).status;
    for (const path of paths) expect(await status(path), path).toBe(path === "/status.json" ? 401 : 200);
    expect(await status("/status.json", BEARER)).toBe(200);
    expect(await status("/status.json", { ...BEARER, origin: "http://evil.example" })).toBe(403);
    const shell = await fetch(`${at}/`);
    expect([shell.status, await shell.text()]).toEqual([401, "<p>the page</p>"]);
    expect([await status("/", BEARER), await status("/page.js")]).toEqual([200, 200]);
    await open.close();
  });
});

describe("tokens below the administrator's", () => {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const tokenOf = (name: string, ...scopes: readonly Scope[]): ScopedToken => ({
    name,
    token: `${name}-token-of-the-test`,
    scopes: new Set(scopes),
  });
  const paths = [
    "/halt",
    "/reduce",
    "/resume",
    "/cancel",
    "/params",
    "/promote",
    "/preview",
    "/flatten",
    "/fleet/halt",
  ];
  const allPosts = [...paths, "/signals/desk", "/signals/other", "/added-later", "/toString"];
  const all = ["read", "propose", "operate", "change", "signal:desk"] as const;

  test.each<readonly [Scope, readonly string[]]>([
    ["read", ["/preview"]],
    ["propose", []],
    ["operate", ["/halt", "/reduce", "/resume", "/cancel"]],
    ["change", ["/params", "/promote"]],
    ["signal:desk", ["/signals/desk"]],
  ])("scope %s may post to %j and to nothing else", async (scope, allowed) => {
    const done: Handler = ({ isAdmin }) => json(200, { isAdmin });
    scoped = [tokenOf("agent", scope)];
    const open = await serve("127.0.0.1", new Map(allPosts.map((path) => [`POST ${path}`, done])), 0, true);
    onTestFinished(() => open.close());
    calls.length = 0;
    for (const path of allPosts) {
      const headers = { ...TYPE, ...bearer("agent-token-of-the-test") };
      const answer = await fetch(`${open.url}${path}`, { method: "POST", headers, body: "{}" });
      expect([path, answer.status]).toEqual([path, allowed.includes(path) ? 200 : 403]);
      if (answer.status === 200) expect(await answer.json()).toEqual({ isAdmin: false });
    }
    expect(calls.map(({ token, isAuthorized }) => [token, isAuthorized])).toEqual(
      allPosts.map((path) => ["agent", allowed.includes(path)]),
    );
    const get = await fetch(`${open.url}/`, { headers: bearer("agent-token-of-the-test") });
    expect(get.status).toBe(scope === "read" ? 200 : 403);
    const other = await fetch(`${open.url}/halt`, { method: "DELETE", headers: bearer("agent-token-of-the-test") });
    expect(other.status).toBe(403);
  });

  test("with requireTokenForReads a read on loopback needs the scope, but for probes", async () => {
    scoped = [tokenOf("reader", "read"), tokenOf("pilot", "operate")];
    const routes = new Map(["/status.json", "/livez"].map((path) => [`GET ${path}`, () => plain(200, "words")]));
    const closed = await serve("127.0.0.1", routes, 0, true);
    onTestFinished(() => closed.close());
    const status = async (path: string, headers: Record<string, string>) =>
      (await fetch(`${closed.url}${path}`, { headers })).status;
    expect(await status("/status.json", {})).toBe(401);
    expect(await status("/status.json", bearer("reader-token-of-the-test"))).toBe(200);
    expect(await status("/status.json", bearer("pilot-token-of-the-test"))).toBe(403);
    expect(await status("/status.json", BEARER)).toBe(200);
    expect(await status("/livez", {})).toBe(200);
  });

  test("every scope passes neither a foreign Host nor a foreign Origin", async () => {
    scoped = [tokenOf("agent", ...all)];
    const at = posted.length;
    const headers = { ...TYPE, ...bearer("agent-token-of-the-test") };
    const status = async (more: Record<string, string>) =>
      (await ask({ method: "POST", path: "/halt", headers: { ...headers, ...more }, body: "{}" })).status;
    expect(await status({ host: "evil.example" })).toBe(403);
    expect(await status({ origin: "http://evil.example" })).toBe(403);
    expect(posted).toHaveLength(at);
  });

  test("a token that is revoked while its body is on the way does nothing", async () => {
    scoped = [tokenOf("agent", "operate")];
    const at = posted.length;
    const headers = { ...TYPE, ...bearer("agent-token-of-the-test"), "content-length": "2", expect: "100-continue" };
    const asking = request({ host: "127.0.0.1", port, method: "POST", path: "/halt", headers, agent: false });
    const answered = once(asking, "response");
    asking.flushHeaders();
    await once(asking, "continue");
    // The request is admitted before the answer to a later one.
    await ask({});
    scoped = [];
    asking.end("{}");
    const [answer] = (await answered) as [{ readonly statusCode: number }];
    expect([answer.statusCode, posted.length]).toEqual([401, at]);
  });

  test("a stream ends once its token is revoked, and tells nothing more", async () => {
    scoped = [tokenOf("reader", "read")];
    const opened = Promise.withResolvers<Sink>();
    const routes: Routes = new Map([["GET /events", () => stream(opened.resolve)]]);
    const closed = await serve("127.0.0.1", routes, 0, true);
    onTestFinished(() => closed.close());
    const { hostname, port: at } = new URL(closed.url);
    const reading = connect(Number(at), hostname);
    let text = "";
    reading.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    reading.write("GET /events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer reader-token-of-the-test\r\n\r\n");
    const sink = await opened.promise;
    expect(sink.write("data: first\n\n")).toBe(true);
    await until("the first update", () => text.includes("first"));
    scoped = [];
    expect(sink.write("data: second\n\n")).toBe(false);
    await once(reading, "close");
    expect(text).not.toContain("second");
  });
});

describe("what may be posted", () => {
  const post = (headers: Record<string, string>, body: string) => ask({ method: "POST", path: "/halt", headers, body });

  test("JSON, as a page of another site cannot post without asking", async () => {
    expect((await post(JSON_TYPE, '{"reason":"x"}')).status).toBe(200);
    expect((await post({ ...BEARER, "content-type": "application/json; charset=utf-8" }, "{}")).status).toBe(200);
    expect(posted).toEqual(['{"reason":"x"}', "{}"]);
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
      expect((await post({ ...BEARER, "content-type": type }, "{}")).status, type).toBe(415);
    }
    expect((await post(BEARER, "{}")).status).toBe(415);
    expect(posted).toHaveLength(2);
  });

  test("whatever came of it, is told afterwards, and what comes without a token is not read", async () => {
    calls.length = 0;
    await ask({ method: "POST", path: "/halt", headers: JSON_TYPE, body: '{"reason":"why"}' });
    await ask({ method: "POST", path: "/halt", headers: TYPE, body: '{"reason":"why"}' });
    await ask({ path: "/plain" });
    const from = { path: "/halt", address: "127.0.0.1", token: null };
    expect(calls).toEqual([
      { ...from, isAuthorized: true, body: '{"reason":"why"}', status: 200 },
      { ...from, isAuthorized: false, body: null, status: 401 },
    ]);
  });

  test("at most 16 KiB", async () => {
    expect((await post(JSON_TYPE, "x".repeat(16_384))).status).toBe(200);
    expect((await post(JSON_TYPE, "x".repeat(16_385))).status).toBe(413);
  });
});

test("a reader of a stream that does not read is let go, and nothing waits for it any longer", async () => {
  const wrote = Promise.withResolvers<number>();
  const open = (sink: Sink): void => {
    const line = "x".repeat(100_000);
    let count = 0;
    const fill = (): void => {
      count += 1;
      if (sink.write(line)) setImmediate(fill);
      else wrote.resolve(count);
    };
    fill();
  };
  const streaming = await serve("127.0.0.1", new Map([["GET /events", () => stream(open)]]));
  const socket = connect(Number(new URL(streaming.url).port), "127.0.0.1");
  socket.on("error", () => {}).pause();
  socket.write("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  expect(await wrote.promise).toBeLessThan(1000);
  socket.destroy();
  await streaming.close();
});

describe("connections that others take", () => {
  /** Opens `count` connections, each with this request; resolves when all are open. Errors of those that are closed are nobody's. */
  const open = (port: number, count: number, request: string) =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const socket = connect(port, "127.0.0.1").on("error", () => {});
        await once(socket, "connect");
        socket.write(request);
        return socket;
      }),
    );
  const GET_EVENTS = "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const halt = (port: number) =>
    fetch(`http://127.0.0.1:${port}/halt`, { method: "POST", headers: JSON_TYPE, body: "{}" });

  const served = async (routes: Iterable<readonly [string, Handler]>) => {
    const streaming = stream((sink) => void sink.write("data: 1\n\n"));
    const busy = await serve("127.0.0.1", new Map([["GET /events", () => streaming], ...routes]));
    onTestFinished(() => busy.close());
    return Number(new URL(busy.url).port);
  };
  const done: readonly [string, Handler] = ["POST /halt", () => json(200, { done: true })];

  test("the thirty-third live stream is refused, and one that ends makes room", async () => {
    const port = await served([]);
    const status = async () => {
      const leave = new AbortController();
      const { status } = await fetch(`http://127.0.0.1:${port}/events`, { signal: leave.signal });
      leave.abort();
      return status;
    };
    const sockets = await open(port, 32, GET_EVENTS);
    await Promise.all(sockets.map((socket) => once(socket, "data")));
    expect(await status()).toBe(503);
    sockets[0]?.destroy();
    await until("room", async () => (await status()) === 200);
    for (const socket of sockets) socket.destroy();
  });

  test.each([
    ["live streams", GET_EVENTS],
    ["silence", ""],
    ["requests that never end", "POST /halt HTTP/1.1\r\nHost: localhost\r\n"],
  ])("300 of %s keep no halt out, and no heartbeat", async (_, request) => {
    const port = await served([done, ["GET /heartbeat", () => plain(200, "beats")]]);
    const sockets = await open(port, 300, request);
    expect((await halt(port)).status).toBe(200);
    expect((await fetch(`http://127.0.0.1:${port}/heartbeat`)).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  test("a halt that is being answered is not what makes room", async () => {
    const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow: Handler = async () => {
      begun.resolve();
      await go.promise;
      return json(200, { done: true });
    };
    const port = await served([["POST /halt", slow]]);
    const answer = halt(port);
    await begun.promise;
    const sockets = await open(port, 600, "");
    go.resolve();
    expect((await answer).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });
});

test("a port in use is the caller's to name", async () => {
  await expect(serve("127.0.0.1", new Map(), port)).rejects.toMatchObject({ code: "EADDRINUSE" });
});

test("closing ends connections that say nothing", async () => {
  const other = await serve("127.0.0.1", new Map());
  const socket = connect(Number(new URL(other.url).port), "127.0.0.1");
  await new Promise((done) => socket.once("connect", done));
  const ended = new Promise((done) => socket.once("close", done));
  socket.on("error", () => undefined);
  await other.close();
  await ended;
});
