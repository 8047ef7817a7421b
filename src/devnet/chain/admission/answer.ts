// How a submitted body ends (S4.5): executed, executed and refused, or never executed.

import type { ReportedEvent } from "../../../domain/reported-event.ts";
import type { CancelReason, ChainEvent } from "../../event.ts";

/** Why a body was never executed; stable, for programs. The sentence next to it is for people. */
export type RejectionCode =
  | "MALFORMED"
  | "WRONG_CHAIN"
  | "TIMESTAMP"
  | "SIGNATURE"
  | "AGENT_NOT_APPROVED"
  | "AGENT_EXPIRED"
  | "SCOPE"
  | "NONCE_WINDOW"
  | "NONCE_REUSED"
  | "NONCE_STALE"
  | "RATE_LIMITED"
  | "OVERLOADED"
  | "UNWRITABLE"
  | "STOPPED";

export type Rejection = {
  readonly kind: "rejected";
  readonly httpStatus: 400 | 403 | 429 | 503;
  readonly code: RejectionCode;
  readonly error: string;
};

export type AnsweredEvent = ReportedEvent<CancelReason>;

/**
 * `hash`: SHA-256 of the body as 64 lowercase hex characters. Codes of refusals are in PascalCase like cancel reasons (InsufficientMargin),
 * codes of rejections in capitals like other HTTP errors.
 */
export type Answer =
  | { readonly kind: "executed"; readonly hash: string; readonly events: readonly AnsweredEvent[] }
  | { readonly kind: "refused"; readonly hash: string; readonly code: string; readonly error: string }
  | Rejection;

/** BookChanged follows from the other events; only the stream needs it. */
export const isReported = (event: ChainEvent): event is AnsweredEvent => event.type !== "BookChanged";

export function rejected(code: RejectionCode, error: string, httpStatus: Rejection["httpStatus"] = 400): Rejection {
  return { kind: "rejected", httpStatus, code, error };
}

/** Answer to anything that would change the chain while its disk fails, or after a step threw. */
export const UNWRITABLE = "the exchange cannot keep what it does and changes nothing until it can; its log says why";
export const unwritable: Rejection = rejected("UNWRITABLE", UNWRITABLE, 503);
