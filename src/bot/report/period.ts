// A live period from the ledger: PnL by hour, market and source, how each market was quoted, and actions of operators, guard and daemon.
// What an earlier version did not record is null, never estimated.

import type { AccountId, MarketId, Size, Usdc } from "../../domain/units.ts";
import { signOf, usdc } from "../../domain/units.ts";
import { HOUR_MS } from "../../kernel/clock.ts";
import { type Pnl, pnlComponents } from "../accounting/market-book.ts";
import { type QuotedHour, readHour } from "../analytics/hour.ts";
import { plus, pnlByHour, type SpanPnl, type Valuation } from "../ledger/pnl-by-span.ts";
import type { LedgerReads } from "../ledger/store.ts";
import { foldLatch, type Latches } from "../risk/latches.ts";

/** Whole hours since 1970-01-01 (UTC), from the first (inclusive) to the second (exclusive). */
export type Hours = { readonly from: number; readonly to: number };

/** The shown period: its elapsed part that the ledger covers, in seconds. */
export type ShownHours = Hours & { readonly seconds: number };

/** One run of the daemon in one hour. */
export type RunHour = QuotedHour & { readonly hour: number; readonly beganMs: number };

export type MarketPeriod = {
  readonly accountId: AccountId;
  readonly marketId: MarketId;
  readonly name: string;
  /** Hours of the period in the ledger, in order; they sum to the period's PnL. */
  readonly hours: readonly SpanPnl[];
  /** Empty: not recorded. */
  readonly runs: readonly RunHour[];
  readonly fills: readonly PeriodFill[];
  /** Contracts; the largest position in either direction after any fill or hour. */
  readonly largestPosition: Size;
};

export type PeriodFill = { readonly atMs: number; readonly side: "buy" | "sell"; readonly isMaker: boolean };

/** A halt or a resume. */
export type HaltLine = {
  /** Before the period: the halt was in force when the period began. */
  readonly atMs: number;
  readonly accountId: AccountId;
  /** Null: the whole account. */
  readonly marketId: MarketId | null;
  readonly what: string;
  readonly reason: string;
};

/** A request to the daemon, or something that the daemon found or changed by its own decision. */
export type ChangeLine = {
  readonly atMs: number;
  readonly by: string;
  readonly what: string;
  readonly why: string;
};

export type TransferLine = {
  readonly atMs: number;
  readonly accountId: AccountId;
  readonly reason: string;
  readonly amount: Usdc;
};

export type DenialLine = {
  readonly accountId: AccountId;
  readonly marketId: MarketId;
  readonly reason: string;
  readonly count: number;
};

export type Period = {
  readonly markets: readonly MarketPeriod[];
  readonly transfers: readonly TransferLine[];
  readonly halts: readonly HaltLine[];
  readonly changes: readonly ChangeLine[];
  /** Calls without the right token. */
  readonly refusedCalls: number;
  readonly denials: readonly DenialLine[];
  /** Start of the kept decisions, wall ms: older ones were deleted. Null: none are kept, as in a fleet. */
  readonly decisionsSinceMs: number | null;
};

export const noPeriod: Period = {
  markets: [],
  transfers: [],
  halts: [],
  changes: [],
  refusedCalls: 0,
  denials: [],
  decisionsSinceMs: null,
};

/** Combines the periods of two ledgers. */
export const bothPeriods = (one: Period, other: Period): Period => ({
  markets: [...one.markets, ...other.markets],
  transfers: [...one.transfers, ...other.transfers],
  halts: [...one.halts, ...other.halts].toSorted((a, b) => a.atMs - b.atMs),
  changes: [...one.changes, ...other.changes].toSorted((a, b) => a.atMs - b.atMs),
  refusedCalls: one.refusedCalls + other.refusedCalls,
  denials: [...one.denials, ...other.denials],
  decisionsSinceMs: one.decisionsSinceMs ?? other.decisionsSinceMs,
});

