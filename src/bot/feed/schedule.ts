// Which reads are due now: each fact on its interval, and at once what an event made doubtful. Pure; who reads calls `dueReads`,
// tells when it asked and when it ended, and folds what came back.

import type { AccountId, MarketId } from "../../domain/units.ts";
import { backOffMs } from "../../kernel/retry.ts";
import type { AccountState } from "./account/account-state.ts";
import { isSearched } from "./account/differences.ts";
import { CLOCK_MS, wantsNodeTime } from "./market/chain-clock.ts";
import { isProvable } from "./orders/last-fills.ts";
import type { FeedState, MarketState } from "./state.ts";

export type ReadRequest =
  | {
      readonly kind: "market" | "oracle" | "oracleHistory" | "book" | "funding" | "trades";
      readonly marketId: MarketId;
    }
  | { readonly kind: "account" | "rateLimit"; readonly accountId: AccountId }
  | { readonly kind: "node" | "feeTiers" | "openOrderCap" };

export type ReadIntervals = Readonly<Record<ReadRequest["kind"], number>> & {
  /** Least time between two reads of the same thing, however doubtful it is. */
  readonly hurriedMs: number;
  /** The same for what is only worth knowing better. */
  readonly soonMs: number;
  /** A fill pending for that long is looked for, as is the end of an order whose last fills are pending. */
  readonly pendingFillMs: number;
};

/**
 * All in ms. The account comes well inside the contract's 10 s, so that a slow answer still does. No event tells that a market was
 * paused or that an oracle went stale, and quotes are to be gone within a second of either: both are asked more often than that.
 */
export const defaultReadIntervals: ReadIntervals = {
  market: 800,
  oracle: 500,
  oracleHistory: 600_000,
  book: 5000,
  funding: 60_000,
  trades: 30_000,
  account: 7500,
  rateLimit: 30_000,
  node: 60_000,
  feeTiers: 600_000,
  openOrderCap: 600_000,
  hurriedMs: 250,
  soonMs: 1000,
  pendingFillMs: 500,
};

type Asked = { readonly askedMs: number; readonly pending: boolean; readonly failures: number };

/** What a read is about; null: the exchange itself. */
type Subject = MarketId | AccountId | null;

/** What was asked and what became of it; written by `readAsked` and `readEnded` alone. */
export type ReadLog = Readonly<Record<ReadRequest["kind"], Map<Subject, Asked>>>;

export const createReadLog = (): ReadLog => ({
  market: new Map(),
  oracle: new Map(),
  oracleHistory: new Map(),
  book: new Map(),
  funding: new Map(),
  trades: new Map(),
  account: new Map(),
  rateLimit: new Map(),
  node: new Map(),
  feeTiers: new Map(),
  openOrderCap: new Map(),
});

/** The request has left. */
export function readAsked(log: ReadLog, request: ReadRequest, nowMs: number): void {
  log[request.kind].set(subjectOf(request), {
    askedMs: nowMs,
    pending: true,
    failures: askedOf(log, request)?.failures ?? 0,
  });
}

/** It came back, or did not. A failure is tried again after 0.5 s, 1 s, 2 s and so on, at most after its interval. */
export function readEnded(log: ReadLog, request: ReadRequest, result: "folded" | "failed"): void {
  const asked = askedOf(log, request);
  if (asked === undefined) return;
  const failures = result === "folded" ? 0 : asked.failures + 1;
  log[request.kind].set(subjectOf(request), { askedMs: asked.askedMs, pending: false, failures });
}

/** How soon: on its interval, within a second, or as soon as the least spacing allows. */
type Urgency = "routine" | "soon" | "now";

