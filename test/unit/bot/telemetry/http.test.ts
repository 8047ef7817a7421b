// The daemon's HTTP over real sockets: routes are routes, and no other site, host or size gets to them.

import { request } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HttpServer, json, plain, type Routes, serveHttp } from "../../../../src/bot/telemetry/http.ts";

type Handler = Routes extends ReadonlyMap<string, infer H> ? H : never;

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
    ["GET /broken", () => Promise.reject(new Error("with a secret"))],
  ]);
  server = await serveHttp({ host: "127.0.0.1", port: 0 }, routes);
  port = Number(new URL(server.url).port);
});
afterAll(() => server.close());

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
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
    });
    asking.on("error", reject);
    asking.end(body);
  });
}
const JSON_TYPE = { "content-type": "application/json" };

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

  test("the query is the route's", async () => {
    expect((await ask({ path: "/query?page=2" })).text).toBe('{"page":"2"}\n');
  });

  test.each<readonly [Sent, number, string]>([
    [{ path: "/nothing" }, 404, "no such page"],
    [{ path: "/plain/../halt/x" }, 404, "no such page"],
    [{ method: "POST", path: "/plain", headers: JSON_TYPE }, 405, "allowed here: GET"],
    [{ method: "DELETE", path: "/halt" }, 405, "allowed here: POST, GET"],
    [{ path: "/broken" }, 500, "the daemon failed to answer"],
  ])("%j is answered with %d", async (sent, status, text) => {
    const answer = await ask(sent);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(text);
    expect(answer.text).not.toContain("secret");
  });
});

describe("who may ask", () => {
  test.each(["127.0.0.1", "127.0.0.1:9464", "localhost", "LOCALHOST:1", "[::1]:9464"])(
    "Host %s is ours",
    async (host) => {
      expect((await ask({ headers: { host } })).status).toBe(200);
    },
  );

  test.each(["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:9464", "10.0.0.1", "localhost:x"])(
    "Host %j is not (a name that was rebound to us)",
    async (host) => {
      expect((await ask({ headers: { host } })).status).toBe(403);
    },
  );

  test("an Origin must be our own page's", async () => {
    const host = `127.0.0.1:${port}`;
    const from = (origin: string) => ask({ headers: { host, origin } });
    expect((await from(`http://${host}`)).status).toBe(200);
    for (const origin of ["http://evil.example", "null", "http://127.0.0.1:1", `https://${host}`]) {
      expect((await from(origin)).status, origin).toBe(403);
    }
  });

  test("a listener beyond loopback takes the names that its operator chose, and no foreign origin", async () => {
    const open = await serveHttp({ host: "0.0.0.0", port: 0 }, new Map([["GET /plain", () => plain(200, "words")]]));
    const at = `127.0.0.1:${new URL(open.url).port}`;
    const status = async (headers: Record<string, string>) => (await fetch(`http://${at}/plain`, { headers })).status;
    expect(await status({})).toBe(200);
    expect(await status({ origin: "http://evil.example" })).toBe(403);
    await open.close();
  });
});

describe("what may be posted", () => {
  const post = (headers: Record<string, string>, body: string) => ask({ method: "POST", path: "/halt", headers, body });

  test("JSON, as a page of another site cannot post without asking", async () => {
    expect((await post(JSON_TYPE, '{"reason":"x"}')).status).toBe(200);
    expect((await post({ "content-type": "application/json; charset=utf-8" }, "{}")).status).toBe(200);
    expect(posted).toEqual(['{"reason":"x"}', "{}"]);
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
      expect((await post({ "content-type": type }, "{}")).status, type).toBe(415);
    }
    expect((await post({}, "{}")).status).toBe(415);
    expect(posted).toHaveLength(2);
  });

  test("at most 16 KiB", async () => {
    expect((await post(JSON_TYPE, "x".repeat(16_384))).status).toBe(200);
    expect((await post(JSON_TYPE, "x".repeat(16_385))).status).toBe(413);
  });
});

test("a port in use is the caller's to name", async () => {
  await expect(serveHttp({ host: "127.0.0.1", port }, new Map())).rejects.toMatchObject({ code: "EADDRINUSE" });
});

test("closing ends connections that say nothing", async () => {
  const other = await serveHttp({ host: "127.0.0.1", port: 0 }, new Map());
  const socket = connect(Number(new URL(other.url).port), "127.0.0.1");
  await new Promise((done) => socket.once("connect", done));
  const ended = new Promise((done) => socket.once("close", done));
  socket.on("error", () => undefined);
  await other.close();
  await ended;
});
