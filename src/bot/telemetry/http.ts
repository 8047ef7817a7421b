// The daemon's HTTP server. Callers hand in routes and who may ask; this file checks access, method and size for all of them.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Access } from "./access.ts";

export type HttpAnswer = {
  readonly status: number;
  readonly type: "text/plain" | "application/json" | "text/html" | string;
  readonly body: string;
};

export type HttpRequest = { readonly path: string; readonly query: URLSearchParams; readonly body: string };

/** Keys are `METHOD /path`. */
export type Routes = ReadonlyMap<string, (request: HttpRequest) => HttpAnswer | Promise<HttpAnswer>>;

/** `page`: the files of the page, by the same keys. They tell nothing of an account, and a browser asks for them without a token. */
export type Served = { readonly routes: Routes; readonly page: Routes; readonly access: Access };

export type HttpServer = { readonly url: string; readonly close: () => Promise<void> };

/** Bytes of a request's body; operators post a few words. */
const BODY_BYTES_MAX = 16_384;

/** Listens. Throws what the system throws (EADDRINUSE, EACCES), so that the caller can report it in one line. */
export async function serveHttp(
  listen: { readonly host: string; readonly port: number },
  served: Served,
): Promise<HttpServer> {
  const server = createServer(
    { requestTimeout: 10_000, headersTimeout: 5000, maxHeaderSize: 16_384 },
    (request, response) => {
      answer(request, served).then(
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

async function answer(request: IncomingMessage, { routes, page, access }: Served): Promise<HttpAnswer> {
  const url = URL.parse(request.url ?? "/", "http://daemon");
  if (url === null) return plain(400, "the path is not a path");
  const method = request.method === "HEAD" ? "GET" : (request.method ?? "GET");
  const { host, origin, authorization } = request.headers;
  const address = request.socket.remoteAddress ?? "";
  const refusal = await access.refusal({ method, path: url.pathname, host, origin, authorization, address });
  const key = `${method} ${url.pathname}`;
  const file = page.get(key);
  if (refusal !== undefined && (refusal.status === 403 || file === undefined))
    return json(refusal.status, { error: refusal.why });
  const asked = { path: url.pathname, query: url.searchParams };
  // Without a token the page itself says 401, and asks for one.
  if (file !== undefined) {
    const content = await file({ ...asked, body: "" });
    return refusal === undefined || url.pathname !== "/" ? content : { ...content, status: refusal.status };
  }
  const route = routes.get(key);
  if (route === undefined) return unrouted(new Map([...page, ...routes]), url.pathname);
  // A browser posts a form across sites without asking; JSON it does not.
  if (method === "POST" && !request.headers["content-type"]?.startsWith("application/json")) {
    return plain(415, "a POST needs Content-Type: application/json");
  }
  const body = method === "POST" ? await readBody(request) : "";
  if (body === undefined) return plain(413, `a body has at most ${BODY_BYTES_MAX} bytes`);
  return route({ ...asked, body });
}

function unrouted(routes: Routes, path: string): HttpAnswer {
  const methods = [...routes.keys()].filter((key) => key.endsWith(` ${path}`)).map((key) => key.split(" ", 1)[0]);
  return methods.length > 0 ? plain(405, `allowed here: ${methods.join(", ")}`) : plain(404, "no such page");
}

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
    ...(status === 401 && { "www-authenticate": "Bearer" }),
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