/** The reads that should leave now, the account first; of the markets' own those of `markets`. None that is still on its way. */
export function dueReads(
  state: FeedState,
  log: ReadLog,
  nowMs: number,
  markets: Iterable<MarketState> = state.markets.values(),
): readonly ReadRequest[] {
  const intervals = defaultReadIntervals;
  const due: ReadRequest[] = [];
  const ask = (request: ReadRequest, urgency: Urgency): void => {
    if (isDue(state, log, request, urgency, nowMs, intervals)) due.push(request);
  };
  const searched = new Set<MarketId>();
  const awaited = new Set<MarketId>();
  for (const account of state.accounts.values()) {
    marketsToSearch(state, account, nowMs, intervals, searched);
    marketsWithLastFills(account, nowMs, awaited);
    const request = { kind: "account", accountId: account.accountId } as const;
    const urgency = accountUrgency(account, askedOf(log, request), nowMs - intervals.pendingFillMs);
    if (!awaitsTrades(state, account, log, nowMs)) ask(request, urgency);
  }
  for (const market of markets) {
    const { marketId } = market;
    ask({ kind: "trades", marketId }, tradesUrgency(state, market, searched, awaited));
    ask({ kind: "oracle", marketId }, oracleUrgency(market));
    // Past prints follow each other up to the one that is known.
    if (market.oracle.held !== null && !market.isHistoryRead) ask({ kind: "oracleHistory", marketId }, "routine");
    ask({ kind: "market", marketId }, marketUrgency(market));
    // A book is read to prove what the stream says: without a subscription there is nothing to prove.
    if (state.streamed.has(marketId))
      ask({ kind: "book", marketId }, market.book.doubtedMs === null ? "routine" : "soon");
    ask({ kind: "funding", marketId }, fundingUrgency(state, market));
  }
  for (const accountId of state.accounts.keys()) ask({ kind: "rateLimit", accountId }, "routine");
  const { feeTiers, feeTiersDoubtedMs } = state;
  const areDoubted = feeTiersDoubtedMs !== null && (feeTiers === null || feeTiers.askedMs < feeTiersDoubtedMs);
  ask({ kind: "feeTiers" }, areDoubted ? "soon" : "routine");
  ask({ kind: "openOrderCap" }, "routine");
  ask({ kind: "node" }, wantsNodeTime(state) ? "now" : "routine");
  return due;
}

/** A new connection makes everything that was read before it worth reading again. */
function isDue(
  state: FeedState,
  log: ReadLog,
  request: ReadRequest,
  urgency: Urgency,
  nowMs: number,
  intervals: ReadIntervals,
): boolean {
  const asked = askedOf(log, request);
  if (asked === undefined) return true;
  if (asked.pending) return false;
  const elapsedMs = nowMs - asked.askedMs;
  const interval = intervals[request.kind];
  if (asked.failures > 0) {
    const maxMs = urgency === "now" ? Math.min(RETRY_WANTED_MS, interval) : interval;
    return elapsedMs >= backOffMs({ firstMs: RETRY_MS, maxMs }, asked.failures);
  }
  const reconnected = state.stream.connected && asked.askedMs < state.stream.openedMs;
  if (urgency === "now" || reconnected) return elapsedMs >= intervals.hurriedMs;
  return elapsedMs >= (urgency === "soon" ? Math.min(intervals.soonMs, interval) : interval);
}

/** First wait after a failed read. */
const RETRY_MS = 500;
/** Longest wait for what a doubt waits for. */
const RETRY_WANTED_MS = 2000;
/** Longest that the account waits for the trades of its markets. */
const AWAIT_TRADES_MS = 2000;

/** At the start the public trades are read before the account: then missed fills are booked first, and what it shows is what we expect. */
function awaitsTrades(state: FeedState, account: AccountState, log: ReadLog, nowMs: number): boolean {
  if (account.read !== null) return false;
  for (const { marketId, tradesAskedMs } of state.markets.values()) {
    if (tradesAskedMs !== null) continue;
    const asked = log.trades.get(marketId);
    const hopeful = asked === undefined || asked.failures === 0;
    if (hopeful && nowMs - (asked?.askedMs ?? nowMs) < AWAIT_TRADES_MS) return true;
  }
  return false;
}

