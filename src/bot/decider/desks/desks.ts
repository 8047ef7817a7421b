// The desks at work: one an account with what earlier runs left it, one a market with every series of its own.

import type { AccountId, MarketId } from "../../../domain/units.ts";
import type { Clocks } from "../../../kernel/clock.ts";
import type { Prng } from "../../../kernel/prng.ts";
import type { MarkoutHorizon } from "../../analytics/markouts.ts";
import type { QuotedAccount, QuotedMarket } from "../../config/config.ts";
import { pnlByDay } from "../../ledger/pnl-by-span.ts";
import { bookOf } from "../../ledger/rebuild.ts";
import type { LedgerReads, LedgerRecord } from "../../ledger/store.ts";
import { foldLatch, type Latches, operatorLatch } from "../../risk/latches.ts";
import type { RunningStrategy } from "../../strategy/loader.ts";
import type { Supervise } from "../../strategy/supervised.ts";
import type { Readings } from "../input.ts";
import type { Say } from "../notice.ts";
import type { Output } from "../output.ts";
import { AccountDesk } from "./account-desk.ts";
import type { KeptMarket } from "./kept-adverse.ts";
import { keptEstimates, keptMoves, sayDropped } from "./kept-estimates.ts";
import { MarketDesk } from "./market-desk.ts";
import { QuotingReport } from "./quoting-report.ts";
import { resultsOf } from "./results.ts";

export type DeskModules = {
  readonly clock: Clocks;
  readonly put: (output: Output) => void;
  readonly log: Say;
  readonly keep: (record: LedgerRecord) => void;
  readonly readings: () => Readings;
  /** What earlier runs left. */
  readonly kept: LedgerReads;
  /** What is kept of a market is of this chain. */
  readonly chainId: string;
  /** Seeded: what nobody outside may foresee, and a simulation repeats. */
  readonly prng: Prng;
  /** Absent under virtual time: there nothing is measured. */
  readonly supervise?: Supervise | undefined;
  /** Called within a call of the market's strategy that is too slow; what is to be done about it comes back as an input. */
  readonly onSlow?: ((account: AccountId, market: MarketId, why: string) => void) | undefined;
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
  const latches = latchesFrom(modules.kept);
  const desks = new Map(accounts.map((quoted) => [quoted.accountId, makeDesk(quoted, latches, modules)]));
  holdAtStart(causes, desks, modules.clock);
  return desks;
}

/** What the start itself gives cause to hold. A lost ledger may have held a halt: until a person has looked, only reducing goes on. */
function holdAtStart(
  { ledgerLost, halt }: StartCauses,
  desks: ReadonlyMap<AccountId, AccountDesk>,
  clock: Clocks,
): void {
  for (const desk of desks.values()) {
    const { accountId } = desk;
    if (typeof ledgerLost === "string") desk.trip(operatorLatch("reduce", accountId, null, ledgerLost), clock.wallMs());
    if (halt !== undefined) desk.trip(operatorLatch("halt", accountId, null, halt), clock.wallMs());
  }
}

function makeDesk(quoted: QuotedAccount, latches: Latches, modules: DeskModules): AccountDesk {
  const { clock, kept } = modules;
  const { accountId } = quoted;
  const own = latches.filter((latch) => latch.accountId === accountId);
  const before = resultsOf(kept, accountId);
  const { results } = before;
  const book = bookOf(kept, accountId);
  const moves = keptMoves(accountId, modules);
  const days = pnlByDay(kept, accountId);
  const desk = new AccountDesk(
    { quoted, latches: own, results, book, days, moves, chain: kept.chain(accountId) },
    modules,
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

function takeMarket(
  account: AccountDesk,
  quoted: QuotedMarket,
  kept: KeptMarket | null,
  {
    log,
    prng,
    put,
    supervise = (start) => start(),
    onSlow,
  }: Pick<DeskModules, "log" | "prng" | "put" | "supervise" | "onSlow">,
): void {
  const { accountId } = account;
  const { marketId } = quoted;
  const modules = {
    book: account.book,
    onMarkout: (horizon: MarkoutHorizon, bps: number) => put({ kind: "markout", accountId, marketId, horizon, bps }),
    report: new QuotingReport({ accountId, marketId }, log),
    prng: prng.fork(`${accountId} ${marketId} markouts`),
    supervise: (start: () => RunningStrategy) => supervise(start, (why) => onSlow?.(accountId, marketId, why)),
    onDropped(why: string): void {
      account.correlatedRisk.forget(marketId);
      sayDropped(accountId, marketId, why, log);
    },
  };
  account.take(marketId, (before) => new MarketDesk({ accountId, quoted, before, kept }, modules));
}

const latchesFrom = (kept: LedgerReads): Latches =>
  kept.latchEvents().reduce<Latches>((latches, event) => foldLatch(latches, event), []);
