// Builds what one turn may know of one market of one account, and how long that holds. Cheap enough for every turn: facts are referenced,
// not copied, and the list of orders is kept until one changes. Everything is frozen: guard, plan and other accounts judge by the same
// facts that a strategy gets.

import type { Agent } from "../../../domain/account.ts";
import type { QuotedSignal } from "../../../domain/outside.ts";
import type { AccountId, MarketId } from "../../../domain/units.ts";
import { absent, type Fact, type PositionFact, type Signals, type View } from "../../../domain/view.ts";
import { assert } from "../../../kernel/assert.ts";
import type { AccountState, BotState } from "../../account/account-state.ts";
import { fundsOf } from "../../account/funds.ts";
import { paidTier, scheduledTier } from "../../account/paid-fees.ts";
import { positionRange } from "../../account/position-range.ts";
import { resyncOf } from "../../account/resync-reasons.ts";
import { unreadableIn } from "../../account/unreadable.ts";
import { entryPriceIn, inventoryIn } from "../../accounting/account-book.ts";
import {
  bookFact,
  chainFact,
  factOf,
  mapFact,
  type Now,
  oracleFact,
  readFact,
  streamFact,
} from "../../market/freshness.ts";
import { outsideFacts, outsideHoldsForMs } from "../../market/outside.ts";
import { marketOf } from "../../market/state.ts";
import { aheadForMs } from "../../market/time.ts";
import { readSignals, startSignals } from "../../strategy/signals.ts";
import { ageTiming, marketTiming } from "../../timing.ts";
import type { AccountDesk } from "../desks/account-desk.ts";

/** What a market's desk adds to the view. */
export type Beside = {
  /** Estimates; absent for a market without a desk, where nothing was learned. */
  readonly signals?: Signals | undefined;
  /** Contracts that the skew counts on top of the position. */
  readonly extraInventory?: number | undefined;
  /** The market's outside facts. */
  readonly outside?: readonly QuotedSignal[] | undefined;
};

export function besideOf(desk: AccountDesk | undefined, marketId: MarketId): Beside {
  const { estimates, quoted } = desk?.markets.get(marketId) ?? {};
  const extraInventory = desk?.extraInventory(marketId);
  return { signals: estimates?.signals, extraInventory, outside: quoted?.signals };
}

/** Returns the view at `now`. The account must be one of ours: another one is a bug. */
export function buildView(
  state: BotState,
  accountId: AccountId,
  marketId: MarketId,
  now: Now,
  { signals = readSignals(startSignals(marketId)), extraInventory = 0, outside = [] }: Beside,
): View {
  const account = state.accounts.get(accountId);
  assert(account !== undefined, "a view is of an account that the state was made for");
  const market = marketOf(state, marketId);
  const stream = streamFact(state, now);
  const chain = chainFact(state, stream, now);
  const marketFact = readFact(state, market.market, ageTiming.marketMs, now);
  const reconciled = reconciledFact(account, marketId, stream, now);
  const unreadable = unreadableIn(account, marketId);
  return Object.freeze({
    nowMs: now.monotonicMs,
    accountId,
    marketId,
    market: marketFact,
    oracle: oracleFact(state, market, chain, now),
    book: bookFact(market, stream, now),
    funding: readFact(state, market.funding, ageTiming.fundingMs, now),
    chain,
    stream,
    position: unreadable.some(({ what }) => what === "position")
      ? absent
      : mapFact(reconciled, () => positionOf(account, marketId)),
    funds: mapFact(reconciled, () => fundsOf(state, account, marketId)),
    reconciled,
    resync: resyncing(account, marketId, now),
    agent: agentFact(state, account, now),
    feeTier: mapFact(readFact(state, state.feeTiers, ageTiming.feeTiersMs, now), () => {
      const tier = scheduledTier(state, account, marketId);
      return tier && paidTier(account, marketId, tier, now.monotonicMs);
    }),
    openOrderCap: mapFact(readFact(state, state.openOrderCap, ageTiming.openOrderCapMs, now), (cap) => cap),
    orders: account.orders.inMarket(marketId),
    vacated: account.orders.vacatedIn(marketId, now.monotonicMs),
    isPaper: account.isPaper,
    unreadable,
    accountOrderCount: account.orders.restingCount,
    outside: outsideFacts(state, outside, now.monotonicMs),
    readLagMaxMs: state.readLagMaxMs,
    signals,
    guidance: Object.freeze({ extraInventory, fairValueUsd: null }),
  });
}

