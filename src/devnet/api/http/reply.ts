// What a route answers: a status and finished text. Refusals carry one stable sentence and a code.

import { type Json, stringifyJson } from "../../../kernel/json.ts";
import { encodeError } from "../../../wire/answer.ts";
import type { Kind } from "../../../wire/description.ts";
import { unwritable } from "../../chain/admission/answer.ts";
import type { Receipt } from "../../event.ts";

export type Reply = {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The value behind the text, for a reader in this process; undefined if another kind wrote it. */
  readonly as?: <T>(kind: Pick<Kind<T>, "read">) => T | undefined;
};

const JSON_TYPE = "application/json";

/** JSON of any value; a bigint becomes bare digits. */
export const json = (value: Json, status = 200): Reply => jsonText(stringifyJson(value), status);

/** A message of the exchange, by its description; the text is made when it is first read. */
export const said = <T>(kind: Pick<Kind<T>, "text">, value: T): Reply => new Said(kind, value);

/** Like `said`, for values that never change: the same object gets the same reply again. */
export function saidOnce<T extends object>(kind: Pick<Kind<T>, "text">): (value: T) => Reply {
  const replies = new WeakMap<T, Reply>();
  return (value) => {
    const known = replies.get(value);
    if (known !== undefined) return known;
    const reply = said(kind, value);
    replies.set(value, reply);
    return reply;
  };
}

class Said<T> implements Reply {
  readonly status = 200;
  readonly contentType = JSON_TYPE;
  readonly #kind: Pick<Kind<T>, "text">;
  readonly #value: T;
  #text: string | undefined;

  constructor(kind: Pick<Kind<T>, "text">, value: T) {
    this.#kind = kind;
    this.#value = value;
  }

  get text(): string {
    this.#text ??= this.#kind.text(this.#value);
    return this.#text;
  }

  as<As>(kind: Pick<Kind<As>, "read">): As | undefined {
    const writer: unknown = this.#kind;
    return writer === kind ? (this.#value as unknown as As) : undefined;
  }
}

/** JSON that is already text. */
export const jsonText = (text: string, status = 200): Reply => ({ status, contentType: JSON_TYPE, text });

/** CSV as in RFC 4180. */
export const csv = (text: string): Reply => ({ status: 200, contentType: "text/csv; charset=utf-8", text });

/** `{"error": sentence, "code": code}`; programs branch on the code. */
export function refusal(
  status: number,
  code: string,
  error: string,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return { status, contentType: JSON_TYPE, text: encodeError(error, code), headers };
}

export const badRequest = (code: string, error: string): Reply => refusal(400, code, error);
/** The request reaches back beyond the kept rows. `untilMs`: Unix ms. */
export const historyDropped = (untilMs: number): Reply =>
  refusal(410, "HISTORY_DROPPED", `rows up to ${untilMs} are no longer kept: ask for what came after`);
export const notFound = (code: string, error: string): Reply => refusal(404, code, error);

export const unknownAccount = notFound("UNKNOWN_ACCOUNT", "there is no such account");
export const malformedAccount = badRequest(
  "MALFORMED_ACCOUNT_ID",
  "an account id is a whole number from 0 to 2^64 - 1",
);
export const malformedMarket = badRequest("MALFORMED_MARKET_ID", "a market id is a whole number from 0 to 65535");
export const malformedKey = badRequest("MALFORMED_KEY", "an owner key is 64 hex characters, with or without 0x");

const NOT_THERE = /^Unknown|NOT_FOUND$/;

/** Reply for an act on the chain: 404 if what it names does not exist, 503 while the chain's disk fails, 400 for any other refusal. */
export function receiptReply(receipt: Receipt): Reply {
  if (receipt.status === "success") return json({ status: "success" });
  if (receipt.code === unwritable.code) return refusal(503, receipt.code, receipt.error);
  return refusal(NOT_THERE.test(receipt.code) ? 404 : 400, receipt.code, receipt.error);
}
