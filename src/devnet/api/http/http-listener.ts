// One HTTP listener of the devnet: serves a host over sockets, reads bounded bodies, and lets no client hold a socket for long.

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
  /** 0: any free one. */
  readonly port: number;
  /** Larger bodies are answered 413; bytes. */
  readonly bodyBytesMax: number;
  readonly limits?: Partial<Limits>;
};

/** How long a client may take to send its headers, to send a whole request, and between requests; and what its connection may hold. */
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
  /** Without a slash at its end. */
  readonly url: string;
  readonly server: Server;
  /** Asked for every upgrade; true: the connection is the taker's from now on. Without one an upgrade is an ordinary request. */
  readonly onUpgrade: (take: TakeUpgrade) => void;
  /** Refuses new connections, drops idle ones and waits a moment for answers under way. */
  readonly close: () => Promise<void>;
};

export type TakeUpgrade = (request: IncomingMessage, stream: Duplex, head: Buffer) => boolean;

export class ListenError extends CodedError<"listen_failed"> {}

/**
 * A header may trickle for ten seconds, a whole request for fifteen, an answer for thirty: a client on a slow link is served, a slowloris is
 * not. Idle connections cost a few kilobytes each; beyond four thousand the machine's own limits come near. One read of a socket holds less
 * than three thousand of the shortest requests.
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
/** How often Node looks for clients that took too long, as a share of what they may take. */
const CHECKS_PER_TIMEOUT = 10;
const HEADER_BYTES_MAX = 8192;
const CLOSE_GRACE_MS = 500;
const EMPTY = new Uint8Array();

/** Throws ListenError when the address cannot be had. */
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
  // A connection that cannot be had, for want of descriptors perhaps, is not the end of the devnet.
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
  // Reads are many times as large as their requests: a client that pipelines them gets one after the other, as fast as it takes them.
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

/** Answers without having read the body, so the connection cannot be used again. */
function refuse(incoming: IncomingMessage, response: ServerResponse, reply: Reply, door: Door): void {
  const unread = !incoming.complete && incoming.method !== "GET" && incoming.method !== "HEAD";
  const headers = unread ? { ...reply.headers, connection: "close" } : reply.headers;
  send(response, headers === undefined ? reply : { ...reply, text: reply.text, headers }, door);
}

/** The whole body; "gone" when the client left before its end. Stops reading at the cap. */
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

/** A client is its address: a name that it gives itself would let it be many. */
const clientOf = (incoming: IncomingMessage): string => incoming.socket.remoteAddress ?? "";

const tooLarge = (bytesMax: number): Reply =>
  refusal(413, "BODY_TOO_LARGE", `a body may have at most ${bytesMax} bytes`);

/** Node's parser gave up before there was a request: a whole answer by hand, then the connection ends. */
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

/** Answers under way get a moment; a socket that is open after that is cut. */
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
