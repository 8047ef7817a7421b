// Carries out the machine's outputs, each by the part in charge.

import type { AccountId, MarketId } from "../../domain/units.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { AccountDesk } from "../decider/desks/account-desk.ts";
import type { MarketDesk } from "../decider/desks/market-desk.ts";
import type { Execution } from "../execution/execution.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerRecord } from "../ledger/store.ts";
import type { QuoteFault } from "../strategy/checked-quotes.ts";
import type { Log } from "../telemetry/log.ts";
import type { CriticalEvent } from "../telemetry/webhook-shapes.ts";
import type { Asks } from "./asks.ts";
import type { DeskSeries } from "./desk-series.ts";
import type { Wanted } from "./driver.ts";
import type { Lines } from "./lines.ts";

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
  readonly executions: ReadonlyMap<AccountId, Execution>;
  readonly desks: ReadonlyMap<AccountId, AccountDesk>;
  readonly lines: Lines;
  readonly onDropped: (dropped: Extract<Wanted, { readonly kind: "dropped" }>) => void;
  readonly read: (wanted: Extract<Wanted, { readonly kind: "read" }>) => void;
  readonly asks: Pick<Asks, "done">;
  /** A drained market was dropped. */
  readonly left: (account: AccountId, market: MarketId) => void;
  readonly stream: StreamRequests;
  readonly strategyFault: (market: MarketDesk, fault: QuoteFault) => void;
  readonly startAgain: () => void;
};

export function carryOut(modules: CarryOutModules): (wanted: Wanted) => void {
  const { log, series, executions, desks, lines, onDropped, read, asks, left, stream, strategyFault, startAgain } =
    modules;
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
        return executions.get(wanted.accountId)?.send(wanted.submit, wanted.command, wanted.by, wanted.causeMs);
      case "settled":
        return executions.get(wanted.accountId)?.settled(wanted.signer, wanted.nonce, wanted.intentIds, wanted.end);
      case "read":
        return read(wanted);
      case "done":
        return asks.done(wanted.number, wanted.result);
      case "left":
        return left(wanted.accountId, wanted.marketId);
      case "dayEnded":
        return dayEnded(wanted);
      case "line":
        return lines.join(wanted.accountId, wanted.lane, wanted.afterMs);
      case "dropped":
        return onDropped(wanted);
      case "strategyFault": {
        const market = desks.get(wanted.accountId)?.markets.get(wanted.marketId);
        return market && strategyFault(market, wanted.fault);
      }
      case "turned":
      case "tripped":
      case "resyncWanted":
      case "fill":
      case "folded":
      case "markout":
      case "mismatch":
        return;
      case "shown":
        return executions.get(wanted.accountId)?.shown();
      case "reconnect":
        return stream.reconnect();
      case "resubscribe":
        return stream.resubscribe(wanted.marketId);
      case "startAgain":
        return startAgain();
    }
  };
}

/** Writes records down; reports a halt that the disk does not take. */
const keeper =
  ({ ledger, log }: Pick<CarryOutModules, "ledger" | "log">) =>
  (record: LedgerRecord): void => {
    if (ledger.keep(record) || record.kind !== "latch") return;
    const { event } = record;
    const account = event.kind === "tripped" ? event.latch.accountId : event.accountId;
    const text = "the halt holds now, but the ledger could not be written: a restart may lose it";
    log.error({ event: "latch.unwritten", account: `${account}` }, text);
  };
