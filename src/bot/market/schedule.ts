// Which reads are due now: each fact on its interval, and immediately after an event that made it doubtful. Pure; the caller sends
// `dueReads`, notes when each was asked and ended, and folds the answers.

import type { AccountId, MarketId } from "../../domain/units.ts";
import { backOffMs } from "../../kernel/retry.ts";
import { readTiming } from "../timing.ts";
import type { ExchangeState, MarketState } from "./state.ts";

export type ReadRequest =
  | {
      readonly kind: "market" | "oracle" | "oracleHistory" | "book" | "funding" | "trades";
      readonly marketId: MarketId;
    }
  | { readonly kind: "account" | "orders" | "rateLimit"; readonly accountId: AccountId }
  | { readonly kind: "feeTiers" | "openOrderCap" };

/** What an account needs to read; times are monotonic, ms. */
export type AccountReads = {
  readonly accountId: AccountId;
  /** When a mismatch last occurred; null: never. */
  readonly unconfirmedMs: number | null;
  /** A doubt waits for the next read. */
  readonly isUnconfirmed: boolean;
  /** Markets whose trades may explain a doubt, and since when it exists. */
  readonly doubts: Iterable<{ readonly marketId: MarketId; readonly sinceMs: number }>;
  /** Since when a difference in money has had no explanation by trades or a settlement; null: there is none. */
  readonly unexplainedSinceMs: number | null;
  /** Markets with ended orders whose last fills no read has ruled out. */
  readonly ended: Iterable<MarketId>;
  /** The next read of the account may show the effect of a success. */
  readonly isUnshown: boolean;
  /** Both lists of open orders are needed to see whether a cancel worked. */
  readonly isCancelUnshown: boolean;
};

type Asked = { readonly askedMs: number; readonly pending: boolean; readonly failures: number };

/** The subject of a read; null: the exchange itself. */
type Subject = MarketId | AccountId | null;

/** What was asked and how it ended; only `readAsked` and `readEnded` write it. */
export type ReadLog = Readonly<Record<ReadRequest["kind"], Map<Subject, Asked>>>;

export const createReadLog = (): ReadLog => ({
  market: new Map(),
  oracle: new Map(),
  oracleHistory: new Map(),
  book: new Map(),
  funding: new Map(),
  trades: new Map(),
  account: new Map(),
  orders: new Map(),
  rateLimit: new Map(),
  feeTiers: new Map(),
  openOrderCap: new Map(),
});

/** The request was sent. */
export function readAsked(log: ReadLog, request: ReadRequest, nowMs: number): void {
  log[request.kind].set(subjectOf(request), {
    askedMs: nowMs,
    pending: true,
    failures: askedOf(log, request)?.failures ?? 0,
  });
}

/** The read succeeded or failed. A failure is repeated after 0.5 s, 1 s, 2 s and so on, at most after its interval. */
export function readEnded(log: ReadLog, request: ReadRequest, result: "folded" | "failed"): void {
  const asked = askedOf(log, request);
  if (asked === undefined) return;
  const failures = result === "folded" ? 0 : asked.failures + 1;
  log[request.kind].set(subjectOf(request), { askedMs: asked.askedMs, pending: false, failures });
}

/** When: on its interval, within a second, or as soon as the least spacing allows. */
type Urgency = "routine" | "soon" | "now";

/** Returns the reads to send now, the account's first; of market reads only those of `markets`. None that is still on its way. */
export function dueReads(
  state: ExchangeState,
  accounts: readonly AccountReads[],
  log: ReadLog,
  nowMs: number,
  markets: Iterable<MarketState> = state.markets.values(),
): readonly ReadRequest[] {
  const due: ReadRequest[] = [];
  const ask = (request: ReadRequest, urgency: Urgency): void => {
    if (isDue(state, log, request, urgency, nowMs)) due.push(request);
  };
  const searched = new Set<MarketId>();
  const awaited = new Set<MarketId>();
  for (const account of accounts) {
    marketsToSearch(state, account, searched);
    for (const marketId of account.ended) awaited.add(marketId);
    const request = { kind: "account", accountId: account.accountId } as const;
    ask(request, accountUrgency(account, askedOf(log, request)));
    if (account.isCancelUnshown) ask({ kind: "orders", accountId: account.accountId }, "routine");
  }
  for (const market of markets) {
    const { marketId } = market;
    ask({ kind: "trades", marketId }, tradesUrgency(state, market, searched, awaited));
    ask({ kind: "oracle", marketId }, oracleUrgency(market));
    // Past prints must connect to the known one.
    if (market.oracle.held !== null && !market.isHistoryRead) ask({ kind: "oracleHistory", marketId }, "routine");
    ask({ kind: "market", marketId }, marketUrgency(market));
    // A read of the book checks the stream: without a subscription there is nothing to check.
    if (state.streamed.has(marketId))
      ask({ kind: "book", marketId }, market.book.unconfirmedMs === null ? "routine" : "soon");
    ask({ kind: "funding", marketId }, fundingUrgency(accounts, market));
  }
  for (const { accountId } of accounts) ask({ kind: "rateLimit", accountId }, "routine");
  const { feeTiers, feeTiersUnconfirmedMs } = state;
  const areUnconfirmed =
    feeTiersUnconfirmedMs !== null && (feeTiers === null || feeTiers.askedMs < feeTiersUnconfirmedMs);
  ask({ kind: "feeTiers" }, areUnconfirmed ? "soon" : "routine");
  ask({ kind: "openOrderCap" }, "routine");
  return due;
}

