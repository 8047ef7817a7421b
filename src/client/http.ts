// One host of the exchange over HTTP: reads that give what was asked for or throw, and transactions that are sent once and end as an
// outcome.

import type { SubmitOutcome } from "../domain/event.ts";
import type { Clock } from "../kernel/clock.ts";
import { messageOf } from "../kernel/errors.ts";
import { type JsonLimits, parseJson } from "../kernel/json.ts";
import { printable } from "../kernel/printable.ts";
import { decodeAnswer, strangeAnswer } from "../wire/answer.ts";
import { isImplausible } from "../wire/errors.ts";
import type { Read, TextRead } from "../wire/reads.ts";

/** A read that failed. `implausible`: it was answered, well-formed, with what can mean nothing. */
export class ReadError extends Error {
  readonly code: "unreachable" | "timeout" | "httpStatus" | "malformed" | "implausible";
  /** Null where the exchange did not answer. */
  readonly httpStatus: number | null;
  /** The exchange's own code for its refusal, where it gave one. */
  readonly reason: string | null;
  constructor(
    code: ReadError["code"],
    message: string,
    { httpStatus = null, reason = null, cause }: Partial<Pick<ReadError, "httpStatus" | "reason" | "cause">> = {},
  ) {
    super(printable(message), cause === undefined ? {} : { cause });
    this.name = "ReadError";
    this.code = code;
    this.httpStatus = httpStatus;
    this.reason = reason;
  }
}

/** As much of `fetch` as is used. */
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
  /** A path stands before every path of the interface. */
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

/** An account with thousands of orders fits. */
const limits: JsonLimits = { lengthMax: 4_194_304, depthMax: 16 };
const JSON_TYPE = { "content-type": "application/json" };

/** Throws TypeError where `url` is none. */
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

  async function decoded<T>(path: string, decode: (body: string) => T): Promise<T> {
    const { httpStatus, body } = await send("GET", path, options.readTimeoutMs);
    if (httpStatus < 200 || httpStatus > 299) {
      const facts = { httpStatus, reason: codeIn(body) };
      throw new ReadError("httpStatus", `GET ${path}: ${strangeAnswer(httpStatus, body)}`, facts);
    }
    try {
      return decode(body);
    } catch (cause) {
      const why = /^\s*[[{]/.test(body) ? messageOf(cause) : strangeAnswer(httpStatus, body);
      const code = isImplausible(cause) ? "implausible" : "malformed";
      throw new ReadError(code, `GET ${path}: ${why}`, { httpStatus, cause });
    }
  }

  return {
    get: ({ path, decode }) => decoded(path, (body) => decode(parseJson(body, limits))),
    text: ({ path, decodeText }) => decoded(path, decodeText),
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

/** The code that came with a refusal, which is the devnet's addition; null: none. */
function codeIn(body: string): string | null {
  try {
    const { code } = parseJson(body, limits) as Readonly<Record<string, unknown>>;
    return typeof code === "string" ? code : null;
  } catch {
    return null;
  }
}

/** Of `fetch`, whose errors hold what happened as their cause. */
const systemError = (thrown: unknown): unknown =>
  thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;

const whyUnreachable = (thrown: unknown): string => messageOf(systemError(thrown));

/** Failures before a connection stood: no byte of the request can have left. */
const NEVER_CONNECTED = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]);

function isNeverSent(thrown: unknown): boolean {
  const error = systemError(thrown);
  return error instanceof Error && "code" in error && NEVER_CONNECTED.has(String(error.code));
}
