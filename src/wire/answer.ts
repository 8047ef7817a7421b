// Makes and reads the answer to a submitted transaction (S4.5). The status in the body decides, not the HTTP code, because the interface
// does not say which code a refused transaction gets. Anything that is not clearly the exchange's own answer is unknown: neither success
// nor failure.

import type { SubmitOutcome } from "../domain/event.ts";
import type { ReportedEvent } from "../domain/reported-event.ts";
import { parseJson } from "../kernel/json.ts";
import { printable } from "../kernel/printable.ts";
import { eventSchema, eventText, readEvent } from "./answer/events.ts";
import { type Fields, fixed, type JsonSchema, object, says, unread } from "./description.ts";
import * as v from "./values.ts";

const events = {
  text: (all: readonly ReportedEvent[]): string => `[${all.map(eventText).join(",")}]`,
  schema: { type: "array", items: eventSchema },
};
const noEvents = { ...events, schema: { ...events.schema, maxItems: 0 } };
/** Executed, with all its events. */
export const success = object({ status: fixed("success"), hash: v.hash, events: unread(events) });
/** Executed and refused: no events, one sentence; `code` is the devnet's addition. */
export const failure = object({
  status: fixed("failed"),
  hash: v.hash,
  events: unread(noEvents),
  error: v.text,
  code: v.text,
});

/** Schema of the HTTP 200 answer to a transaction. */
export const answerSchema: JsonSchema = { oneOf: [success.schema, failure.schema] };

/** Never executed, or any other refused request: one sentence and a stable code. */
export const refusal = object({
  error: says(v.text, "one sentence"),
  code: says(v.text, "stable; programs branch on it"),
});

export const encodeSuccess = (hash: string, all: readonly ReportedEvent[]): string =>
  success.text({ hash, events: all });
export const encodeFailure = (hash: string, error: string, code: string): string =>
  failure.text({ hash, events: [], error, code });
export const encodeError = (error: string, code: string): string => refusal.text({ error, code });

export type HttpAnswer = {
  readonly httpStatus: number;
  readonly body: string;
  /** The Retry-After header as received, or null. */
  readonly retryAfter: string | null;
};

/** Longest part of an unknown answer that logs repeat. */
const ERROR_LENGTH_MAX = 500;

/** Statuses for a request that was not decided yet, that waits for another one, or that an intermediary blocked. */
const unresolved: ReadonlySet<number> = new Set([408, 409, 425, 451]);

/**
 * Outcome of a transaction whose request was answered. With `status` and `hash` in the body: executed or refused. Without them: 429 is rate
 * limited, and any other 4xx with the exchange's `error` is rejected before execution (contract 3). Everything else is unknown: 5xx, what
 * does not parse, and bodies without the exchange's shape, which may come from an intermediary. Never throws.
 */
export function decodeAnswer(answer: HttpAnswer): SubmitOutcome {
  const { httpStatus, body } = answer;
  const fields = bodyOf(body);
  const hash = fields?.hash;
  const error = sentenceOf(fields) ?? `HTTP ${httpStatus}`;
  if (fields !== undefined && typeof hash === "string" && hash !== "") {
    if (fields.status === "success") return { kind: "executed", hash, events: eventsOf(fields, hash) };
    if (fields.status === "failed") return { kind: "refused", hash, error };
  }
  if (httpStatus === 429) return { kind: "rateLimited", error, retryAfterMs: retryAfterMsOf(answer) };
  const isDecided = httpStatus >= 400 && httpStatus < 500 && !unresolved.has(httpStatus);
  if (isDecided && hash === undefined && sentenceOf(fields) !== undefined) {
    return { kind: "rejected", httpStatus, error };
  }
  return { kind: "unknown", why: strangeAnswer(httpStatus, body) };
}

/**
 * Describes an unsuccessful answer for people: the exchange's own sentence, or that the answer is not the exchange's, with its status. The
 * interface does not show the form of a 4xx, so there a message or a short text counts as its sentence.
 */
export function strangeAnswer(httpStatus: number, body: string): string {
  const fields = bodyOf(body);
  const sentence = sentenceOf(fields) ?? (httpStatus >= 400 && httpStatus < 500 ? wordsOf(fields, body) : undefined);
  if (sentence !== undefined) return `the exchange answered HTTP ${httpStatus}: ${sentence}`;
  const what = fields !== undefined ? "JSON that is not the exchange's" : kindOf(body.trimStart());
  return `something between us and the exchange answered HTTP ${httpStatus} with ${what}`;
}

const TITLE = /<title[^>]*>([^<]+)/i;
const TITLE_LENGTH_MAX = 80;

function kindOf(body: string): string {
  if (body === "") return "an empty body";
  if (!body.startsWith("<")) return `other text ("${printable(body, TITLE_LENGTH_MAX)}")`;
  const [, title] = TITLE.exec(body.slice(0, 4000)) ?? [];
  return title === undefined ? "a web page" : `a web page ("${printable(title.trim(), TITLE_LENGTH_MAX)}")`;
}

function bodyOf(body: string): Fields | undefined {
  try {
    const value = parseJson(body);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
  } catch {
    return undefined; // Text that does not parse did not come from the exchange.
  }
}

const eventsOf = ({ events }: Fields, hash: string) =>
  Array.isArray(events) ? events.map((item: unknown) => readEvent(item, hash)) : [];

/** The sentence of a refusal (S7). */
const sentenceOf = (fields: Fields | undefined): string | undefined =>
  typeof fields?.error === "string" ? printable(fields.error, ERROR_LENGTH_MAX) : undefined;

const WORDS_LENGTH_MAX = 300;
const REASONS = ["message", "reason", "detail", "title", "description"] as const;

/** The text of a refusal without an `error` sentence: another member, the same inside `error`, or short text that is not a web page. */
function wordsOf(fields: Fields | undefined, body: string): string | undefined {
  const text = body.trim();
  if (fields === undefined)
    return text === "" || text.length > WORDS_LENGTH_MAX || /^[<[{]/.test(text) ? undefined : printable(text);
  const inner = typeof fields.error === "object" && fields.error !== null ? (fields.error as Fields) : {};
  const said = [fields, inner]
    .flatMap((of) => REASONS.map((name) => of[name]))
    .find((word) => typeof word === "string");
  return typeof said === "string" ? printable(said, ERROR_LENGTH_MAX) : undefined;
}

/** Longest Retry-After that is accepted. */
const RETRY_AFTER_MS_MAX = 600_000;

/** Seconds, whole or with a fraction; a date is not supported and gives null. */
function retryAfterMsOf({ retryAfter }: HttpAnswer): number | null {
  if (retryAfter === null || !/^\d{1,9}(\.\d{1,6})?$/.test(retryAfter)) return null;
  return Math.min(Math.ceil(Number(retryAfter) * 1000), RETRY_AFTER_MS_MAX);
}
