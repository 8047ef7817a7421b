// Parses the bytes of one HTTP/1.1 answer, as they arrive, to its status and body, for orders and reads alike. The end of the body must be
// certain: an answer that is ambiguous about it, incomplete, or followed by anything is malformed and does not count (RFC 9112). Header
// lines that say nothing about it cannot spoil an answer, however odd.

import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, type ZlibOptions } from "node:zlib";
import { CodedError, messageOf } from "../../../kernel/errors.ts";
import { decodeUtf8 } from "../../../kernel/json.ts";

export type Answer = {
  readonly httpStatus: number;
  readonly body: string;
  /** The Retry-After header as sent; null where there is none, or more than one. */
  readonly retryAfter: string | null;
  /** The server takes no further request on this connection. */
  readonly isLast: boolean;
  /** How long it keeps an idle connection, as announced; null: not announced. */
  readonly keepAliveMs: number | null;
};

/** `malformed`: not exactly one whole answer. `tooLarge`: longer than allowed. */
export class AnswerError extends CodedError<"malformed" | "tooLarge"> {}

/** All heads and trailers of an answer together, bytes. Ordinary ones have a few hundred. */
const HEADS_BYTES_MAX = 16_384;
/** Statuses that promise no body, or another protocol: none of them answers a request of ours. */
const unusableStatuses: ReadonlySet<number> = new Set([101, 204, 304]);

const STATUS_LINE = /^HTTP\/1\.(\d)[\t ]+([1-5]\d\d)(?:[\t ]|$)/;
const CONTENT_LENGTH = /^\d{1,15}$/;
const KEEP_ALIVE = /\btimeout=(\d{1,6})\b/;
const CHUNK_SIZE = /^([\da-f]{1,8})[\t ]*(?:;|$)/i;

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
  /** Size of the body and, if chunked, of its framing. */
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

  /** The head is complete without a length: the body goes on until the server closes the connection. */
  get isOpenEnded(): boolean {
    return this.#part === "bodyToEnd";
  }

  /** Returns the answer whose body ends with the connection. Throws AnswerError: its bytes are no text. */
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
    return line.replace(/\r?\n$/, "");
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
    } else if (line === "") this.#part = "nothing"; // The end of the trailers, which are ignored.
  }

  #endHead(): void {
    const head = readHead(this.#lines);
    this.#lines.length = 0;
    if (head.httpStatus < 200) return; // 100 Continue and its like never have a body: the answer itself comes after it.
    const length = bodyLengthOf(head);
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
      body: this.#bodyText(headers),
      retryAfter: more.length === 0 ? retryAfter : null,
      isLast,
      keepAliveMs: keepAliveMsOf(headers),
    };
  }

  #bodyText(headers: Headers): string {
    const codings = [...tokensOf(headers, "content-encoding"), ...transferCodings(headers)];
    const bytes = this.#pieces.length === 1 && this.#pieces[0] ? this.#pieces[0] : Buffer.concat(this.#pieces);
    try {
      return decodeUtf8(decoded(bytes, codings.filter(isCoding), this.#bodyBytesMax));
    } catch (cause) {
      throw new AnswerError("malformed", `the body cannot be read as text: ${messageOf(cause)}`, { cause });
    }
  }
}

function readHead([statusLine = "", ...lines]: readonly string[]): Head {
  const [, minor, status] = STATUS_LINE.exec(statusLine) ?? [];
  if (status === undefined) throw malformed("no status line");
  const httpStatus = Number(status);
  if (unusableStatuses.has(httpStatus)) throw malformed(`HTTP ${status} answers no request of ours`);
  const headers = headersOf(lines);
  const isLast = minor === "0" || tokensOf(headers, "connection").includes("close");
  return { httpStatus, isLast, headers };
}

/**
 * A folded line continues the value before it. Blanks around a name are dropped, so that none can hide a header about the end of the body;
 * a line without a colon is ignored.
 */
function headersOf(lines: readonly string[]): Headers {
  const headers = new Map<string, string[]>();
  let last: string[] = [];
  for (const line of lines) {
    if (/^[\t ]/.test(line)) {
      last.push(`${last.pop() ?? ""} ${line.trim()}`);
      continue;
    }
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    last = headers.get(name) ?? [];
    last.push(line.slice(colon + 1).trim());
    headers.set(name, last);
  }
  return headers;
}

/**
 * Returns the bytes of the body; null: it ends with the connection. One length repeated is one; two lengths, or a length beside a transfer
 * coding, may have been read otherwise on the way.
 */
function bodyLengthOf({ headers }: Head): number | "chunked" | null {
  const lengths = new Set(tokensOf(headers, "content-length"));
  const codings = tokensOf(headers, "transfer-encoding").filter(isCoding);
  if (lengths.size + Math.min(codings.length, 1) > 1) throw malformed("the head says in two ways where the body ends");
  if (codings.slice(0, -1).includes("chunked")) throw malformed("the body is in chunks within something else");
  if (codings.length > 0) return codings.at(-1) === "chunked" ? "chunked" : null;
  const [length] = lengths;
  if (length === undefined) return null;
  if (!CONTENT_LENGTH.test(length)) throw malformed("the length of the body is no number");
  return Number(length);
}

/** "identity" means no coding. */
const isCoding = (token: string): boolean => token !== "" && token !== "identity";

/** How the body was encoded in transit, without the chunks. */
const transferCodings = (headers: Headers): readonly string[] =>
  tokensOf(headers, "transfer-encoding").filter((coding) => coding !== "chunked");

function keepAliveMsOf(headers: Headers): number | null {
  const [, seconds] = KEEP_ALIVE.exec(tokensOf(headers, "keep-alive").join()) ?? [];
  return seconds === undefined ? null : Number(seconds) * 1000;
}

const tokensOf = (headers: Headers, name: string): readonly string[] =>
  (headers.get(name) ?? []).flatMap((value) =>
    value
      .toLowerCase()
      .split(",")
      .map((token) => token.trim()),
  );

/** Quoin asks for no compressed body, yet something in between may compress one. */
type Unpack = (bytes: Buffer, limits: ZlibOptions) => Buffer;

/** Some servers send the bare stream for "deflate", without the frame that belongs around it (RFC 9110, 8.4.1.2). */
const inflate: Unpack = (bytes, limits) =>
  ((bytes[0] ?? 0) & 15) === 8 ? inflateSync(bytes, limits) : inflateRawSync(bytes, limits);

const unpackers: ReadonlyMap<string, Unpack> = new Map([
  ["gzip", gunzipSync],
  ["x-gzip", gunzipSync],
  ["deflate", inflate],
  ["br", brotliDecompressSync],
]);

/** Once by the server and once on the way. */
const CODINGS_MAX = 2;

/** Returns `bytes` without `codings`, listed in order of application. Throws: unknown coding, broken bytes, or more than `bytesMax`. */
function decoded(bytes: Buffer, codings: readonly string[], bytesMax: number): Buffer {
  if (codings.length > CODINGS_MAX) throw new Error(`it is packed ${codings.length} times`);
  return codings.toReversed().reduce((packed, coding) => {
    const unpack = unpackers.get(coding);
    if (unpack === undefined) throw new Error(`the encoding ${JSON.stringify(coding.slice(0, 40))} is unknown`);
    return unpack(packed, { maxOutputLength: bytesMax });
  }, bytes);
}

const malformed = (message: string): AnswerError => new AnswerError("malformed", message);
