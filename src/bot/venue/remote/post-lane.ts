// The way of an order to the exchange: a few connections that stand ready, the head of the request made beforehand, one write. Each
// request is sent at most once: one that fails before its write was not sent, one that fails after it is lost and never tried again.

import { assert } from "../../../kernel/assert.ts";
import type { Clock, Timer } from "../../../kernel/clock.ts";
import {
  connectTimeoutMsOf,
  type Headers,
  type HttpEnd,
  type HttpLane,
  type HttpLaneOptions,
  type HttpModules,
  type HttpRequest,
  KEEP_ALIVE_MS,
} from "./http.ts";
import { type Failure, PostConnection, type RequestText } from "./post-connection.ts";

export type PostLaneOptions = HttpLaneOptions & {
  /** Connections that stand ready before anybody asks, so that no order waits for a handshake. */
  readonly warmConnections: number;
};

/** How often connections are looked after: one that would be too old before the next time is replaced. */
const TEND_MS = 1000;
/** A server that says how long it keeps a connection is believed so much less. */
const KEEP_ALIVE_MARGIN_MS = 1000;

type Call = {
  readonly text: RequestText;
  readonly resolve: (end: HttpEnd) => void;
  /** Undefined while it waits in line. */
  connection: PostConnection | undefined;
  deadline: Timer | undefined;
  isOver: boolean;
};

const closed: Failure = { why: "closed", cause: new Error("the lane is closed") };
const late: Failure = { why: "timeout", cause: new Error("no answer in time") };
const aged: Failure = { why: "closed", cause: new Error("the connection was idle for too long") };

export class PostLane implements HttpLane {
  readonly #options: PostLaneOptions;
  readonly #clock: Clock;
  readonly #origin: URL;
  readonly #textOf: (request: HttpRequest) => RequestText;
  readonly #connections = new Set<PostConnection>();
  /** The one used last is at the end: it is the best known to be alive. */
  readonly #free: PostConnection[] = [];
  readonly #line = new Set<Call>();
  readonly #tending: Timer;
  #keepAliveMs = KEEP_ALIVE_MS;
  #isReachable = true;
  #isClosed = false;

  constructor(options: PostLaneOptions, { clock }: HttpModules) {
    this.#options = options;
    this.#clock = clock;
    this.#origin = new URL(options.origin);
    this.#textOf = createRequestText(this.#origin);
    this.#tending = clock.every(TEND_MS, () => this.#tend());
    this.#warm();
  }

  send(request: HttpRequest): Promise<HttpEnd> {
    const text = this.#textOf(request);
    return new Promise((resolve) => {
      const call: Call = { text, resolve, connection: undefined, deadline: undefined, isOver: false };
      if (this.#isClosed) {
        this.#finish(call, { kind: "notSent", ...closed });
        return;
      }
      this.#line.add(call);
      this.#serve();
      call.deadline = this.#clock.after(this.#options.timeoutMs, () => this.#giveUp(call));
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#tending.cancel();
    for (const call of this.#line) this.#finish(call, { kind: "notSent", ...closed });
    for (const connection of this.#connections) connection.end(closed);
  }

  /** Gives what is free to those who wait, and opens what they still lack. */
  #serve(): void {
    for (const call of this.#line) {
      const connection = this.#takeFree();
      if (connection === undefined) break;
      this.#start(call, connection);
    }
    this.#open(this.#line.size - this.#count(({ isConnecting }) => isConnecting));
  }

  /** One that is too old is left to `#tend`. */
  #takeFree(): PostConnection | undefined {
    const newest = this.#free.at(-1);
    return newest !== undefined && newest.idleMs < this.#keepAliveMs ? this.#free.pop() : undefined;
  }

  #start(call: Call, connection: PostConnection): void {
    this.#line.delete(call);
    call.connection = connection;
    connection.send(call.text, (answer) => {
      if ("why" in answer) {
        this.#finish(call, { kind: "lost", ...answer });
        return;
      }
      const { httpStatus, body, retryAfter } = answer;
      this.#keepAliveMs = keepAliveOf(answer.keepAliveMs);
      this.#finish(call, { kind: "answered", httpStatus, body, retryAfter });
    });
  }

  #finish(call: Call, end: HttpEnd): void {
    call.isOver = true;
    this.#line.delete(call);
    call.deadline?.cancel();
    call.resolve(end);
  }

