// The desks at work: one per account and one per market, each with what earlier runs left.

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
  /** Stored estimates apply to this chain only. */
  readonly chainId: string;
  /** Seeded for what outsiders must not foresee and a simulation must repeat. */
  readonly prng: Prng;
  /** Absent under virtual time: nothing is measured there. */
  readonly supervise?: Supervise | undefined;
  /** Called during a call of the market's strategy that is too slow; the reaction comes back as an input. */
  readonly onSlow?: ((account: AccountId, market: MarketId, why: string) => void) | undefined;
};

/** Reasons to hold at the start. */
export type StartCauses = {
  /** Why records of earlier runs are lost, wholly or partly, a sentence; absent or null: they are there. */
  readonly ledgerLost?: string | null;
  /** An operator's reason: every account is halted before anything is sent. */
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

/** Trips latches for faults of the start itself. A lost ledger may have held a halt: until a person has looked, only reductions go on. */
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
  // The lost record may have held a loss: until a person has looked, only reductions go on.
  for (const fault of before.faults) desk.trip(operatorLatch("reduce", accountId, null, fault), clock.wallMs());
  return desk;
}

/** Starts quoting markets, each with what earlier runs have learned of it. */
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
