// One host of the exchange over HTTP: reads that return their value or throw, and transactions that are sent once and end as an outcome.

import type { SubmitOutcome } from "../domain/event.ts";
import type { Clock } from "../kernel/clock.ts";
import { messageOf } from "../kernel/errors.ts";
import { parseJson } from "../kernel/json.ts";
import { decodeAnswer } from "../wire/answer.ts";
import { decodeRead, ReadError, readLimits } from "../wire/read-answer.ts";
import type { Read, TextRead } from "../wire/reads.ts";

/** The part of `fetch` that is used. */
export type Fetch = (
  url: string,
  request: {
    readonly method: "GET" | "POST";
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly redirect: "manual";
    readonly signal: AbortSignal;
  },
) => Promise<{
  readonly status: number;
  readonly headers: { readonly get: (name: string) => string | null };
  readonly text: () => Promise<string>;
}>;

export type HostOptions = {
  /** Its path is the prefix of every path of the interface. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly readTimeoutMs: number;
  readonly submitTimeoutMs: number;
};

export type Host = {
  /** Throws ReadError. */
  readonly get: <T>(read: Read<T>) => Promise<T>;
  readonly text: <T>(read: TextRead<T>) => Promise<T>;
  /** Sends the body once. Never throws. */
  readonly post: (path: string, body: string) => Promise<SubmitOutcome>;
};

const JSON_TYPE = { "content-type": "application/json" };

/** Throws TypeError if `url` is not a URL. */
export function openHost(options: HostOptions, modules: { readonly fetch: Fetch; readonly clock: Clock }): Host {
  const { headers } = options;
  const base = new URL(options.url).href.replace(/\/$/, "");

  async function send(method: "GET" | "POST", path: string, timeoutMs: number, body?: string) {
    const aborter = new AbortController();
    const deadline = modules.clock.after(timeoutMs, () => aborter.abort(new Error("no answer in time")));
    try {
      const content = body === undefined ? { headers } : { body, headers: { ...headers, ...JSON_TYPE } };
      const answer = await modules.fetch(base + path, {
        method,
        redirect: "manual",
        signal: aborter.signal,
        ...content,
      });
      const { status: httpStatus, headers: answered } = answer;
      return { httpStatus, retryAfter: answered.get("retry-after"), body: await answer.text() };
    } catch (cause) {
      if (aborter.signal.aborted) throw new ReadError("timeout", `${method} ${path}: no answer in time`, { cause });
      throw new ReadError("unreachable", `${method} ${path}: ${whyUnreachable(cause)}`, { cause });
    } finally {
      deadline.cancel();
    }
  }

  const read = async <T>(path: string, decode: (body: string) => T): Promise<T> =>
    decodeRead(path, await send("GET", path, options.readTimeoutMs), ({ body }) => decode(body));

  return {
    get: ({ path, decode }) => read(path, (body) => decode(parseJson(body, readLimits))),
    text: ({ path, decodeText }) => read(path, decodeText),
    async post(path, body) {
      try {
        return decodeAnswer(await send("POST", path, options.submitTimeoutMs, body));
      } catch (thrown) {
        const why = messageOf(thrown);
        return { kind: thrown instanceof ReadError && isNeverSent(thrown.cause) ? "notSent" : "unknown", why };
      }
    },
  };
}

/** The cause of an error of `fetch`, which holds what happened. */
const systemError = (thrown: unknown): unknown =>
  thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;

const whyUnreachable = (thrown: unknown): string => messageOf(systemError(thrown));

/** Failures before there was a connection: no byte of the request was sent. */
const NEVER_CONNECTED = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]);

function isNeverSent(thrown: unknown): boolean {
  const error = systemError(thrown);
  return error instanceof Error && "code" in error && NEVER_CONNECTED.has(String(error.code));
}
