// Carries out what the machine wants, by whoever does it.

import type { AccountId, MarketId } from "../../domain/units.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { AccountDesk } from "../decider/desks/account-desk.ts";
import type { MarketDesk } from "../decider/desks/market-desk.ts";
import type { Execution } from "../execution/execution.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerRecord } from "../ledger/store.ts";
import type { Halts } from "../service/operator/halts.ts";
import type { Ability } from "../service/watchdog/ability.ts";
import type { QuoteFault } from "../strategy/checked-quotes.ts";
import type { Log } from "../telemetry/log.ts";
import type { CriticalEvent } from "../telemetry/webhook-shapes.ts";
import type { DeskSeries } from "./desk-series.ts";
import type { Wanted } from "./driver.ts";
import type { Lines } from "./lines.ts";
import type { ReadLoop } from "./reads.ts";
import type { Resyncs } from "./resyncs.ts";

/** What the machine asks of the stream. */
export type StreamRequests = {
  readonly reconnect: () => void;
  readonly resubscribe: (market: MarketId) => void;
};

export type CarryOutModules = {
  readonly ledger: Pick<Ledger, "keep">;
  readonly log: Log;
  readonly series: DeskSeries;
  readonly clock: Clock;
  /** For a webhook. */
  readonly tell?: ((event: CriticalEvent) => void) | undefined;
  readonly ability: Ability;
  readonly executions: ReadonlyMap<AccountId, Execution>;
  readonly desks: ReadonlyMap<AccountId, AccountDesk>;
  readonly halts: Halts;
  readonly lines: Lines;
  readonly onDropped: (dropped: Extract<Wanted, { readonly kind: "dropped" }>) => void;
  readonly resyncs: Resyncs;
  readonly readLoop: ReadLoop;
  readonly stream: StreamRequests;
  readonly strategyFault: (market: MarketDesk, fault: QuoteFault) => void;
  readonly startAgain: () => void;
};

export function carryOut(modules: CarryOutModules): (wanted: Wanted) => void {
  const {
    log,
    series,
    ability,
    executions,
    desks,
    halts,
    lines,
    onDropped,
    resyncs,
    readLoop,
    stream,
    strategyFault,
    startAgain,
  } = modules;
  const keep = keeper(modules);
  const dayEnded = ({ accountId, text, summary }: Extract<Wanted, { readonly kind: "dayEnded" }>): void => {
    const [event, account] = ["day.summary", `${accountId}`] as const;
    log.info({ event, account, summary }, text);
    modules.tell?.({ event, account, market: null, reason: text, atMs: modules.clock.wallMs(), summary });
  };
  return (wanted) => {
    series.count(wanted);
    switch (wanted.kind) {
      case "record":
        return keep(wanted.record);
      case "notice":
        return log[wanted.notice.level](wanted.notice.facts, wanted.notice.text);
      case "submit":
        return executions.get(wanted.accountId)?.send(wanted.submit, wanted.command, wanted.causeMs);
      case "dayEnded":
        return dayEnded(wanted);
      case "line":
        return lines.join(wanted.accountId, wanted.lane, wanted.afterMs);
      case "dropped":
        return onDropped(wanted);
      case "turned":
        return wanted.turn === null
          ? undefined
          : ability.wants(wanted.accountId, wanted.marketId, wanted.turn.verdict.approved);
      case "cancel":
        return void executions.get(wanted.order.accountId)?.cancel(wanted.order);
      case "tripped": {
        const desk = desks.get(wanted.latch.accountId);
        return desk && halts.enforce(desk, wanted.latch);
      }
      case "strategyFault": {
        const market = desks.get(wanted.accountId)?.markets.get(wanted.marketId);
        return market && strategyFault(market, wanted.fault);
      }
      case "resyncWanted":
        return resyncs.wanted(wanted.accountId);
      case "fill":
        return wanted.isNews ? resyncs.filled(wanted.fill.accountId, wanted.fill.marketId) : undefined;
      case "markout":
      case "mismatch":
        return;
      case "shown":
        return executions.get(wanted.accountId)?.shown();
      case "read":
        return readLoop.run();
      case "reconnect":
        return stream.reconnect();
      case "resubscribe":
        return stream.resubscribe(wanted.marketId);
      case "startAgain":
        return startAgain();
    }
  };
}

/** Writes records down; a halt that the disk does not take is said. */
const keeper =
  ({ ledger, log }: Pick<CarryOutModules, "ledger" | "log">) =>
  (record: LedgerRecord): void => {
    if (ledger.keep(record) || record.kind !== "latch") return;
    const { event } = record;
    const account = event.kind === "tripped" ? event.latch.accountId : event.accountId;
    const text = "the halt holds now, but the ledger could not be written: a restart may lose it";
    log.error({ event: "latch.unwritten", account: `${account}` }, text);
  };
