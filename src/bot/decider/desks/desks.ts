// The desks at work: one an account with what earlier runs left it, one a market with every series of its own.

import { latchKinds } from "../../../domain/latch.ts";
import type { AccountId } from "../../../domain/units.ts";
import type { Clock } from "../../../kernel/clock.ts";
import type { Prng } from "../../../kernel/prng.ts";
import { type MismatchKind, mismatchKinds } from "../../account/effects.ts";
import { type ResyncReason, resyncReasons } from "../../account/resync-reasons.ts";
import { markoutHorizons } from "../../analytics/markouts.ts";
import type { QuotedAccount, QuotedMarket } from "../../config/config.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { pnlByDay } from "../../ledger/pnl-by-span.ts";
import { bookOf } from "../../ledger/rebuild.ts";
import { gateIds } from "../../risk/gates/gate.ts";
import { denialReasons } from "../../risk/guard.ts";
import { foldLatch, type Latches } from "../../risk/latches.ts";
import type { Entries } from "../../service/loop/entries.ts";
import { operatorLatch } from "../../service/operator/operator.ts";
import { estimateNames } from "../../strategy/estimates.ts";
import type { Supervise } from "../../strategy/supervised.ts";
import { bindAccount, bindMarket } from "../../telemetry/bound.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { lanes } from "../../venue/port.ts";
import { AccountDesk } from "./account-desk.ts";
import type { KeptMarket } from "./kept-adverse.ts";
import { keptEstimates, keptMoves, sayDropped } from "./kept-estimates.ts";
import { MarketDesk } from "./market-desk.ts";
import { QuotingReport } from "./quoting-report.ts";
import { resultsOf } from "./results.ts";

export type DeskModules = {
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly entries: Entries;
  readonly log: Log;
  readonly ledger: Ledger;
  /** What is kept of a market is of this chain. */
  readonly chainId: string;
  /** Seeded: what nobody outside may foresee, and a simulation repeats. */
  readonly prng: Prng;
  /** Absent under virtual time: there nothing is measured. */
  readonly supervise?: Supervise | undefined;
};

/** What a start gives cause to hold. */
export type StartCauses = {
  /** Why what earlier runs wrote is gone, in whole or in part, in a sentence; absent or null: it is there. */
  readonly ledgerLost?: string | null;
  /** The operator's words: every account is halted before anything is sent. */
  readonly halt?: string;
};

/** Throws LedgerError `malformed`, and what the storage throws. */
export function makeDesks(
  accounts: readonly QuotedAccount[],
  causes: StartCauses,
  modules: DeskModules,
): Map<AccountId, AccountDesk> {
  const latches = latchesFrom(modules.ledger);
  const desks = new Map(accounts.map((quoted) => [quoted.accountId, makeDesk(quoted, latches, modules)]));
  holdAtStart(causes, desks, modules.clock);
  return desks;
}

/** What the start itself gives cause to hold. A lost ledger may have held a halt: until a person has looked, only reducing goes on. */
function holdAtStart(
  { ledgerLost, halt }: StartCauses,
  desks: ReadonlyMap<AccountId, AccountDesk>,
  clock: Clock,
): void {
  for (const desk of desks.values()) {
    const { accountId } = desk;
    if (typeof ledgerLost === "string") desk.trip(operatorLatch("reduce", accountId, null, ledgerLost), clock.wallMs());
    if (halt !== undefined) desk.trip(operatorLatch("halt", accountId, null, halt), clock.wallMs());
  }
}

function makeDesk(quoted: QuotedAccount, latches: Latches, modules: DeskModules): AccountDesk {
  const { metrics, clock, entries, ledger, log } = modules;
  const { accountId } = quoted;
  const bound = bindAccount(metrics, `${accountId}`, {
    latches: latchKinds,
    mismatches: mismatchKinds as readonly MismatchKind[],
    lanes,
    resyncs: resyncReasons as readonly ResyncReason[],
  });
  if (quoted.paper !== null) metrics.paper.labels({ account: `${accountId}` }).set(1);
  const own = latches.filter((latch) => latch.accountId === accountId);
  const before = resultsOf(ledger.read, accountId);
  const { results } = before;
  const book = bookOf(ledger.read, accountId);
  const moves = keptMoves(accountId, modules);
  const days = pnlByDay(ledger.read, accountId);
  const desk = new AccountDesk(
    { quoted, latches: own, results, book, days, moves },
    { metrics: bound, entries, ledger, log },
  );
  takeMarkets(desk, quoted.markets, modules);
  // What was lost may have been a loss: until a person has looked, only reducing goes on.
  for (const fault of before.faults) desk.trip(operatorLatch("reduce", accountId, null, fault), clock.wallMs());
  return desk;
}

/** Markets at work from now on, each with what earlier runs have learned of it. */
export function takeMarkets(account: AccountDesk, markets: readonly QuotedMarket[], modules: DeskModules): void {
  const ids = markets.map(({ marketId }) => marketId);
  const kept = keptEstimates(account.accountId, ids, modules);
  for (const market of markets) takeMarket(account, market, kept.get(market.marketId) ?? null, modules);
}

/** With every series of its own. */
function takeMarket(
  account: AccountDesk,
  quoted: QuotedMarket,
  kept: KeptMarket | null,
  { metrics, log, prng, supervise = (start) => start() }: Pick<DeskModules, "metrics" | "log" | "prng" | "supervise">,
): void {
  const { accountId } = account;
  const { marketId } = quoted;
  const sets = {
    gates: gateIds,
    reasons: denialReasons,
    latches: latchKinds,
    horizons: markoutHorizons,
    estimates: estimateNames,
  };
  const modules = {
    book: account.book,
    metrics: bindMarket(metrics, `${accountId}`, `${marketId}`, sets),
    report: new QuotingReport({ accountId, marketId }, log),
    prng: prng.fork(`${accountId} ${marketId} markouts`),
    supervise,
    onDropped(why: string): void {
      account.correlatedRisk.forget(marketId);
      sayDropped(accountId, marketId, why, log);
    },
  };
  showStrategy(metrics, accountId, quoted);
  account.take(marketId, (before) => new MarketDesk({ accountId, quoted, before, kept }, modules));
}

/** One series per market: the old one goes when another strategy, parameter or limit comes. */
export function showStrategy(metrics: Metrics, accountId: AccountId, { marketId, strategy, hash }: QuotedMarket): void {
  const of = { account: `${accountId}`, market: `${marketId}` };
  metrics.strategyInfo.removeWhere(({ account, market }) => account === of.account && market === of.market);
  metrics.strategyInfo.labels({ ...of, strategy: strategy.name, config: hash }).set(1);
}

const latchesFrom = (ledger: Ledger): Latches =>
  ledger.read.latchEvents().reduce<Latches>((latches, event) => foldLatch(latches, event), []);
