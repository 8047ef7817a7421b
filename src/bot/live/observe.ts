// Shows what execution does as metrics and log lines.

import type { Command } from "../../domain/command.ts";
import type { SubmitOutcome } from "../../domain/event.ts";
import { PRICE_SCALE, SIZE_SCALE } from "../../domain/units.ts";
import type { Clock } from "../../kernel/clock.ts";
import { formatDecimal } from "../../kernel/decimal.ts";
import { factsText } from "../../kernel/errors.ts";
import type { AccountDesk } from "../decider/desks/account-desk.ts";
import type { Output } from "../decider/output.ts";
import type { ExecutionObserver } from "../execution/execution.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { DeskSeries } from "./desk-series.ts";
import { sayThrottled } from "./read-failures.ts";

export type ObserveModules = {
  readonly desk: AccountDesk;
  readonly series: DeskSeries;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
};

/** The contract's word for each end. */
const outcomeLabels = {
  executed: "executed",
  refused: "refused",
  rejected: "rejected",
  rateLimited: "rejected",
  notSent: "not_sent",
  unknown: "unknown",
} as const satisfies Record<SubmitOutcome["kind"], string>;

export function executionObserver({ desk, series, metrics, clock, log }: ObserveModules): ExecutionObserver {
  const account = `${desk.accountId}`;
  return {
    onSent(_attempt, causeMs) {
      if (causeMs !== null) metrics.eventToSend.observe((clock.monotonicMs() - causeMs) / 1000);
    },
    onAnswered({ command }, outcome, durationMs) {
      series.account(desk.accountId).transactions[command.kind][outcomeLabels[outcome.kind]].inc();
      metrics.submitDuration.observe(durationMs / 1000);
      if (outcome.kind === "executed") return;
      if (outcome.kind === "rateLimited") return sayThrottled(log, actText(command));
      const why = "error" in outcome ? outcome.error : outcome.why;
      const level = outcome.kind === "unknown" ? "warn" : "debug";
      log[level](
        { event: `submit.${outcome.kind}`, account, action: command.kind, why },
        `${actText(command)} ${outcome.kind === "unknown" ? `has no answer, checking: ${why}` : `${outcome.kind}: ${why}`}`,
      );
    },
    onStep(command, step, outcome) {
      log.warn(
        { event: "resolver.step", account, step, outcome },
        `${actText(command)} has no answer, checking: ${step} ${outcome}`,
      );
    },
  };
}

/** Says that a command was not sent. */
export const sayDropped =
  (log: Log) =>
  ({ accountId, command, reason, facts }: Extract<Output, { readonly kind: "dropped" }>): void =>
    log.debug(
      { event: "command.dropped", account: `${accountId}`, action: command.kind, reason, ...facts },
      `${actText(command)} dropped: ${reason} ${factsText(facts)}`,
    );

/** `cancel of order 2107`, `buy 0.5 at 216.95`. */
function actText(command: Command): string {
  switch (command.kind) {
    case "place":
      return `${command.side} ${formatDecimal(command.size, SIZE_SCALE)} at ${formatDecimal(command.price, PRICE_SCALE)}`;
    case "modify":
    case "cancel":
      return `${command.kind} of order ${command.orderId}`;
    case "cancelAll":
      return command.marketId === null ? "cancel of all orders" : `cancel of all orders in market ${command.marketId}`;
  }
}
