// Requests over keep-alive connections, each sent at most once. One bit of a failure matters: whether a byte of the request may have
// left. undici says so exactly: `onRequestStart` runs on a connected socket, right before it writes the first byte.

import { type Dispatcher, Pool } from "undici";
import type { Clock } from "../../../kernel/clock.ts";
import { messageOf } from "../../../kernel/errors.ts";
import { decodeUtf8 } from "../../../kernel/json.ts";

export type HttpRequest = {
  readonly method: "GET" | "POST";
  /** Absolute path on the lane's origin. */
  readonly path: string;
  /** JSON text, sent byte for byte; null for none. */
  readonly body: string | null;
  /** Beside those that every request carries: credentials. */
  readonly headers?: Headers;
};

export type Headers = Readonly<Record<string, string>>;

/** How a request ended. `lost`: the server may have received it and acted on it; no answer came. */
export type HttpEnd =
  | {
      readonly kind: "answered";
      readonly httpStatus: number;
      readonly body: string;
      readonly retryAfter: string | null;
    }
  | { readonly kind: "notSent"; readonly why: HttpFailure; readonly cause: unknown }
  | { readonly kind: "lost"; readonly why: HttpFailure; readonly cause: unknown };

export type HttpFailure = "timeout" | "connection" | "tooLarge" | "malformed" | "closed";

export type HttpLaneOptions = {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Requests that may be under way at once; the rest wait in line. */
  readonly connections: number;
  /** From the call to the last byte of the answer, waiting in line included. */
  readonly timeoutMs: number;
  /** An answer that is longer is cut off and lost. */
  readonly answerBytesMax: number;
};

export type HttpLane = {
  /** Never throws, never sends twice, follows no redirect. */
  readonly send: (request: HttpRequest) => Promise<HttpEnd>;
  /** Ends what is under way and frees the sockets. */
  readonly close: () => Promise<void>;
};

/** Shorter than the idle time at which common servers hang up (5 s): a request on a dying connection is lost. */
const KEEP_ALIVE_MS = 4000;
/** A dead address is given up while there is still time in the request's own limit to say so. */
const CONNECT_SHARE = 0.8;

export function createHttpLane(options: HttpLaneOptions, { clock }: { readonly clock: Clock }): HttpLane {
  const { origin, connections, timeoutMs } = options;
  const pool = new Pool(origin, {
    connections,
    pipelining: 1,
    allowH2: false, // One connection would carry all requests, and one lost segment would stop them all.
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    connectTimeout: Math.ceil(timeoutMs * CONNECT_SHARE),
    headersTimeout: 0, // The deadline below covers the whole exchange, by our own clock.
    bodyTimeout: 0,
  });
  return {
    send: (request) => exchange(pool, request, options, clock),
    close: () => pool.destroy(),
  };
}

function exchange(pool: Pool, request: HttpRequest, options: HttpLaneOptions, clock: Clock): Promise<HttpEnd> {
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined;
    let ended = false;
    let failure: HttpFailure = "connection";
    let answer: { httpStatus: number; retryAfter: string | null } | undefined;
    const chunks: Uint8Array[] = [];
    let byteCount = 0;

    const end = (outcome: HttpEnd): void => {
      if (ended) return;
      ended = true;
      deadline.cancel();
      resolve(outcome);
    };
    const fail = (why: HttpFailure, cause: unknown): void =>
      end({ kind: controller === undefined ? "notSent" : "lost", why, cause });
    /** Gives the exchange up; before its start that keeps it from ever starting. */
    const giveUp = (why: HttpFailure): void => {
      failure = why;
      const reason = new Error(`gave up: ${why}`);
      fail(why, reason);
      controller?.abort(reason);
    };
    const deadline = clock.after(options.timeoutMs, () => giveUp("timeout"));

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        if (ended) started.abort(new Error("given up before it started"));
        else controller = started;
      },
      onResponseStart(_, httpStatus, headers) {
        const retryAfter = headers["retry-after"];
        answer = { httpStatus, retryAfter: typeof retryAfter === "string" ? retryAfter : null };
      },
      onResponseData(_, chunk) {
        byteCount += chunk.byteLength;
        if (byteCount > options.answerBytesMax) giveUp("tooLarge");
        else chunks.push(chunk);
      },
      onResponseEnd() {
        const body = textOf(chunks, byteCount);
        if (answer === undefined || body === undefined) fail("malformed", new Error("the answer is not text"));
        else end({ kind: "answered", ...answer, body });
      },
      onResponseError(_, error) {
        fail(failure, error);
      },
    };
    const { method, path, body } = request;
    try {
      pool.dispatch({ method, path, body, headers: headersOf(request), idempotent: false }, handler);
    } catch (cause) {
      fail("closed", cause);
    }
  });
}

const ACCEPT = { accept: "application/json" } as const;
const ACCEPT_AND_SEND = { ...ACCEPT, "content-type": "application/json" } as const;

function headersOf({ body, headers }: HttpRequest): Headers {
  const usual = body === null ? ACCEPT : ACCEPT_AND_SEND;
  return headers === undefined ? usual : { ...usual, ...headers };
}

/** Undefined when the bytes are not UTF-8. */
function textOf(chunks: readonly Uint8Array[], byteCount: number): string | undefined {
  try {
    return decodeUtf8(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, byteCount));
  } catch {
    return undefined;
  }
}

/** What failed, for people. */
export const failureText = ({ why, cause }: Exclude<HttpEnd, { kind: "answered" }>): string =>
  why === "timeout" ? "no answer in time" : `${why}: ${messageOf(cause)}`;
