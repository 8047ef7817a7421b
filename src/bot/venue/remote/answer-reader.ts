// The bytes of one HTTP/1.1 answer, as they arrive, to its status and body. What an order's fate is read from is read strictly: an
// answer that is not whole, or that anything follows, is malformed, and what it says does not count (RFC 9112).

import { CodedError } from "../../../kernel/errors.ts";
import { decodeUtf8 } from "../../../kernel/json.ts";

export type Answer = {
  readonly httpStatus: number;
  readonly body: string;
  /** The Retry-After header as sent; null where there is none, or more than one. */
  readonly retryAfter: string | null;
  /** The server takes no further request on this connection. */
  readonly isLast: boolean;
  /** How long it says that it keeps an idle connection; null: it does not say. */
  readonly keepAliveMs: number | null;
};

/** `malformed`: this is not one whole answer and nothing else. `tooLarge`: longer than allowed. */
export class AnswerError extends CodedError<"malformed" | "tooLarge"> {}

/** All heads and trailers of an answer together, bytes. Ordinary ones have a few hundred. */
const HEADS_BYTES_MAX = 16_384;
/** Statuses that promise no body, or another protocol: to a transaction none of them is an answer. */
const senselessStatuses: ReadonlySet<number> = new Set([101, 204, 304]);

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
const HEADER = /^([\w!#$%&'*+.^`|~-]+):([\t\x20-\x7e\x80-\xff]*)$/;
const CONTENT_LENGTH = /^\d{1,15}$/;
const KEEP_ALIVE = /\btimeout=(\d{1,6})\b/;
const CHUNK_SIZE = /^([\da-f]{1,8})[\t ]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/i;

type Head = { readonly httpStatus: number; readonly isLast: boolean; readonly headers: Headers };
/** By name in lower case; each value as often as it was sent. */
type Headers = ReadonlyMap<string, readonly string[]>;
/** What the next bytes are. */
type Part = "head" | "body" | "bodyToEnd" | "chunkSize" | "chunk" | "chunkEnd" | "trailers" | "nothing";

export class AnswerReader {
  readonly #bodyBytesMax: number;
  #part: Part = "head";
  #unread: Buffer = Buffer.alloc(0);
  readonly #lines: string[] = [];
  #headBytes = 0;
  #head: Head | undefined;
  /** Bytes that the body, or the chunk, still lacks. */
  #missing = 0;
  readonly #pieces: Buffer[] = [];
  /** Of the body and, where it comes in chunks, of what frames them. */
  #bodyBytes = 0;

  constructor(bodyBytesMax: number) {
    this.#bodyBytesMax = bodyBytesMax;
  }

  /** Takes the next bytes. Undefined: more must come. Throws AnswerError, after which, as after the answer, nothing may be pushed. */
  push(bytes: Buffer): Answer | undefined {
    this.#unread = this.#unread.length === 0 ? bytes : Buffer.concat([this.#unread, bytes]);
    while (this.#part !== "nothing") if (!this.#step()) return undefined;
    if (this.#unread.length > 0) throw malformed("bytes follow the answer");
    return this.#answer();
  }

  /** The head is whole and names no length: the body goes on until the server closes the connection. */
  get isOpenEnded(): boolean {
    return this.#part === "bodyToEnd";
  }

  /** The answer whose body the end of the connection ends. Throws AnswerError: its bytes are no text. */
  end(): Answer {
    return { ...this.#answer(), isLast: true };
  }

  /** False: the part needs more bytes. */
  #step(): boolean {
    switch (this.#part) {
      case "body":
      case "chunk":
        return this.#takeBody();
      case "bodyToEnd":
        this.#pieces.push(this.#unread);
        this.#countBody(this.#unread.length);
        this.#unread = Buffer.alloc(0);
        return false;
      case "nothing":
        return false;
      default: {
        const line = this.#takeLine();
        if (line !== undefined) this.#readLine(line);
        return line !== undefined;
      }
    }
  }

  #takeBody(): boolean {
    const piece = this.#unread.subarray(0, this.#missing);
    this.#unread = this.#unread.subarray(piece.length);
    this.#missing -= piece.length;
    this.#countBody(piece.length);
    if (piece.length > 0) this.#pieces.push(piece);
    if (this.#missing > 0) return false;
    this.#part = this.#part === "body" ? "nothing" : "chunkEnd";
    return true;
  }

  #takeLine(): string | undefined {
    const end = this.#unread.indexOf("\n");
    const length = end === -1 ? this.#unread.length : end + 1;
    if (this.#headBytes + length > HEADS_BYTES_MAX) throw new AnswerError("tooLarge", "the head is too long");
    if (end === -1) return undefined;
    if (this.#part === "head" || this.#part === "trailers") this.#headBytes += length;
    else this.#countBody(length);
    const line = this.#unread.toString("latin1", 0, length);
    this.#unread = this.#unread.subarray(length);
    if (!line.endsWith("\r\n")) throw malformed("a line has no proper end");
    return line.slice(0, -2);
  }

  #readLine(line: string): void {
    if (this.#part === "head") {
      if (line === "") this.#endHead();
      else this.#lines.push(line);
    } else if (this.#part === "chunkSize") {
      const [, size] = CHUNK_SIZE.exec(line) ?? [];
      if (size === undefined) throw malformed("a chunk has no size");
      this.#missing = Number.parseInt(size, 16);
      this.#part = this.#missing === 0 ? "trailers" : "chunk";
      this.#refuseLonger();
    } else if (this.#part === "chunkEnd") {
      if (line !== "") throw malformed("a chunk is longer than its size");
      this.#part = "chunkSize";
    } else if (line === "") this.#part = "nothing";
    else headerOf(line);
  }

  #endHead(): void {
    const head = readHead(this.#lines);
    const length = bodyLengthOf(head);
    this.#lines.length = 0;
    if (head.httpStatus < 200) {
      if (length !== null) throw malformed("an interim answer has a body");
      return; // 100 Continue and its like: the answer itself comes after it.
    }
    this.#head = head;
    if (length === null) this.#part = "bodyToEnd";
    else if (length === "chunked") this.#part = "chunkSize";
    else {
      this.#part = "body";
      this.#missing = length;
      this.#refuseLonger();
    }
  }

  #countBody(bytes: number): void {
    this.#bodyBytes += bytes;
    this.#refuseLonger();
  }

  /** Counts what is announced: nothing is gathered that will be refused. */
  #refuseLonger(): void {
    if (this.#bodyBytes + this.#missing > this.#bodyBytesMax) {
      throw new AnswerError("tooLarge", `the body is longer than ${this.#bodyBytesMax} bytes`);
    }
  }

  #answer(): Answer {
    const { httpStatus, isLast, headers } = this.#head as Head;
    const [retryAfter = null, ...more] = headers.get("retry-after") ?? [];
    return {
      httpStatus,
      body: textOf(this.#pieces),
      retryAfter: more.length === 0 ? retryAfter : null,
      isLast,
      keepAliveMs: keepAliveMsOf(headers),
    };
  }
}

function readHead([statusLine = "", ...lines]: readonly string[]): Head {
  const [, minor, status] = STATUS_LINE.exec(statusLine) ?? [];
  if (status === undefined) throw malformed("no status line");
  const httpStatus = Number(status);
  if (senselessStatuses.has(httpStatus)) throw malformed(`HTTP ${status} answers no transaction`);
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const [name, value] = headerOf(line);
    const values = headers.get(name);
    if (values === undefined) headers.set(name, [value]);
    else values.push(value);
  }
  const isLast = minor === "0" || tokensOf(headers, "connection").includes("close");
  return { httpStatus, isLast, headers };
}

/** Bytes of the body; null: the head does not say. What says it twice, or in two ways, may have been read otherwise on its way. */
function bodyLengthOf({ headers }: Head): number | "chunked" | null {
  const lengths = headers.get("content-length") ?? [];
  const codings = tokensOf(headers, "transfer-encoding");
  if (lengths.length + codings.length > 1) throw malformed("the head says twice where the body ends");
  if (headers.has("content-encoding") || (codings.length > 0 && codings[0] !== "chunked")) {
    throw malformed("the body has an encoding that nobody asked for");
  }
  if (codings.length > 0) return "chunked";
  const [length] = lengths;
  if (length === undefined) return null;
  if (!CONTENT_LENGTH.test(length)) throw malformed("the length of the body is no number");
  return Number(length);
}

function keepAliveMsOf(headers: Headers): number | null {
  const [, seconds] = KEEP_ALIVE.exec(tokensOf(headers, "keep-alive").join()) ?? [];
  return seconds === undefined ? null : Number(seconds) * 1000;
}

/** Name in lower case, value without the blanks around it. Throws AnswerError: no header, or the rest of one (folded lines are long forbidden). */
function headerOf(line: string): readonly [name: string, value: string] {
  const [, name, value] = HEADER.exec(line) ?? [];
  if (name === undefined || value === undefined) throw malformed("a line of the head is no header");
  return [name.toLowerCase(), value.trim()];
}

const tokensOf = (headers: Headers, name: string): readonly string[] =>
  (headers.get(name) ?? []).flatMap((value) =>
    value
      .toLowerCase()
      .split(",")
      .map((token) => token.trim()),
  );

function textOf(pieces: readonly Buffer[]): string {
  try {
    return decodeUtf8(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces));
  } catch (cause) {
    throw new AnswerError("malformed", "the answer is not text", { cause });
  }
}

const malformed = (message: string): AnswerError => new AnswerError("malformed", message);
