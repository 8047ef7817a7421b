// Faults that end nothing but what they are about, said and acted upon: a strategy's pulls its quotes, a turn's halts its market, an
// implausible answer leaves a fact stale. Each comes ten times a second where it stays, so the log has each kind once a minute.

import type { Clock } from "../../kernel/clock.ts";
import { messageOf, sourcePlace } from "../../kernel/errors.ts";
import type { ReadRequest } from "../market/schedule.ts";
import type { RunningStrategy } from "../strategy/loader.ts";
import type { Log } from "../telemetry/log.ts";
import { isImplausibleRead, VenueError } from "../venue/port.ts";
import type { LoopModules } from "./step.ts";

type FaultModules = {
  readonly log: Log;
  readonly clock: Pick<Clock, "monotonicMs" | "wallMs">;
  /** Told of each fault of a strategy, once it is said. */
  readonly strategyFault: LoopModules["onStrategyFault"];
};

export function faultHandlers({
  log,
  clock,
  strategyFault,
}: FaultModules): Pick<LoopModules, "onStrategyFault" | "onQuotesLeftOut" | "onTurnFault"> {
  /** By which quotes that are left out were said. */
  const said = new WeakSet<RunningStrategy>();
  return {
    onQuotesLeftOut({ accountId, marketId, quoted, strategy }, leftOut) {
      if (said.has(strategy)) return;
      said.add(strategy);
      const { maxOpenOrders } = quoted.limits;
      const facts = { event: "strategy.leftOut", account: `${accountId}`, market: marketId, leftOut, maxOpenOrders };
      log.warn(
        facts,
        `market ${marketId}: strategy ${quoted.strategy.name} quotes ${leftOut} orders more than limits.maxOpenOrders, ${maxOpenOrders}; those nearest the touch are placed, the others never. It is said once`,
      );
    },
    onStrategyFault(market, err) {
      market.metrics.strategyFaults.inc();
      const { accountId, marketId, quoted } = market;
      // A return has no place of its own: where `quote` begins.
      const at = sourcePlace(err.cause) ?? quoted.strategy.quoteAt;
      log.error(
        { event: "strategy.fault", account: `${accountId}`, market: marketId, kind: err.code, at, err },
        `market ${marketId}: strategy ${quoted.strategy.name} ${err.message}${at === null ? "" : ` at ${at}`}; it has no quotes until it works again`,
      );
      strategyFault(market, err);
    },
    onTurnFault(desk, market, err) {
      const { accountId, marketId } = market;
      const reason = `a turn failed: ${messageOf(err)}`;
      const stack = err instanceof Error ? err.stack : undefined;
      const facts = { event: "turn.fault", account: `${accountId}`, market: marketId, err, stack };
      log.error(facts, `market ${marketId}: ${reason}; please report this with the stack`);
      desk.trip({ kind: "fault", accountId, marketId, holds: "halted", reason, numbers: {} }, clock.wallMs());
    },
  };
}

/** What was asked: one of the schedule, or another that somebody waits for. */
type FailedRead = ReadRequest | { readonly kind: string; readonly subject: bigint | number };

/**
 * A read that fails is asked again, and a gate says so once its fact is too old. Said here, too: that the exchange throttles us, an answer
 * that is implausible or has not its shape, and once that a read is turned down or no history comes, since no gate may wait for it.
 */
export function readFailureReport({ log }: Pick<FaultModules, "log">): (request: FailedRead, error: unknown) => void {
  const unread = new Set<string>();
  return (request, error) => {
    const { kind, ...of } = request;
    if (error instanceof VenueError && error.httpStatus === 429) return sayThrottled(log, `a read of ${kind}`);
    const subject = Object.values(of).join(" ");
    const isWrong = isImplausibleRead(error) || (error instanceof VenueError && error.code === "malformed");
    const isOnce = kind === "oracleHistory" || isTurnedDown(error);
    const whole = `${kind} ${subject}`;
    const isSaid = isOnce ? !unread.has(whole) : isWrong;
    if (isOnce) unread.add(whole);
    const facts = { event: "read.failed", read: kind, subject };
    log[isSaid ? "warn" : "debug"](facts, `reading ${kind} failed: ${messageOf(error)}`);
  };
}

const isTurnedDown = (error: unknown): boolean =>
  error instanceof VenueError && error.code === "httpStatus" && (error.httpStatus ?? 0) < 500;

/** `what` was turned away. */
export function sayThrottled(log: Log, what: string): void {
  log.warn(
    { event: "venue.throttled" },
    `the exchange throttles us: it answered HTTP 429 to ${what}; orders and reads wait, quotes may be old or missing`,
  );
}