/** After each break of the connection they count only once the account has shown that it is still of the chain we know. */
function tradesUrgency(
  { stream }: FeedState,
  { marketId, tradesAskedMs }: MarketState,
  searched: ReadonlySet<MarketId>,
  awaited: ReadonlySet<MarketId>,
): Urgency {
  const isOfBefore = tradesAskedMs !== null && tradesAskedMs < stream.brokenMs;
  if (searched.has(marketId) || isOfBefore) return "now";
  return awaited.has(marketId) ? "soon" : "routine";
}

/** `pendingSinceMs`: orders whose last fills have been pending since then, or for longer, are looked for. */
function accountUrgency(account: AccountState, asked: Asked | undefined, pendingSinceMs: number): Urgency {
  const { suspectedMs } = account.reconcile;
  if (suspectedMs !== null && (asked === undefined || suspectedMs >= asked.askedMs)) return "now";
  if (account.doubts.size > 0) return "now";
  if (account.collateral.unattributed !== null) return "now";
  for (const { canceled } of account.orders.live) {
    if (canceled !== null && canceled.sinceMs <= pendingSinceMs) return "soon";
  }
  return "routine";
}

/** Where a difference or a trade without its fill may be explained by trades that we have not looked through since. */
function marketsToSearch(
  state: FeedState,
  account: AccountState,
  nowMs: number,
  intervals: ReadIntervals,
  searched: Set<MarketId>,
): void {
  for (const { marketId, searchAfterMs } of account.doubts.values()) {
    if (!isSearched(state, marketId, searchAfterMs)) searched.add(marketId);
  }
  const { unattributed } = account.collateral;
  if (unattributed !== null) {
    for (const marketId of state.markets.keys()) {
      if (!isSearched(state, marketId, unattributed.searchAfterMs)) searched.add(marketId);
    }
  }
  for (const { order, resolvedMs } of account.orders.landed) {
    if (!isSearched(state, order.marketId, resolvedMs)) searched.add(order.marketId);
  }
  for (const { fill, sinceMs } of account.orders.pendingFills()) {
    if (nowMs - sinceMs >= intervals.pendingFillMs) searched.add(fill.marketId);
  }
}

/** Where the trades may prove by now that the last fills of a canceled order are all booked. */
function marketsWithLastFills({ orders }: AccountState, nowMs: number, awaited: Set<MarketId>): void {
  for (const record of orders.live) {
    const { canceled, order } = record;
    if (canceled !== null && nowMs - canceled.sinceMs > CLOCK_MS && isProvable(record)) awaited.add(order.marketId);
  }
}

/** A print makes the status that was read before it old; one that closed the market should be known to have changed at once. */
function oracleUrgency({ oracle }: MarketState): Urgency {
  const { held, readMs, printedMs, doubtful } = oracle;
  const printed = printedMs !== null && (readMs === null || printedMs > readMs);
  if (doubtful || (printed && held?.value.status !== "Active")) return "now";
  return printed ? "soon" : "routine";
}

function marketUrgency({ market, oracle }: MarketState): Urgency {
  const { printedMs } = oracle;
  if (market === null || printedMs === null || printedMs <= market.askedMs) return "routine";
  return market.value.oracleStatus === "Active" ? "soon" : "now";
}

/** Money that nothing explains may be a settlement's; or a settlement is known that the funding state as read does not have yet. */
function fundingUrgency({ accounts }: FeedState, { funding, fundingIndex, settledSec }: MarketState): Urgency {
  for (const { collateral } of accounts.values()) {
    const { unattributed } = collateral;
    if (unattributed !== null && (funding?.askedMs ?? 0) <= unattributed.searchAfterMs) return "now";
  }
  const readSec = Math.min(funding?.value.lastFundingTimestampSec ?? settledSec, fundingIndex?.lastSec ?? settledSec);
  return readSec < settledSec ? "soon" : "routine";
}

const askedOf = (log: ReadLog, request: ReadRequest): Asked | undefined => log[request.kind].get(subjectOf(request));

function subjectOf(request: ReadRequest): Subject {
  if ("marketId" in request) return request.marketId;
  return "accountId" in request ? request.accountId : null;
}