  #giveUp(call: Call): void {
    if (call.isOver) return;
    if (call.connection === undefined) this.#finish(call, { kind: "notSent", ...late });
    else call.connection.end(late);
  }

  #open(wanted: number): void {
    const room = this.#options.connections - this.#connections.size;
    for (let more = Math.min(wanted, room); more > 0; more -= 1) {
      const { timeoutMs, answerBytesMax } = this.#options;
      const connection = new PostConnection(
        { origin: this.#origin, connectTimeoutMs: connectTimeoutMsOf({ timeoutMs }), answerBytesMax },
        this.#clock,
        { onFree: (one) => this.#onFree(one), onEnd: (one, failure) => this.#onEnd(one, failure) },
      );
      this.#connections.add(connection);
    }
  }

  #onFree(connection: PostConnection): void {
    this.#isReachable = true;
    this.#free.push(connection);
    this.#serve();
  }

  #onEnd(connection: PostConnection, failure: Failure): void {
    this.#connections.delete(connection);
    const at = this.#free.indexOf(connection);
    if (at !== -1) this.#free.splice(at, 1);
    if (this.#isClosed) return;
    if (!connection.wasConnected) {
      this.#isReachable = false;
      const [first] = this.#line;
      if (first !== undefined) this.#finish(first, { kind: "notSent", ...failure });
    }
    this.#serve();
    // A server that hangs up before any answer is asked again at the next look only.
    if (connection.hasAnswered) this.#warm();
  }

  /** Opens what is to stand ready. While the exchange is not reached, one connection at a time tries. */
  #warm(): void {
    const wanted = this.#isReachable ? this.#options.warmConnections : Math.min(1, this.#options.warmConnections);
    this.#open(wanted - this.#count(({ idleMs }) => idleMs < this.#keepAliveMs - 2 * TEND_MS));
  }

  /** Ends what would be too old before the next look; what replaces it was opened at the last one. */
  #tend(): void {
    for (const connection of [...this.#free]) {
      if (connection.idleMs >= this.#keepAliveMs - TEND_MS) connection.end(aged);
    }
    this.#warm();
  }

  #count(isCounted: (connection: PostConnection) => boolean): number {
    let count = 0;
    for (const connection of this.#connections) if (isCounted(connection)) count += 1;
    return count;
  }
}

/** Between `TEND_MS` and the usual, whatever the server says: what it says may be wrong, and some time must remain. */
const keepAliveOf = (saidMs: number | null): number =>
  Math.max(TEND_MS, Math.min(KEEP_ALIVE_MS, (saidMs ?? Number.POSITIVE_INFINITY) - KEEP_ALIVE_MARGIN_MS));

const PATH = /^\/[\x21-\x7e]*$/;
const HEADER = /^[\w-]+: [\x20-\x7e]*$/;

/** Requests as they go over the wire. All but the length is made once as long as path and headers stay the same. */
function createRequestText({ host }: URL): (request: HttpRequest) => RequestText {
  let made: { readonly path: string; readonly headers: Headers | undefined; readonly head: string } | undefined;
  return ({ path, headers, body }) => {
    if (made?.path !== path || made.headers !== headers) made = { path, headers, head: headOf(host, path, headers) };
    const text = body ?? "";
    const length = Buffer.byteLength(text);
    return {
      text: `${made.head}content-length: ${length}\r\n\r\n${text}`,
      encoding: length === text.length ? "latin1" : "utf8", // Plain ASCII, which a socket takes without a copy.
    };
  };
}

/** Throws InvariantError when a part of it could be read as more than it is. */
function headOf(host: string, path: string, headers: Headers = {}): string {
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const lines = ["accept: application/json", "content-type: application/json", ...more];
  assert(PATH.test(path) && lines.every((line) => HEADER.test(line)), "path and headers are plain text");
  return [`POST ${path} HTTP/1.1`, `host: ${host}`, "connection: keep-alive", ...lines, ""].join("\r\n");
}
