// One HTTP listener of the devnet: serves a host over sockets, reads bodies up to a limit, and lets no client hold a socket for long.

import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { type Clock, sleep } from "../../../kernel/clock.ts";
import { CodedError, messageOf } from "../../../kernel/errors.ts";
import { createServer } from "../../../kernel/node-http.ts";
import type { ResponseFaultFor } from "../faults/faults.ts";
import type { ForeignSpeech } from "../faults/foreign-words.ts";
import { type ConnectionLimits, type Connections, createConnections } from "./connections.ts";
import type { Caller, Door } from "./door.ts";
import type { Host, Log } from "./host.ts";
import { type Reply, refusal } from "./reply.ts";
import type { Request, Route } from "./router.ts";

export type HttpListenerOptions = {
  readonly name: string;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Limit in bytes; larger bodies are answered with 413. */
  readonly bodyBytesMax: number;
  readonly limits?: Partial<Limits>;
};

/** Time a client has to send its headers, to send a whole request, and between requests; and the limits of its connection. */
export type Limits = ConnectionLimits & {
  readonly headersMs: number;
  readonly requestMs: number;
  readonly idleMs: number;
};

export type HttpListenerModules = {
  readonly host: Host;
  readonly door: Door;
  readonly clock: Clock;
  readonly log: Log;
  readonly faultFor?: ResponseFaultFor | undefined;
  readonly speech?: Pick<ForeignSpeech, "reply"> | undefined;
};

export type HttpListener = {
  /** Without a trailing slash. */
  readonly url: string;
  readonly server: Server;
  /**
   * `take` is called for every upgrade; true means that it owns the connection from now on. Without it, an upgrade is an ordinary request.
   */
  readonly onUpgrade: (take: TakeUpgrade) => void;
  /** Refuses new connections, drops idle ones and waits briefly for answers in progress. */
  readonly close: () => Promise<void>;
};

export type TakeUpgrade = (request: IncomingMessage, stream: Duplex, head: Buffer) => boolean;

export class ListenError extends CodedError<"listen_failed"> {}

/**
 * Headers may take ten seconds, a whole request fifteen, an answer thirty: enough for a slow link, too little for a slowloris attack. Idle
 * connections cost a few kilobytes each; above four thousand, operating system limits are near. One read of a socket holds less than three
 * thousand of the shortest requests.
 */
const defaultLimits: Limits = {
  headersMs: 10_000,
  requestMs: 15_000,
  idleMs: 75_000,
  unreadMs: 30_000,
  endedMs: 2000,
  connectionsMax: 4096,
  pipelinedMax: 4096,
};
/** How often Node checks for slow clients, per shortest timeout. */
const CHECKS_PER_TIMEOUT = 10;
const HEADER_BYTES_MAX = 8192;
const CLOSE_GRACE_MS = 500;
const EMPTY = new Uint8Array();

/** Throws ListenError if the address is not available. */
export async function listen(options: HttpListenerOptions, modules: HttpListenerModules): Promise<HttpListener> {
  const limits = { ...defaultLimits, ...options.limits };
  const connections = createConnections(limits, modules.clock);
  const server = createServer({
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: limits.headersMs / CHECKS_PER_TIMEOUT,
    maxHeaderSize: HEADER_BYTES_MAX,
    noDelay: true,
  });
  server.on("connection", connections.opened);
  server.on("request", (incoming, response) => {
    serve(incoming, response, options, { ...modules, connections }).catch((thrown: unknown) => {
      modules.log("a request failed", { listener: options.name, cause: messageOf(thrown) });
      response.destroy();
    });
  });
  server.on("clientError", (fault: NodeJS.ErrnoException, socket) => {
    if (socket.writable && fault.code !== "ECONNRESET") socket.end(clientErrorText(fault.code, modules.door));
    else socket.destroy();
  });
  try {
    await bind(server, options);
  } catch (thrown) {
    connections.close();
    throw thrown;
  }
  // A failed connection (for example, no file descriptors left) must not end the devnet.
  server.on("error", (cause) =>
    modules.log("a connection failed", { listener: options.name, cause: messageOf(cause) }),
  );
  const { port } = server.address() as AddressInfo;
  const host = options.host === "0.0.0.0" ? "127.0.0.1" : options.host;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    server,
    onUpgrade(take) {
      server.on("upgrade", (request: IncomingMessage, stream: Duplex, head: Buffer) => {
        if (take(request, stream, head)) connections.handedOver(request.socket);
      });
    },
    async close() {
      await closed(server, modules.clock);
      connections.close();
    },
  };
}

