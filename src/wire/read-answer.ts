// The answer to a read over HTTP: its value, or why there is none.

import { messageOf } from "../kernel/errors.ts";
import { type JsonLimits, parseJson } from "../kernel/json.ts";
import { printable } from "../kernel/printable.ts";
import { type HttpAnswer, strangeAnswer } from "./answer.ts";
import { isImplausible } from "./errors.ts";

/** A read that failed. `implausible`: the answer was well-formed, with values that no market or account can have. */
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

/** An account with thousands of orders fits. */
export const readLimits: JsonLimits = { lengthMax: 4_194_304, depthMax: 16 };

/** Decodes what `GET path` was answered. Throws ReadError where that is a refusal, is malformed or implausible. */
export function decodeRead<T, Answer extends Pick<HttpAnswer, "httpStatus" | "body">>(
  path: string,
  answer: Answer,
  decode: (answer: Answer) => T,
): T {
  const { httpStatus } = answer;
  if (httpStatus < 200 || httpStatus > 299) {
    const why = strangeAnswer(httpStatus, answer.body);
    throw new ReadError("httpStatus", `GET ${path}: ${why}`, { httpStatus, reason: codeIn(answer.body) });
  }
  try {
    return decode(answer);
  } catch (cause) {
    const { body } = answer;
    const why = /^\s*([[{]|null\b)/.test(body) ? messageOf(cause) : strangeAnswer(httpStatus, body);
    const code = isImplausible(cause) ? "implausible" : "malformed";
    throw new ReadError(code, `GET ${path}: ${why}`, { httpStatus, cause });
  }
}

const NOT_FOUND = 404;

/** The exchange has no such thing. */
export const isMissing = (failure: unknown): boolean =>
  failure instanceof ReadError && failure.httpStatus === NOT_FOUND;

/** The code that came with a refusal, which is the devnet's addition; null: none. */
function codeIn(body: string): string | null {
  try {
    const { code } = parseJson(body, readLimits) as Readonly<Record<string, unknown>>;
    return typeof code === "string" ? code : null;
  } catch {
    return null;
  }
}
