// Shows what execution does as metrics and log lines.

import type { SubmitOutcome } from "../../domain/event.ts";
import type { Clock } from "../../kernel/clock.ts";
import { factsText } from "../../kernel/errors.ts";
import { actText } from "../decider/acting/command-text.ts";
import type { AccountDesk } from "../decider/desks/account-desk.ts";
import type { Output } from "../decider/output.ts";
import type { SendObserver } from "../execution/send.ts";
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

/** The metrics' label for each end. */
const outcomeLabels = {
  executed: "executed",
  refused: "refused",
  rejected: "rejected",
  rateLimited: "rejected",
  notSent: "not_sent",
  unknown: "unknown",
} as const satisfies Record<SubmitOutcome["kind"], string>;

export function executionObserver({ desk, series, metrics, clock, log }: ObserveModules): SendObserver {
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
