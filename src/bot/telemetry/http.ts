// The daemon's HTTP server. Callers provide routes and access rules; this file checks access, method and size for all of them.

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer } from "../../kernel/node-http.ts";
import { printableLines } from "../../kernel/printable.ts";
import { reportTiming } from "../timing.ts";
import type { Access, Refusal } from "./access.ts";
import { Connections } from "./connections.ts";

export type HttpAnswer = {
  readonly status: number;
  readonly type: "text/plain" | "application/json" | "text/html" | string;
  readonly body: string;
  /** The compressed body, for clients that accept it. */
  readonly gzip?: Buffer;
  /** Instead of a body of megabytes: parts sent as they come, so that no order waits for all of them. */
  readonly parts?: AsyncIterable<string>;
  /** Instead of a body: writes to the open answer until either side ends it. */
  readonly stream?: (sink: Sink) => void;
  /** False ends the stream: the token with which it was opened is revoked. */
  readonly isValid?: (() => boolean) | undefined;
};

export type Sink = {
  /** Returns false if the reader has left, or was dropped because it was too far behind. */
  readonly write: (text: string) => boolean;
  readonly onClose: (run: () => void) => void;
};

/** Bytes that may wait for a slow reader. */
const LAG_BYTES_MAX = 4 * 2 ** 20;
/** Consecutive writes, one per second, that may find an earlier one still waiting. */
const LAG_WRITES_MAX = 10;
/** Live pages at once, over all streams. */
const STREAMS_MAX = 32;

export type HttpRequest = {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
  /** Whether it came with the administrator's token. */
  readonly isAdmin: boolean;
  /** Name of a token below the administrator's; null: the administrator's, or none was needed. */
  readonly token: string | null;
};

/** Keys are `METHOD /path`; `*` is any one segment. */
export type Routes = ReadonlyMap<string, (request: HttpRequest) => HttpAnswer | Promise<HttpAnswer>>;

/** `page`: the page's files, by the same keys. They contain nothing of an account, and a browser requests them without a token. */
export type Served = {
  readonly routes: Routes;
  readonly page: Routes;
  readonly access: Access;
  /** Called for every POST after its answer. */
  readonly onPost: (call: PostCall) => void;
};

export type PostCall = {
  readonly path: string;
  readonly address: string;
  /** Name of a token below the administrator's; null: the administrator's, or no valid token. */
  readonly token: string | null;
  readonly isAuthorized: boolean;
  /** Null: not read, or too large. */
  readonly body: string | null;
  readonly status: number;
};

export type HttpServer = { readonly url: string; readonly close: () => Promise<void> };

/** Largest request body in bytes; operators post a few words. */
const BODY_BYTES_MAX = 16_384;

/** Listens. Throws what the system throws (EADDRINUSE, EACCES), so that the caller can report it in one line. */
export async function serveHttp(
  listen: { readonly host: string; readonly port: number },
  served: Served,
): Promise<HttpServer> {
  const connections = new Connections();
  const streams = new Set<ServerResponse>();
  const server = createServer(
    {
      requestTimeout: reportTiming.requestMs,
      headersTimeout: reportTiming.requestHeadMs,
      connectionsCheckingInterval: reportTiming.requestsLookedAtMs,
      maxHeaderSize: 16_384,
    },
    (request, response) => {
      const { socket } = request;
      connections.isFor(socket, "shown");
      response.once("close", () => connections.isFor(socket, "idle"));
      answer(request, served, () => connections.isFor(socket, "operator")).then(
        (result) => write(response, request.method === "HEAD", result, streams),
        () => write(response, false, failed, streams),
      );
    },
  );
  server.on("connection", (socket) => connections.opened(socket));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(listen.port, listen.host, resolve);
  });
  // A failed connection (for example, no file descriptors left) must not end the daemon.
  server.on("error", () => {});
  const { port } = server.address() as AddressInfo;
  const host = listen.host.includes(":") ? `[${listen.host}]` : listen.host;
  return { url: `http://${host}:${port}`, close: () => closeServer(server) };
}

/** Listens for a moment, as a test. Throws what the system throws, like `serveHttp`. */
export async function tryListening({ host, port }: { readonly host: string; readonly port: number }): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  await new Promise((resolve) => server.close(resolve));
}

export const plain = (status: number, body: string): HttpAnswer => ({ status, type: "text/plain", body: `${body}\n` });
const failed = plain(500, "the daemon failed to answer; its log says why");
const busy = plain(503, `${STREAMS_MAX} live pages are open, and there are no more: close one`);
export const stream = (open: (sink: Sink) => void): HttpAnswer => ({
  status: 200,
  type: "text/event-stream",
  body: "",
  stream: open,
});
export const json = (status: number, body: unknown): HttpAnswer => ({
  status,
  type: "application/json",
  body: printableLines(`${JSON.stringify(body)}\n`),
});

