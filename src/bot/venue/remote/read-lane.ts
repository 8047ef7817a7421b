// Reads over keep-alive connections of undici, each sent at most once. Orders have connections of their own making (post-lane.ts).

import { type Dispatcher, Pool } from "undici";
import type { Clock } from "../../../kernel/clock.ts";
import { decodeUtf8 } from "../../../kernel/json.ts";
import {
  connectTimeoutMsOf,
  type HttpEnd,
  type HttpFailure,
  type HttpLane,
  type HttpLaneOptions,
  type HttpModules,
  type HttpRequest,
  KEEP_ALIVE_MS,
} from "./http.ts";

export function createReadLane(options: HttpLaneOptions, { clock }: HttpModules): HttpLane {
  const { origin, connections } = options;
  const pool = new Pool(origin, {
    connections,
    pipelining: 1,
    allowH2: false, // One connection would carry all requests, and one lost segment would stop them all.
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    connectTimeout: connectTimeoutMsOf(options),
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
    const { method, path, headers } = request;
    try {
      pool.dispatch({ method, path, headers: { accept: "application/json", ...headers }, idempotent: false }, handler);
    } catch (cause) {
      fail("closed", cause);
    }
  });
}

/** Undefined when the bytes are not UTF-8. */
function textOf(chunks: readonly Uint8Array[], byteCount: number): string | undefined {
  try {
    return decodeUtf8(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, byteCount));
  } catch {
    return undefined;
  }
}
