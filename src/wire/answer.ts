// The answer to a submitted transaction (S4.5), made and understood. Status in the body decides, never the HTTP code: the interface
// does not say which code a refused transaction gets. Whatever is not a clear answer is unknown, which is neither success nor failure.

import type { SubmitOutcome } from "../domain/event.ts";
import type { ReportedEvent } from "../domain/reported-event.ts";
import { parseJson, stringifyJson } from "../kernel/json.ts";
import { decodeEvent } from "./answer/event-decode.ts";
import { encodeEvent } from "./answer/event-encode.ts";
import type { Fields } from "./strict.ts";

/** Executed: every change it made. */
export function encodeSuccess(hash: string, events: readonly ReportedEvent[]): string {
  return stringifyJson({ status: "success", hash, events: events.map(encodeEvent) });
}

/** Executed and refused: no events, one sentence; `code` is the devnet's addition. */
export function encodeFailure(hash: string, error: string, code: string): string {
  return stringifyJson({ status: "failed", hash, events: [], error, code });
}

/** Never executed, and any other request that is refused: one sentence and a stable code. */
export function encodeError(error: string, code: string): string {
  return stringifyJson({ error, code });
}

export type HttpAnswer = {
  readonly httpStatus: number;
  readonly body: string;
  /** The Retry-After header as sent, or null. */
  readonly retryAfter: string | null;
};

/** Text of a foreign answer that may be repeated in logs. */
const ERROR_LENGTH_MAX = 500;

/**
 * What became of a transaction whose request was answered. With `status` and `hash` in the body: executed or refused. Without:
 * 429 is rate limited and any other 4xx is rejected before execution, but for 408, where somebody gave up waiting; everything else,
 * 5xx and a 200 that does not parse among it, is unknown. Never throws.
 */
export function decodeAnswer(answer: HttpAnswer): SubmitOutcome {
  const fields = bodyOf(answer.body);
  const hash = fields?.hash;
  if (fields !== undefined && typeof hash === "string" && hash !== "") {
    if (fields.status === "success") return { kind: "executed", hash, events: eventsOf(fields, hash) };
    if (fields.status === "failed") return { kind: "refused", hash, error: errorOf(fields, answer) };
  }
  const { httpStatus } = answer;
  if (httpStatus >= 400 && httpStatus < 500 && httpStatus !== 408 && hash === undefined) {
    const error = errorOf(fields, answer);
    if (httpStatus === 429) return { kind: "rateLimited", error, retryAfterMs: retryAfterMsOf(answer) };
    return { kind: "rejected", httpStatus, error };
  }
  return { kind: "unknown", why: `HTTP ${httpStatus} without a clear answer` };
}

function bodyOf(body: string): Fields | undefined {
  try {
    const value = parseJson(body);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
  } catch {
    return undefined; // What does not parse answers nothing; the HTTP code is all there is to go by.
  }
}

const eventsOf = ({ events }: Fields, hash: string) =>
  Array.isArray(events) ? events.map((item: unknown) => decodeEvent(item, hash)) : [];

function errorOf(fields: Fields | undefined, { httpStatus }: HttpAnswer): string {
  const sentence = fields?.error ?? fields?.message;
  return typeof sentence === "string" ? sentence.slice(0, ERROR_LENGTH_MAX) : `HTTP ${httpStatus}`;
}

/** Longest wait that a Retry-After is believed for. */
const RETRY_AFTER_MS_MAX = 600_000;

/** Seconds, whole or not; a date is not understood and reads as null. */
function retryAfterMsOf({ retryAfter }: HttpAnswer): number | null {
  if (retryAfter === null || !/^\d{1,9}(\.\d{1,6})?$/.test(retryAfter)) return null;
  return Math.min(Math.ceil(Number(retryAfter) * 1000), RETRY_AFTER_MS_MAX);
}
