// Sends orders and reads to the exchange over a few connections, some kept ready for orders: the head of a request is prepared, and one
// write sends it. Each request is sent at most once: one that fails before its write was not sent, one that fails after it is lost and
// never retried.

import { assert } from "../../../kernel/assert.ts";
import type { Clock, Timer } from "../../../kernel/clock.ts";
import { connectionTiming } from "../../timing.ts";
import {
  connectTimeoutMsOf,
  type HttpEnd,
  type HttpLane,
  type HttpLaneOptions,
  type HttpModules,
  type HttpRequest,
} from "./http.ts";
import { type Failure, HttpConnection, type RequestText } from "./http-connection.ts";

type Call = {
  readonly text: RequestText;
  readonly resolve: (end: HttpEnd) => void;
  /** Undefined while it waits in line. */
  connection: HttpConnection | undefined;
  deadline: Timer | undefined;
  isOver: boolean;
};

const closed: Failure = { why: "closed", cause: new Error("the lane is closed") };
const late: Failure = { why: "timeout", cause: new Error("no answer in time") };
const aged: Failure = { why: "closed", cause: new Error("the connection was idle for too long") };

export class SocketLane implements HttpLane {
  readonly #options: HttpLaneOptions;
  readonly #clock: Clock;
  readonly #origin: URL;
  readonly #textOf: (request: HttpRequest) => RequestText;
  readonly #connections = new Set<HttpConnection>();
  /** The last one used is at the end: it is most likely alive. */
  readonly #free: HttpConnection[] = [];
  readonly #line = new Set<Call>();
  readonly #tending: Timer;
  #keepAliveMs: number = connectionTiming.keepAliveMs;
  #isReachable = true;
  #isClosed = false;

  constructor(options: HttpLaneOptions, { clock }: HttpModules) {
    this.#options = options;
    this.#clock = clock;
    this.#origin = new URL(options.origin);
    this.#textOf = createRequestText(this.#origin);
    this.#tending = clock.every(connectionTiming.tendMs, () => this.#tend());
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

  /** Assigns free connections to waiting requests, and opens missing ones. */
  #serve(): void {
    for (const call of this.#line) {
      const connection = this.#takeFree();
      if (connection === undefined) break;
      this.#start(call, connection);
    }
    if (this.#line.size > 0) this.#open(this.#line.size - this.#count(({ isConnecting }) => isConnecting));
  }

  /** One that is too old is left to `#tend`. */
  #takeFree(): HttpConnection | undefined {
    const newest = this.#free.at(-1);
    return newest !== undefined && newest.idleMs < this.#keepAliveMs ? this.#free.pop() : undefined;
  }

  #start(call: Call, connection: HttpConnection): void {
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
      const connection = new HttpConnection(
        { origin: this.#origin, connectTimeoutMs: connectTimeoutMsOf({ timeoutMs }), answerBytesMax },
        this.#clock,
        { onFree: (one) => this.#onFree(one), onEnd: (one, failure) => this.#onEnd(one, failure) },
      );
      this.#connections.add(connection);
    }
  }

  #onFree(connection: HttpConnection): void {
    this.#isReachable = true;
    this.#free.push(connection);
    this.#serve();
  }

  #onEnd(connection: HttpConnection, failure: Failure): void {
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
    // After a server that hangs up without an answer, the next try waits for the next look.
    if (connection.hasAnswered) this.#warm();
  }

  /** Opens the connections to keep ready. While the exchange is unreachable, one connection at a time tries. */
  #warm(): void {
    const wanted = this.#isReachable ? this.#options.warmConnections : Math.min(1, this.#options.warmConnections);
    this.#open(wanted - this.#count(({ idleMs }) => idleMs < this.#keepAliveMs - 2 * connectionTiming.tendMs));
  }

  /** Ends connections that would be too old at the next look; their replacements were opened at the last one. */
  #tend(): void {
    for (const connection of [...this.#free]) {
      if (connection.idleMs >= this.#keepAliveMs - connectionTiming.tendMs) connection.end(aged);
    }
    this.#warm();
  }

  #count(isCounted: (connection: HttpConnection) => boolean): number {
    let count = 0;
    for (const connection of this.#connections) if (isCounted(connection)) count += 1;
    return count;
  }
}

/** Between `connectionTiming.tendMs` and the usual, whatever the server announces: that may be wrong, and some time must remain. */
const keepAliveOf = (saidMs: number | null): number =>
  Math.max(
    connectionTiming.tendMs,
    Math.min(connectionTiming.keepAliveMs, (saidMs ?? Number.POSITIVE_INFINITY) - connectionTiming.keepAliveMarginMs),
  );

const PATH = /^\/[\x21-\x7e]*$/;

/** Requests as sent. Everything but the length is built once while method and path stay the same. */
function createRequestText({ host }: URL): (request: HttpRequest) => RequestText {
  let last: HttpRequest | undefined;
  let head = "";
  return (request) => {
    const { method, path, body } = request;
    if (last?.path !== path || last.method !== method) head = headOf(host, request);
    last = request;
    if (body === null) return { text: `${head}\r\n`, encoding: "latin1" };
    const length = Buffer.byteLength(body);
    return {
      text: `${head}content-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`,
      encoding: length === body.length ? "latin1" : "utf8", // Plain ASCII, which a socket takes without a copy.
    };
  };
}

/** Throws InvariantError when the path could be read as more than it is. */
function headOf(host: string, { method, path }: HttpRequest): string {
  assert(PATH.test(path), "the path is plain text");
  return `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\naccept: application/json\r\n`;
}
