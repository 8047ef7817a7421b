// Faults that end nothing but what they are about, said and acted upon: a strategy's pulls its quotes, a turn's halts its market, a
// senseless answer leaves a fact stale. Each comes ten times a second where it stays, so the log has each kind once a minute.

import type { Clock } from "../../../kernel/clock.ts";
import { messageOf, sourcePlace } from "../../../kernel/errors.ts";
import { Spaced } from "../../../kernel/spaced.ts";
import type { ReadRequest } from "../../feed/schedule.ts";
import type { Log } from "../../telemetry/log.ts";
import { isSenselessRead } from "../../venue/port.ts";
import type { MarketDesk } from "../desks/market-desk.ts";
import type { LoopModules } from "./loop.ts";

type FaultModules = { readonly log: Log; readonly clock: Pick<Clock, "monotonicMs" | "wallMs"> };

const SAID_EVERY_MS = 60_000;

export function faultHandlers({ log, clock }: FaultModules): Pick<LoopModules, "onStrategyFault" | "onTurnFault"> {
  const spaced = new Spaced(SAID_EVERY_MS);
  const isDue = ({ accountId, marketId }: MarketDesk, kind: string): boolean =>
    spaced.isDue(`${accountId} ${marketId} ${kind}`, clock.monotonicMs());
  return {
    onStrategyFault(market, err) {
      market.metrics.strategyFaults.inc();
      if (!isDue(market, err.code)) return;
      const { accountId, marketId, quoted } = market;
      const at = sourcePlace(err.cause);
      log.error(
        { event: "strategy.fault", account: `${accountId}`, market: marketId, kind: err.code, at, err },
        `market ${marketId}: strategy ${quoted.strategy.name} ${err.message}${at === null ? "" : ` at ${at}`}; it has no quotes until it works again`,
      );
    },
    onTurnFault(desk, market, err) {
      const { accountId, marketId } = market;
      const reason = `a turn failed: ${messageOf(err)}`;
      if (isDue(market, "turn")) {
        const stack = err instanceof Error ? err.stack : undefined;
        const facts = { event: "turn.fault", account: `${accountId}`, market: marketId, err, stack };
        log.error(facts, `market ${marketId}: ${reason}; please report this with the stack`);
      }
      desk.trip({ kind: "fault", accountId, marketId, holds: "halted", reason, numbers: {} }, clock.wallMs());
    },
  };
}

/**
 * A read that fails is asked again, and a gate says so once its fact is too old; a senseless answer is said here, as is, once, that no
 * history comes, since no gate waits for it.
 */
export function readFailureReport({ log, clock }: FaultModules): (request: ReadRequest, error: unknown) => void {
  const spaced = new Spaced(SAID_EVERY_MS);
  const historyOnce = new Spaced(Number.POSITIVE_INFINITY);
  return (request, error) => {
    const { kind } = request;
    const every = kind === "oracleHistory" ? historyOnce : isSenselessRead(error) ? spaced : null;
    const isSaid = every?.isDue(Object.values(request).join(" "), clock.monotonicMs()) ?? false;
    log[isSaid ? "warn" : "debug"]({ event: "read.failed", read: kind }, `reading ${kind} failed: ${messageOf(error)}`);
  };
}
