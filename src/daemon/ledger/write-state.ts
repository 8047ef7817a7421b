// Changes the trading state while no daemon runs: writes latches into the ledger, under its lock, as a running daemon would.

import type { EmergencyAccount, EmergencyConfig } from "../../bot/config/emergency.ts";
import { forgetDay, resumePremiums, trustPrints } from "../../bot/decider/desks/results.ts";
import { Ledger } from "../../bot/ledger/ledger.ts";
import {
  foldLatch,
  heldSinceMs,
  holdsOn,
  type Latches,
  operatorLatch,
  sameLatch,
  tradingStateOf,
} from "../../bot/risk/latches.ts";
import type { TradingState } from "../../bot/risk/trading-state.ts";
import { type ShownHeld, showHeldAlready, showLatch } from "../../bot/service/operator/show.ts";
import type { OperatorVerb } from "../../bot/service/operator/trading-state.ts";
import type { LatchEvent, Liftable } from "../../domain/latch.ts";
import type { MarketId } from "../../domain/units.ts";
import type { Host } from "../../host/host.ts";
import { LockError } from "../../kernel/locking.ts";
import { urlOf } from "../running/running-daemon.ts";
import { openLedgerFile } from "./open-ledger.ts";

export type StateChange = {
  readonly reason: string;
  readonly market?: MarketId | undefined;
  /** The one kind of latch that a resume lifts. */
  readonly latch?: Liftable | undefined;
};

/**
 * What a change did to an account or one of its markets. `lifted`: latches that a resume removed. `holds`: latches in force now; empty: it
 * may trade. `heldAlready`: the latch that an operator's halt or reduce found in force. `isWritten`: the change survives a restart.
 */
export type Held = {
  readonly account: string;
  readonly state: TradingState;
  readonly lifted: readonly string[];
  readonly holds: readonly string[];
  readonly heldAlready: ShownHeld | null;
  readonly isWritten: boolean;
};

/** Its message says why nothing has changed. */
export class NotChanged extends Error {}

/** Writes the change for the next start. Throws NotChanged, and LedgerError when the file cannot be trusted. */
export function writeState(
  verb: OperatorVerb,
  change: StateChange,
  config: EmergencyConfig,
  accounts: readonly EmergencyAccount[],
  { clock }: Host,
): readonly Held[] {
  const { file } = config.ledger;
  if (file === null) throw new NotChanged(`no daemon answers at ${urlOf(config.server)}, and its ledger goes with it`);
  const { engine, lock } = lockedLedger(file, config);
  const ledger = new Ledger({}, { engine, clock });
  try {
    const events = [...engine.read.trail().latches];
    const found = events.reduce<Latches>((known, { event }) => foldLatch(known, event), []);
    const market = change.market ?? null;
    return accounts.map((account): Held => {
      const { accountId } = account;
      const event = eventOf(verb, change, account);
      if (!ledger.keep({ kind: "latch", event, atMs: clock.wallMs() }))
        throw new NotChanged(`${file} cannot be written; nothing has changed`);
      const latches = foldLatch(found, event);
      const held = event.kind === "tripped" ? sameLatch(found, event.latch) : undefined;
      const lifted = found.filter((latch) => latch.accountId === accountId && !latches.includes(latch));
      if (verb === "resume") forgetLosses(lifted, ledger, clock.wallMs());
      if (change.latch === "premiumLoss") resumePremiums(ledger, accountId, market, clock.wallMs());
      if (change.latch === "printMove") trustPrints(ledger, accountId, market, clock.wallMs());
      return {
        account: `${accountId}`,
        state: tradingStateOf(latches, accountId, market),
        lifted: verb === "resume" ? lifted.map(showLatch) : [],
        holds: holdsOn(latches, accountId, market).map(showLatch),
        heldAlready: held === undefined ? null : showHeldAlready({ latch: held, sinceMs: heldSinceMs(events, held) }),
        isWritten: true,
      };
    });
  } finally {
    ledger.close();
    lock.release();
  }
}

function lockedLedger(file: string, { ledger: { maxBytes }, server }: EmergencyConfig) {
  try {
    return openLedgerFile({ file, maxBytes });
  } catch (error) {
    if (!(error instanceof LockError)) throw error;
    if (error.code !== "lock_held") throw new NotChanged(error.message);
    const silent = `another process holds ${file} and no daemon of this configuration answers at ${urlOf(server)}`;
    throw new NotChanged(`${silent}; SIGUSR2 sent to a daemon halts it`);
  }
}

function eventOf(
  verb: OperatorVerb,
  { reason, market, latch }: StateChange,
  { accountId }: EmergencyAccount,
): LatchEvent {
  const marketId = market ?? null;
  if (verb === "resume") return { kind: "lifted", accountId, marketId, latch: latch ?? null, reason };
  return { kind: "tripped", latch: operatorLatch(verb, accountId, marketId, reason) };
}

/** Lifting a loss latch restarts the day's count, as in a running daemon: otherwise the next turn would halt again. */
function forgetLosses(lifted: Latches, ledger: Ledger, atMs: number): void {
  for (const { kind, accountId, marketId } of lifted) {
    if (kind === "loss" || kind === "drawdown") forgetDay(ledger, accountId, marketId, atMs);
  }
}