export type Recorded = { readonly fromMs: number; readonly toMs: number };

/** First and last time in the ledger, Unix ms; null: it is empty. */
export function recordedIn(read: LedgerReads): Recorded | null {
  let recorded: Recorded | null = null;
  const see = (fromMs: number, toMs = fromMs): void => {
    recorded = bothRecorded(recorded, { fromMs, toMs });
  };
  for (const account of read.accounts()) {
    const { fills, positions, sums } = read.timeline(account);
    for (const rows of [fills, positions, sums]) for (const { atMs } of rows) see(atMs);
    for (const { hour, beganMs, atMs } of read.hours(account)) see(Math.max(hour * HOUR_MS, beganMs), atMs);
  }
  return recorded;
}

export const bothRecorded = (one: Recorded | null, other: Recorded | null): Recorded | null =>
  one === null || other === null
    ? (one ?? other)
    : { fromMs: Math.min(one.fromMs, other.fromMs), toMs: Math.max(one.toMs, other.toMs) };

/** `market`: only this one. Throws what reads of the ledger throw, and HourError. */
export function periodOf(read: LedgerReads, hours: Hours, market: MarketId | undefined): Period {
  const accounts = read.accounts();
  const isIn = (atMs: number): boolean => atMs >= hours.from * HOUR_MS && atMs < hours.to * HOUR_MS;
  const { latches, audit, decisions } = read.trail();
  return {
    markets: accounts.flatMap((account) => marketsOf(read, account, hours, isIn)).filter(isOfMarket(market)),
    transfers: accounts.flatMap((account) => transfersOf(read, account, isIn)),
    halts: haltsOf(latches, hours, isIn).filter(isOfMarket(market)),
    ...changesOf(audit, isIn),
    ...denialsOf(decisions, isIn, market),
  };
}

const isOfMarket =
  (market: MarketId | undefined) =>
  ({ marketId }: { readonly marketId: MarketId | null }): boolean =>
    market === undefined || marketId === null || marketId === market;

type IsIn = (atMs: number) => boolean;

function marketsOf(read: LedgerReads, accountId: AccountId, hours: Hours, isIn: IsIn): readonly MarketPeriod[] {
  const names = new Map(read.marks(accountId).map(({ marketId, name }) => [marketId, name]));
  const spans = Map.groupBy(pnlByHour(read, accountId), ({ marketId }) => marketId);
  const runs = Map.groupBy(read.hours(accountId), ({ marketId }) => marketId);
  const fills = Map.groupBy(read.timeline(accountId).fills, ({ event }) => event.fill.marketId);
  const ids = [...new Set([...spans.keys(), ...runs.keys()])].toSorted((a, b) => a - b);
  return ids.map((marketId) => {
    const all = spans.get(marketId) ?? [];
    const within = all.filter(({ span }) => span >= hours.from && span < hours.to);
    const held = all.findLast(({ span }) => span < hours.from)?.inventory ?? 0n;
    const own = (fills.get(marketId) ?? []).filter(({ atMs }) => isIn(atMs));
    return {
      accountId,
      marketId,
      name: names.get(marketId) ?? `market ${marketId}`,
      hours: within,
      runs: (runs.get(marketId) ?? [])
        .filter(({ hour }) => hour >= hours.from && hour < hours.to)
        .map(({ hour, beganMs, state }) => ({ ...readHour(state), hour, beganMs })),
      fills: own.map(({ atMs, event: { fill } }) => ({ atMs, side: fill.side, isMaker: fill.liquidity === "maker" })),
      largestPosition: largest([
        held,
        ...within.map(({ inventory }) => inventory),
        ...positionsAfter(
          held,
          own.map(({ event: { fill } }) => signOf(fill.side) * fill.size),
        ),
      ]),
    };
  });
}

function* positionsAfter(before: bigint, changes: readonly bigint[]): Iterable<bigint> {
  let position = before;
  for (const change of changes) {
    position += change;
    yield position;
  }
}

