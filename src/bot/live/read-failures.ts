// Reports reads that fail: each is repeated, and the log has each kind once a minute.

import { messageOf } from "../../kernel/errors.ts";
import type { Request } from "../decider/output.ts";
import type { Log } from "../telemetry/log.ts";
import { isImplausibleRead, ReadError } from "../venue/port.ts";

/** The read: one of the schedule, or another that somebody waits for. */
type FailedRead = Request | { readonly kind: string; readonly subject: bigint | number };

/**
 * A failed read is repeated, and a gate reports a fact that is too old. Also reported here: throttling, an answer that is implausible or
 * malformed, and once a refused read or a missing history, since no gate may wait for it.
 */
export function readFailureReport({ log }: { readonly log: Log }): (request: FailedRead, error: unknown) => void {
  const unread = new Set<string>();
  return (request, error) => {
    const { kind, ...of } = request;
    if (error instanceof ReadError && error.httpStatus === 429) return sayThrottled(log, `a read of ${kind}`);
    const subject = Object.values(of).join(" ");
    const isWrong = isImplausibleRead(error) || (error instanceof ReadError && error.code === "malformed");
    const isOnce = kind === "oracleHistory" || isTurnedDown(error);
    const whole = `${kind} ${subject}`;
    const isSaid = isOnce ? !unread.has(whole) : isWrong;
    if (isOnce) unread.add(whole);
    const facts = { event: "read.failed", read: kind, subject };
    log[isSaid ? "warn" : "debug"](facts, `reading ${kind} failed: ${messageOf(error)}`);
  };
}

const isTurnedDown = (error: unknown): boolean =>
  error instanceof ReadError && error.code === "httpStatus" && (error.httpStatus ?? 0) < 500;

export function sayThrottled(log: Log, what: string): void {
  log.warn(
    { event: "venue.throttled" },
    `the exchange throttles us: it answered HTTP 429 to ${what}; orders and reads wait, quotes may be old or missing`,
  );
}