/** A new connection makes all earlier reads due again. */
function isDue(state: ExchangeState, log: ReadLog, request: ReadRequest, urgency: Urgency, nowMs: number): boolean {
  const asked = askedOf(log, request);
  if (asked === undefined) return true;
  if (asked.pending) return false;
  const elapsedMs = nowMs - asked.askedMs;
  const interval = readTiming.everyMs[request.kind];
  if (asked.failures > 0) {
    const maxMs = urgency === "now" ? Math.min(readTiming.retryWantedMs, interval) : interval;
    return elapsedMs >= backOffMs({ firstMs: readTiming.retryMs, maxMs }, asked.failures);
  }
  const reconnected = state.stream.connected && asked.askedMs < state.stream.openedMs;
  if (urgency === "now" || reconnected) return elapsedMs >= readTiming.hurriedMs;
  return elapsedMs >= (urgency === "soon" ? Math.min(readTiming.soonMs, interval) : interval);
}

/** After each break of the connection, trades count only once the account has proved to be of the known chain. */
function tradesUrgency(
  { stream }: ExchangeState,
  { marketId, search: { askedMs } }: MarketState,
  searched: ReadonlySet<MarketId>,
  awaited: ReadonlySet<MarketId>,
): Urgency {
  const isOfBefore = askedMs !== null && askedMs < stream.brokenMs;
  if (searched.has(marketId) || isOfBefore) return "now";
  return awaited.has(marketId) ? "soon" : "routine";
}

/** A doubt needs a read at once; unexplained money or a success without a visible effect needs one within a second. */
function accountUrgency(
  { unconfirmedMs, isUnconfirmed, unexplainedSinceMs, isUnshown }: AccountReads,
  asked: Asked | undefined,
): Urgency {
  if (unconfirmedMs !== null && (asked === undefined || unconfirmedMs >= asked.askedMs)) return "now";
  if (isUnconfirmed) return "now";
  return unexplainedSinceMs === null && !isUnshown ? "routine" : "soon";
}

/** Markets where trades that have not been read since may explain a doubt or money. */
function marketsToSearch(
  { markets }: ExchangeState,
  { doubts, unexplainedSinceMs }: AccountReads,
  searched: Set<MarketId>,
): void {
  const search = (marketId: MarketId, sinceMs: number): void => {
    if ((markets.get(marketId)?.search.askedMs ?? sinceMs) <= sinceMs) searched.add(marketId);
  };
  for (const { marketId, sinceMs } of doubts) search(marketId, sinceMs);
  if (unexplainedSinceMs === null) return;
  for (const marketId of markets.keys()) search(marketId, unexplainedSinceMs);
}

/** A print makes an earlier status old; a print that closed the market must be noticed at once. */
function oracleUrgency({ oracle }: MarketState): Urgency {
  const { held, readMs, printedMs, doubt } = oracle;
  const printed = printedMs !== null && (readMs === null || printedMs > readMs);
  if (doubt !== null || (printed && held?.value.status !== "Active")) return "now";
  return printed ? "soon" : "routine";
}

function marketUrgency({ market, oracle }: MarketState): Urgency {
  const { printedMs } = oracle;
  if (market === null || printedMs === null || printedMs <= market.askedMs) return "routine";
  return market.value.oracleStatus === "Active" ? "soon" : "now";
}

/** Unexplained money may be a settlement's; or the funding state as read lacks a known settlement. */
function fundingUrgency(
  accounts: readonly AccountReads[],
  { funding, fundingIndex, settledSec }: MarketState,
): Urgency {
  for (const { unexplainedSinceMs } of accounts)
    if (unexplainedSinceMs !== null && (funding?.askedMs ?? 0) <= unexplainedSinceMs) return "now";
  const readSec = Math.min(funding?.value.lastFundingTimestampSec ?? settledSec, fundingIndex?.lastSec ?? settledSec);
  return readSec < settledSec ? "soon" : "routine";
}

const askedOf = (log: ReadLog, request: ReadRequest): Asked | undefined => log[request.kind].get(subjectOf(request));

function subjectOf(request: ReadRequest): Subject {
  if ("marketId" in request) return request.marketId;
  return "accountId" in request ? request.accountId : null;
}