/** `isOperator` is called once the request is known to be an authorized act or the heartbeat. */
async function answer(request: IncomingMessage, served: Served, isOperator: () => void): Promise<HttpAnswer> {
  const url = URL.parse(request.url ?? "/", "http://daemon");
  if (url === null) return plain(400, "the path is not a path");
  const method = request.method === "HEAD" ? "GET" : (request.method ?? "GET");
  const { host, origin, authorization } = request.headers;
  const address = request.socket.remoteAddress ?? "";
  const path = url.pathname;
  const access = await served.access.admit({ method, path, host, origin, authorization, address });
  const refusal = "why" in access ? access : undefined;
  const grant = "why" in access ? undefined : access;
  if (grant !== undefined && ((method === "POST" && grant.steers) || path === "/heartbeat")) isOperator();
  const { isAdmin = false, name: token = null } = grant ?? {};
  const asked = { method, path, query: url.searchParams, body: "", isAdmin, token };
  if (method !== "POST") return { ...(await answerGet(asked, served, refusal)), isValid: grant?.isValid };
  // A browser can post a form to another site without permission, but not JSON.
  const isJson = request.headers["content-type"]?.startsWith("application/json") ?? false;
  const body = grant !== undefined && isJson ? await readBody(request) : null;
  const isAuthorized = grant?.isValid() ?? false;
  const result = isAuthorized
    ? await answerPost({ ...asked, body: body ?? "" }, served, { isJson, body })
    : json(refusal?.status ?? 401, { error: refusal?.why ?? "the token was revoked" });
  served.onPost({ path, address, token: access.name, isAuthorized, body: body ?? null, status: result.status });
  return result;
}

type Asked = HttpRequest & { readonly method: string };

async function answerGet(asked: Asked, { routes, page }: Served, refusal: Refusal | undefined): Promise<HttpAnswer> {
  const key = `${asked.method} ${asked.path}`;
  const file = page.get(key);
  if (refusal !== undefined && (refusal.status === 403 || file === undefined))
    return json(refusal.status, { error: refusal.why });
  // Without a token the page itself has status 401 and asks for one.
  if (file !== undefined) {
    const content = await file(asked);
    return refusal === undefined || asked.path !== "/" ? content : { ...content, status: refusal.status };
  }
  return (await routeOf(routes, key)?.(asked)) ?? unrouted(new Map([...page, ...routes]), asked.path);
}

/** `body` undefined: it was too large. */
async function answerPost(
  asked: Asked,
  { routes, page }: Served,
  { isJson, body }: { readonly isJson: boolean; readonly body: string | undefined | null },
): Promise<HttpAnswer> {
  const route = routeOf(routes, `POST ${asked.path}`);
  if (route === undefined) return unrouted(new Map([...page, ...routes]), asked.path);
  if (!isJson) return plain(415, "a POST needs Content-Type: application/json");
  if (body === undefined) return plain(413, `a body has at most ${BODY_BYTES_MAX} bytes`);
  try {
    return await route(asked);
  } catch {
    return failed;
  }
}

const routeOf = (routes: Routes, key: string) =>
  routes.get(key) ?? routes.get([...routes.keys()].find((pattern) => fits(pattern, key)) ?? "");

/** Whether a key of `Routes` names this `METHOD /path`. */
function fits(pattern: string, key: string): boolean {
  const [wanted, given] = [pattern.split("/"), key.split("/")];
  return (
    wanted.length === given.length &&
    wanted.every((part, at) => part === given[at] || (part === "*" && given[at] !== ""))
  );
}

function unrouted(routes: Routes, path: string): HttpAnswer {
  const methods = ["GET", "POST"].filter((method) => routeOf(routes, `${method} ${path}`) !== undefined);
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

type Streams = Set<ServerResponse>;

function write(response: ServerResponse, headOnly: boolean, answered: HttpAnswer, streams: Streams): void {
  const isFull = answered.stream !== undefined && !headOnly && streams.size >= STREAMS_MAX;
  const { status, type, body: plainBody, gzip, parts, stream: open } = isFull ? busy : answered;
  const isCompressed = gzip !== undefined && /\bgzip\b/.test(`${response.req.headers["accept-encoding"]}`);
  const body = isCompressed ? gzip : plainBody;
  response.writeHead(status, {
    "content-type": type.includes(";") ? type : `${type}; charset=utf-8`,
    ...(open === undefined && parts === undefined && { "content-length": Buffer.byteLength(body) }),
    ...(isCompressed && { "content-encoding": "gzip" }),
    ...(gzip !== undefined && { vary: "accept-encoding" }),
    ...(status === 401 && { "www-authenticate": "Bearer" }),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "content-security-policy": "default-src 'self'; frame-ancestors 'none'",
  });
  if (open === undefined || headOnly) {
    if (headOnly || parts === undefined) response.end(headOnly ? undefined : body);
    else void writeParts(response, parts);
    return;
  }
  streams.add(response);
  response.once("close", () => streams.delete(response));
  open(sinkOf(response, answered.isValid));
}

/** If a part fails, the answer is cut, so that an incomplete one is not taken as complete. */
async function writeParts(response: ServerResponse, parts: AsyncIterable<string>): Promise<void> {
  try {
    for await (const part of parts) {
      if (response.destroyed) return;
      response.write(part);
    }
    response.end();
  } catch {
    response.destroy();
  }
}

function sinkOf(response: ServerResponse, isValid: HttpAnswer["isValid"]): Sink {
  let lagging = 0;
  return {
    write(text) {
      if (response.destroyed) return false;
      lagging = response.writableLength === 0 ? 0 : lagging + 1;
      if (response.writableLength > LAG_BYTES_MAX || lagging > LAG_WRITES_MAX || isValid?.() === false) {
        response.destroy();
        return false;
      }
      response.write(text);
      return true;
    },
    onClose: (run) => response.on("close", run),
  };
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
