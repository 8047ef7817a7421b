// The daemon's HTTP server. Callers hand in routes; this file checks host, origin, method and size for all of them. Even on loopback
// it does not trust a browser: Host must be ours, Origin absent or ours.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type HttpAnswer = {
  readonly status: number;
  readonly type: "text/plain" | "application/json" | "text/html" | string;
  readonly body: string;
};

export type HttpRequest = { readonly path: string; readonly query: URLSearchParams; readonly body: string };

/** Keys are `METHOD /path`. */
export type Routes = ReadonlyMap<string, (request: HttpRequest) => HttpAnswer | Promise<HttpAnswer>>;

export type HttpServer = { readonly url: string; readonly close: () => Promise<void> };

/** Bytes of a request's body; operators post a few words. */
const BODY_BYTES_MAX = 16_384;
const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** Listens. Throws what the system throws (EADDRINUSE, EACCES), so that the caller can report it in one line. */
export async function serveHttp(
  listen: { readonly host: string; readonly port: number },
  routes: Routes,
): Promise<HttpServer> {
  const server = createServer(
    { requestTimeout: 10_000, headersTimeout: 5000, maxHeaderSize: 16_384 },
    (request, response) => {
      answer(request, listen.host, routes).then(
        (result) => write(response, request.method === "HEAD", result),
        () => write(response, false, plain(500, "the daemon failed to answer; its log says why")),
      );
    },
  );
  server.maxConnections = 256;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(listen.port, listen.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const host = listen.host.includes(":") ? `[${listen.host}]` : listen.host;
  return { url: `http://${host}:${port}`, close: () => closeServer(server) };
}

export const plain = (status: number, body: string): HttpAnswer => ({ status, type: "text/plain", body: `${body}\n` });
export const json = (status: number, body: unknown): HttpAnswer => ({
  status,
  type: "application/json",
  body: `${JSON.stringify(body)}\n`,
});

async function answer(request: IncomingMessage, host: string, routes: Routes): Promise<HttpAnswer> {
  const url = URL.parse(request.url ?? "/", "http://daemon");
  if (url === null) return plain(400, "the path is not a path");
  if (!isOurHost(request.headers.host, host)) return plain(403, "the Host header names another host");
  if (request.headers.origin !== undefined && !isOurOrigin(request.headers.origin, request.headers.host)) {
    return plain(403, "the request comes from another site");
  }
  const method = request.method === "HEAD" ? "GET" : (request.method ?? "GET");
  const route = routes.get(`${method} ${url.pathname}`);
  if (route === undefined) return unrouted(routes, url.pathname);
  // A browser posts a form across sites without asking; JSON it does not.
  if (method === "POST" && !request.headers["content-type"]?.startsWith("application/json")) {
    return plain(415, "a POST needs Content-Type: application/json");
  }
  const body = method === "POST" ? await readBody(request) : "";
  if (body === undefined) return plain(413, `a body has at most ${BODY_BYTES_MAX} bytes`);
  return route({ path: url.pathname, query: url.searchParams, body });
}

function unrouted(routes: Routes, path: string): HttpAnswer {
  const methods = [...routes.keys()].filter((key) => key.endsWith(` ${path}`)).map((key) => key.split(" ", 1)[0]);
  return methods.length > 0 ? plain(405, `allowed here: ${methods.join(", ")}`) : plain(404, "no such page");
}

/** Beyond loopback the operator chose the address, so any Host passes; on loopback only loopback names do (DNS rebinding). */
function isOurHost(header: string | undefined, bound: string): boolean {
  const name = header?.replace(/:\d+$/, "").toLowerCase();
  return name !== undefined && (LOOPBACK.has(name) || !LOOPBACK.has(bound));
}

const isOurOrigin = (origin: string, host: string | undefined): boolean => origin === `http://${host}`;

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function write(response: ServerResponse, headOnly: boolean, { status, type, body }: HttpAnswer): void {
  response.writeHead(status, {
    "content-type": type.includes(";") ? type : `${type}; charset=utf-8`,
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "content-security-policy": "default-src 'self'; frame-ancestors 'none'",
  });
  response.end(headOnly ? undefined : body);
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