async function serve(
  incoming: IncomingMessage,
  response: ServerResponse,
  options: HttpListenerOptions,
  modules: HttpListenerModules & { readonly connections: Connections },
): Promise<void> {
  response.on("error", () => response.destroy());
  const { host, door, connections } = modules;
  const before = connections.asked(incoming.socket, response);
  const method = incoming.method ?? "";
  const caller: Caller = { method, header: (name) => headerOf(incoming, name) };
  const stopped = door.stop(caller);
  if (stopped !== undefined) return refuse(incoming, response, stopped, door);
  const found = host.find(method, incoming.url ?? "/");
  if ("status" in found) return refuse(incoming, response, found, door);
  const throttled = host.takeRate(clientOf(incoming));
  if (throttled !== undefined) return refuse(incoming, response, throttled, door);
  const body = await bodyOf(incoming, options.bodyBytesMax);
  if (body === "tooLarge") return refuse(incoming, response, tooLarge(options.bodyBytesMax), door);
  if (body === "gone") return;
  connections.heard(incoming.socket);
  // Answers to reads are much larger than the requests: pipelined reads are answered one at a time, as fast as the client takes them.
  if (before?.destroyed === false && method !== "POST") await once(before, "close");
  const request: Request = { ...found.head, header: caller.header, body };
  await answer(found.route, request, response, modules);
}

async function answer(
  route: Route,
  request: Request,
  response: ServerResponse,
  { host, door, clock, faultFor, speech }: HttpListenerModules,
): Promise<void> {
  const fault = faultFor?.(request);
  const handled = async (): Promise<Reply> => {
    const reply = await host.handle(route, request);
    return speech?.reply(response.req.url ?? "", reply) ?? reply;
  };
  if (fault === undefined) return send(response, await handled(), door);
  if (fault.delayBeforeMs > 0) await sleep(clock, fault.delayBeforeMs);
  const reply = fault.execute ? await handled() : undefined;
  if (fault.delayAfterMs > 0) await sleep(clock, fault.delayAfterMs);
  if (fault.answer === "silence") return;
  const sent = fault.answer === "asIs" ? reply : fault.answer;
  if (sent === undefined || sent === "hangUp") response.socket?.destroy();
  else send(response, sent, door);
}

function send(response: ServerResponse, reply: Reply, door: Door): void {
  const bytes = Buffer.from(reply.text, "utf8");
  response.writeHead(reply.status, {
    ...door.headers,
    ...reply.headers,
    "content-type": reply.contentType,
    "content-length": bytes.length,
  });
  if (response.req.method === "HEAD") response.end();
  else response.end(bytes);
}

/** Answers without reading the body, so the connection cannot be reused. */
function refuse(incoming: IncomingMessage, response: ServerResponse, reply: Reply, door: Door): void {
  const unread = !incoming.complete && incoming.method !== "GET" && incoming.method !== "HEAD";
  const headers = unread ? { ...reply.headers, connection: "close" } : reply.headers;
  send(response, headers === undefined ? reply : { ...reply, text: reply.text, headers }, door);
}

/** The whole body, or "gone" if the client left before its end. Stops reading at the limit. */
function bodyOf(incoming: IncomingMessage, bytesMax: number): Promise<Uint8Array | "tooLarge" | "gone"> | Uint8Array {
  const { method } = incoming;
  if (method === "GET" || method === "HEAD") return EMPTY;
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    incoming.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bytesMax) {
        incoming.removeAllListeners("data");
        incoming.resume();
        resolve("tooLarge");
      } else chunks.push(chunk);
    });
    incoming.on("end", () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    incoming.on("close", () => resolve("gone"));
    incoming.on("error", () => resolve("gone"));
  });
}

function headerOf(incoming: IncomingMessage, name: string): string | undefined {
  const value = incoming.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** A client is identified by its address: with a name of its choice it could pose as many clients. */
const clientOf = (incoming: IncomingMessage): string => incoming.socket.remoteAddress ?? "";

const tooLarge = (bytesMax: number): Reply =>
  refusal(413, "BODY_TOO_LARGE", `a body may have at most ${bytesMax} bytes`);

/** Node's parser failed before there was a request: writes a whole answer by hand, then ends the connection. */
function clientErrorText(code: string | undefined, door: Door): string {
  const [status, reply] = clientErrorReply(code);
  const headers = [
    ...Object.entries(door.headers),
    ["connection", "close"],
    ["content-type", reply.contentType],
    ["content-length", Buffer.byteLength(reply.text)],
  ];
  return `HTTP/1.1 ${status}\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${reply.text}`;
}

function clientErrorReply(code: string | undefined): readonly [string, Reply] {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return ["408 Request Timeout", refusal(408, "REQUEST_TIMEOUT", "the request did not arrive in time")];
  }
  if (code === "HPE_HEADER_OVERFLOW") {
    return ["431 Request Header Fields Too Large", refusal(431, "HEADERS_TOO_LARGE", "the headers are too large")];
  }
  return ["400 Bad Request", refusal(400, "MALFORMED_REQUEST", "this is not an HTTP request")];
}

function bind(server: Server, { host, port, name }: HttpListenerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const why = cause.code === "EADDRINUSE" ? "is in use" : `cannot be opened (${cause.code ?? cause.message})`;
      reject(new ListenError("listen_failed", `${name}: port ${port} on ${host} ${why}`, { facts: { port }, cause }));
    });
    server.listen(port, host, resolve);
  });
}

/** Gives answers in progress a moment, then cuts the remaining sockets. */
function closed(server: Server, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const hurry = clock.after(CLOSE_GRACE_MS, () => server.closeAllConnections());
    server.close(() => {
      hurry.cancel();
      resolve();
    });
    server.closeIdleConnections();
  });
}