const largest = (positions: readonly bigint[]): Size =>
  positions.reduce<bigint>((most, position) => {
    const size = position < 0n ? -position : position;
    return size > most ? size : most;
  }, 0n) as Size;

const transfersOf = (read: LedgerReads, accountId: AccountId, isIn: IsIn): readonly TransferLine[] =>
  Array.from(read.timeline(accountId).sums).flatMap(({ atMs, event }) =>
    event.kind === "transfer" && isIn(atMs) ? [{ atMs, accountId, reason: event.reason, amount: event.amount }] : [],
  );

/** Halts in force at the start of the period, then those within it. */
function haltsOf(events: ReturnType<LedgerReads["trail"]>["latches"], hours: Hours, isIn: IsIn): readonly HaltLine[] {
  let held: Latches = [];
  const trippedMs = new Map<Latches[number], number>();
  const lines: HaltLine[] = [];
  for (const { atMs, event } of events) {
    if (atMs < hours.from * HOUR_MS) {
      held = foldLatch(held, event);
      if (event.kind === "tripped") trippedMs.set(event.latch, atMs);
    } else if (isIn(atMs)) {
      const { accountId, marketId, reason } = event.kind === "tripped" ? event.latch : event;
      const what = event.kind === "tripped" ? haltText(event.latch) : `resumed: ${event.latch ?? "every halt"}`;
      lines.push({ atMs, accountId, marketId, what, reason });
    }
  }
  const before = held.map((latch): HaltLine => {
    const { accountId, marketId, reason } = latch;
    return { atMs: trippedMs.get(latch) ?? 0, accountId, marketId, what: `${haltText(latch)} since before`, reason };
  });
  return [...before, ...lines];
}

const haltText = ({ kind, holds }: Latches[number]): string => `${holds}: ${kind}`;

function changesOf(
  entries: ReturnType<LedgerReads["trail"]>["audit"],
  isIn: IsIn,
): Pick<Period, "changes" | "refusedCalls"> {
  const changes: ChangeLine[] = [];
  let refusedCalls = 0;
  for (const { atMs, call, caller, isAuthorized, reason, body, status } of entries) {
    if (!isIn(atMs)) continue;
    if (!isAuthorized) refusedCalls += 1;
    else if (status === 0) changes.push({ atMs, by: caller, what: call, why: reason ?? "" });
    else {
      const answer = status < 300 ? "" : ` (answered ${status})`;
      changes.push({ atMs, by: caller, what: `${call}${answer}`, why: reason ?? body ?? "" });
    }
  }
  return { changes, refusedCalls };
}

function denialsOf(
  decisions: ReturnType<LedgerReads["trail"]>["decisions"],
  isIn: IsIn,
  market: MarketId | undefined,
): Pick<Period, "denials" | "decisionsSinceMs"> {
  const counts = new Map<string, DenialLine>();
  let decisionsSinceMs: number | null = null;
  for (const { accountId, marketId, atMs, denials } of decisions) {
    decisionsSinceMs ??= atMs;
    if (!isIn(atMs) || (market !== undefined && marketId !== market)) continue;
    for (const { reason } of denials) {
      const key = `${accountId} ${marketId} ${reason}`;
      counts.set(key, { accountId, marketId, reason, count: (counts.get(key)?.count ?? 0) + 1 });
    }
  }
  return { denials: [...counts.values()].toSorted((a, b) => b.count - a.count), decisionsSinceMs };
}

/** Sum of spans, source by source. */
export const pnlOf = (spans: readonly SpanPnl[], valuation: Valuation): Pnl =>
  spans.reduce<Pnl>((sum, { pnl }) => plus(sum, pnl[valuation]), noPnl);

const noPnl = Object.fromEntries(pnlComponents.map((component) => [component, usdc(0n)])) as unknown as Pnl;
