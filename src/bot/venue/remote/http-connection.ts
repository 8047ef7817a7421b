// One TCP or TLS connection to the exchange that carries one request at a time, each in one write. From the write on the server may have
// acted on it: anything but one whole answer means that the request is lost.

import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { Clock } from "../../../kernel/clock.ts";
import { type Answer, AnswerError, AnswerReader } from "./answer-reader.ts";
import type { HttpFailure } from "./http.ts";

export type Failure = { readonly why: HttpFailure; readonly cause: unknown };

export type HttpConnectionOptions = {
  /** http or https. */
  readonly origin: URL;
  readonly connectTimeoutMs: number;
  readonly answerBytesMax: number;
};

/** `onFree`: it takes a request, now that it is connected or has answered. `onEnd`: it takes no further request; once. */
export type ConnectionEvents = {
  readonly onFree: (connection: HttpConnection) => void;
  readonly onEnd: (connection: HttpConnection, failure: Failure) => void;
};

/** A request as it goes over the wire. */
export type RequestText = { readonly text: string; readonly encoding: "latin1" | "utf8" };

/** Called once with the end of a request. */
export type OnAnswer = (answer: Answer | Failure) => void;

export class HttpConnection {
  readonly #answerBytesMax: number;
  readonly #events: ConnectionEvents;
  readonly #clock: Clock;
  readonly #socket: Socket;
  #state: "connecting" | "free" | "busy" | "ended" = "connecting";
  #reader: AnswerReader | undefined;
  #onAnswer: OnAnswer | undefined;
  #freeSinceMs = 0;
  #wasConnected = false;
  #hasAnswered = false;

  constructor(
    { origin, connectTimeoutMs, answerBytesMax }: HttpConnectionOptions,
    clock: Clock,
    events: ConnectionEvents,
  ) {
    this.#answerBytesMax = answerBytesMax;
    this.#events = events;
    this.#clock = clock;
    const isTls = origin.protocol === "https:";
    const socket = isTls ? openTls(origin) : connect(addressOf(origin, 80));
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.unref(); // The deadline of a request keeps the process alive, an idle connection does not.
    const patience = clock.after(connectTimeoutMs, () => {
      if (this.#state === "connecting") this.#lose(new Error("no connection in time"));
    });
    socket.once(isTls ? "secureConnect" : "connect", () => {
      patience.cancel();
      if (this.#state !== "connecting") return;
      this.#wasConnected = true;
      this.#setFree();
    });
    socket.on("data", (bytes) => this.#take(bytes));
    socket.on("error", (cause) => this.#lose(cause));
    socket.on("end", () => this.#takeEnd());
    socket.once("close", () => {
      patience.cancel();
      this.#lose(new Error("the connection is closed"));
    });
  }

  get isConnecting(): boolean {
    return this.#state === "connecting";
  }

  /** How long nothing was sent over it, ms; 0 while a request is under way. */
  get idleMs(): number {
    return this.#state === "free" ? this.#clock.monotonicMs() - this.#freeSinceMs : 0;
  }

  get wasConnected(): boolean {
    return this.#wasConnected;
  }

  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /** Writes the whole request at once. Only on a free connection. */
  send({ text, encoding }: RequestText, onAnswer: OnAnswer): void {
    this.#state = "busy";
    this.#onAnswer = onAnswer;
    this.#socket.write(text, encoding);
    this.#reader = new AnswerReader(this.#answerBytesMax);
  }

  /** Destroys it, with its request. Harmless when repeated. */
  end(failure: Failure): void {
    if (this.#state === "ended") return;
    this.#state = "ended";
    this.#socket.destroy();
    const onAnswer = this.#onAnswer;
    this.#onAnswer = undefined;
    onAnswer?.(failure);
    this.#events.onEnd(this, failure);
  }

  #lose(cause: unknown): void {
    this.end({ why: "connection", cause });
  }

  #take(bytes: Buffer): void {
    if (this.#state === "ended") return;
    if (this.#state !== "busy" || this.#socket.writableLength > 0) {
      this.end({ why: "malformed", cause: new Error("an answer without a whole request") });
    } else this.#tell((reader) => reader.push(bytes));
  }

  #takeEnd(): void {
    const whole = this.#state === "busy" && this.#socket.writableLength === 0 && this.#reader?.isOpenEnded;
    if (whole) this.#tell((reader) => reader.end());
    else this.#lose(new Error("the server closed the connection"));
  }

  /** Passes the answer on once it is complete. Undefined: more must come. */
  #tell(read: (reader: AnswerReader) => Answer | undefined): void {
    let answer: Answer | undefined;
    try {
      answer = this.#reader && read(this.#reader);
    } catch (thrown) {
      this.end({ why: thrown instanceof AnswerError ? thrown.code : "malformed", cause: thrown });
      return;
    }
    if (answer === undefined) return;
    const onAnswer = this.#onAnswer;
    this.#onAnswer = undefined;
    this.#hasAnswered = true;
    if (answer.isLast) this.#lose(new Error("the server takes no further request"));
    else this.#setFree();
    onAnswer?.(answer);
  }

  #setFree(): void {
    this.#state = "free";
    this.#freeSinceMs = this.#clock.monotonicMs();
    this.#events.onFree(this);
  }
}

const addressOf = ({ hostname, port }: URL, usualPort: number) => ({
  host: hostname.replace(/^\[|\]$/g, ""),
  port: port === "" ? usualPort : Number(port),
});

/** The certificate must be valid for the host, whatever the environment says. */
function openTls(origin: URL): Socket {
  const address = addressOf(origin, 443);
  const servername = isIP(address.host) === 0 ? address.host : "";
  return connectTls({ ...address, servername, rejectUnauthorized: true, ALPNProtocols: ["http/1.1"] });
}