function resyncing(account: AccountState, marketId: MarketId, now: Now): View["resync"] {
  const resync = resyncOf(account, marketId);
  return resync === undefined
    ? null
    : Object.freeze({ reason: resync.reason, forMs: now.monotonicMs - resync.sinceMs });
}

/** The position of the last read, moved by our fills since. */
const positionOf = (account: AccountState, marketId: MarketId): PositionFact =>
  Object.freeze({
    inventory: inventoryIn(account.book, marketId),
    ...positionRange(account, marketId),
    entryPrice: entryPriceIn(account.book, marketId),
  });

/** Orders and positions agreed with the exchange's on this connection, and no resync is running. */
function reconciledFact(account: AccountState, marketId: MarketId, stream: Fact<number>, now: Now): Fact<number> {
  const { rounds, agreedMs, agreedEpoch } = account.reconcile;
  if (agreedMs === null) return absent;
  const ageMs = now.monotonicMs - agreedMs;
  const current = stream.state === "fresh" && agreedEpoch === stream.value;
  const isLive = resyncOf(account, marketId) === undefined;
  return factOf(rounds, ageMs, current && isLive && ageMs <= ageTiming.reconciledMs);
}

/** Our key as the account lists it; the guard checks its expiry. */
function agentFact(state: BotState, account: AccountState, now: Now): Fact<Agent> {
  const read = readFact(state, account.read, ageTiming.reconciledMs, now);
  return mapFact(read, ({ agents }) => agents.find(({ pubkey }) => pubkey === account.agentPubkey));
}

/** Returns for how many ms after `view.nowMs` its facts stay as fresh as they are now, if nothing happens. */
export function viewHoldsForMs(state: BotState, view: View, outside: readonly QuotedSignal[] = []): number {
  const account = state.accounts.get(view.accountId);
  return Math.min(
    leftMs(view.stream, ageTiming.streamMs),
    leftMs(view.chain, ageTiming.chainMs),
    leftMs(view.market, ageTiming.marketMs),
    leftMs(view.oracle, ageTiming.oracleMs),
    leftMs(view.book, ageTiming.bookMs),
    leftMs(view.funding, ageTiming.fundingMs),
    leftMs(view.reconciled, ageTiming.reconciledMs),
    leftMs(view.agent, ageTiming.reconciledMs),
    leftMs(view.feeTier, ageTiming.feeTiersMs),
    leftMs(view.openOrderCap, ageTiming.openOrderCapMs),
    validForMs(view),
    implausibleForMs(state, view),
    trustedForMs(state, view),
    outsideHoldsForMs(view.outside, outside),
    (account?.orders.vacatedUntilMs(view.marketId) ?? Number.POSITIVE_INFINITY) - view.nowMs,
  );
}

/** Only an event makes a fact known, or fresh again. */
const leftMs = (fact: Fact<unknown>, ageMsMax: number): number =>
  fact.state === "fresh" ? ageMsMax - fact.ageMs : Number.POSITIVE_INFINITY;

/** Beyond its validity the oracle is Stale. */
function validForMs({ oracle, chain }: View): number {
  if (oracle.state === "absent" || chain.state === "absent" || oracle.value.status !== "Active")
    return Number.POSITIVE_INFINITY;
  return oracle.value.validUntilSec * 1000 - chain.value.timeMs;
}

/** Times in the future become plausible as time passes. */
function implausibleForMs(state: BotState, { oracle, nowMs }: View): number {
  const forMs = oracle.state === "absent" ? 0 : aheadForMs(state, oracle.value, nowMs);
  return forMs > 0 ? forMs : Number.POSITIVE_INFINITY;
}

/** A book that a read contradicts is trusted only briefly. */
function trustedForMs({ markets }: BotState, { book, marketId, nowMs }: View): number {
  const unconfirmedMs = markets.get(marketId)?.book.unconfirmedMs ?? null;
  const isTrusted = book.state === "fresh" && unconfirmedMs !== null;
  return isTrusted ? unconfirmedMs + marketTiming.bookLagMs - nowMs : Number.POSITIVE_INFINITY;
}
