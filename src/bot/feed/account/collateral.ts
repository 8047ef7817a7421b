// Compares the collateral as read with the one that the book expects. A difference is booked as what explains it; what nothing explains is
// a transfer of the account.

import type { ReadEvent } from "../../../domain/event.ts";
import { feeOn, feeTierFor, worstFeeTier } from "../../../domain/fees.ts";
import type { Fill } from "../../../domain/fill.ts";
import { divideCeil, notional, notionalCeil } from "../../../domain/rounding.ts";
import { NOTIONAL_DIVISOR, type Usdc, usdc } from "../../../domain/units.ts";
import { entryPriceIn, inventoryIn } from "../../accounting/account-book.ts";
import { explain, type PendingMoney, type Settlement } from "../../accounting/explain.ts";
import { collateralOf } from "../../accounting/totals.ts";
import { type FoldEffects, noEffects } from "../effects.ts";
import { chainTimeMs } from "../market/chain-clock.ts";
import type { FeedState, MarketState } from "../state.ts";
import type { AccountState, PositionRead } from "./account-state.ts";
import { bookPosting, magnitude, oraclePriceIn, pendingIn } from "./booking.ts";
import { hasOpenQuestion, isSearched, UNSEARCHED_MS } from "./differences.ts";
import type { Newness } from "./newness.ts";

type AccountRead = Extract<ReadEvent, { kind: "accountRead" }>;

/** The cap of the public documents (6.25 % of notional a settlement) where the exchange has not named its own yet. */
const FUNDING_CAP_BPS = 625;
/** Funding pays a premium of the mark over the oracle price, and interest (S2.4): an interval costs no more than both, whatever their scales. */
const INTEREST_BPS = 1n;
/** More changes that no fill shows than settlements and transfers bring while reads are late. */
const FORMER_MAX = 20;
/** Rounds that a difference may stay unexplained before it is a transfer; news of a settlement may come after the money has moved. */
const ROUNDS_MAX = 3;

/** `newness`: of a read that has every fill that we know. */
export function reconcileCollateral(
  state: FeedState,
  account: AccountState,
  event: AccountRead,
  { trustedMs }: Newness,
): FoldEffects {
  const { accountId, book, collateral } = account;
  const expected = collateralOf(book);
  const difference = usdc(event.account.collateral - expected);
  // As it was before a change that no fill shows, and not proven to be newer than that change: it may be from before it, even where
  // a newer read has come since.
  const isFormer = collateral.former.some(
    ({ amount, untilMs }) => untilMs > trustedMs && amount === event.account.collateral,
  );
  if (difference !== 0n && isFormer) return noEffects;
  if (difference !== 0n && isOpen(state, account, event.receivedMs)) return noEffects;
  const postings = explain(difference, {
    pending: pendingMoney(state, account),
    settlements: settlementsDue(state, account),
    fillCount: collateral.fillCount,
  });
  const last = postings.at(-1);
  // Fills that nobody has shown yet may explain what looks like funding.
  const isUnseen = collateral.hasUnseenFills && account.volume.unseen > 0n;
  const isTransfer = last?.kind === "transfer" && last.reason === "transfer";
  const isLeft = isTransfer || (last?.kind === "funding" && isUnseen);
  if (isLeft && !isFinal(state, account, difference, event.receivedMs)) return noEffects;
  agreeOnCollateral(state, account, trustedMs);
  if (postings.length === 0) return noEffects;
  const newestSec = Math.max(...[...state.markets.values()].map(({ settledSec }) => settledSec));
  const atMs = chainTimeMs(state, event.receivedMs) ?? newestSec * 1000;
  // A transfer may be taken back at once, and a wrong one is no profit.
  if (!isTransfer)
    collateral.former = [...collateral.former, { amount: expected, untilMs: event.receivedMs }].slice(-FORMER_MAX);
  const booked = postings.map((posting) => bookPosting(account, posting, Math.floor(atMs / 1000)));
  return [{ kind: "collateralChange", accountId, postings: booked }];
}

/** True while a fill that we have not heard of may be in the difference, whatever else explains it: fills may cancel out in position. */
function isOpen(state: FeedState, account: AccountState, nowMs: number): boolean {
  for (const marketId of state.markets.keys()) if (hasOpenQuestion(account, marketId, nowMs, nowMs)) return true;
  return account.doubts.size > 0;
}

/** True in the third round of a difference that nothing explains, trades and settlements of all markets looked through since the first. */
function isFinal(state: FeedState, { collateral }: AccountState, amount: Usdc, nowMs: number): boolean {
  const known = collateral.unattributed ?? { sinceMs: nowMs, searchAfterMs: nowMs, rounds: 0 };
  const rounds = known.rounds + 1;
  collateral.unattributed = { ...known, rounds, amount };
  if (rounds < ROUNDS_MAX) return false;
  if (nowMs - known.sinceMs >= UNSEARCHED_MS) return true;
  for (const [marketId, { funding }] of state.markets) {
    if (!isSearched(state, marketId, known.searchAfterMs)) return false;
    if (funding === null || funding.askedMs <= known.searchAfterMs) return false;
  }
  return true;
}

/**
 * The book expects what was read: what may explain a difference is counted from here. Settlements up to the time that the read is
 * trusted to be of are in its money; later ones may not be, and stay due on the largest position since.
 */
export function agreeOnCollateral(state: FeedState, account: AccountState, trustedMs: number): void {
  const { book, collateral, positionReads } = account;
  // A read that agrees by chance may lack the last fills, and how the exchange rounded them.
  if (trustedMs >= (account.filledMs ?? Number.NEGATIVE_INFINITY)) collateral.fillCount = 0;
  collateral.hasUnseenFills = false;
  collateral.unattributed = null;
  const untilMs = chainTimeMs(state, trustedMs) ?? Number.POSITIVE_INFINITY;
  for (const [marketId, read] of positionReads) {
    const { settledSec = 0, fundingIndex = null } = state.markets.get(marketId) ?? {};
    if (settledSec * 1000 > untilMs && settledSec > (collateral.settledSec.get(marketId) ?? 0)) continue;
    collateral.settledSec.set(marketId, settledSec);
    if (fundingIndex !== null) collateral.fundingIndex.set(marketId, fundingIndex.value);
    read.peak = magnitude(inventoryIn(book, marketId));
  }
}

function pendingMoney(state: FeedState, account: AccountState): readonly PendingMoney[] {
  const pending: PendingMoney[] = [];
  for (const [marketId, { now }] of account.book.markets) {
    const fills = pendingIn(account, marketId);
    if (fills.length === 0) continue;
    pending.push({
      marketId,
      fillKeys: fills.map(({ key }) => key),
      realized: now.pending,
      fees: fills.reduce((sum, fill) => sum + estimatedFee(state, account, fill), 0n),
      notional: fills.reduce((sum, fill) => sum + notional(fill.price, fill.size), 0n),
    });
  }
  return pending;
}

function estimatedFee(state: FeedState, account: AccountState, fill: Fill): Usdc {
  const tiers = state.feeTiers?.value ?? [];
  const assetClass = state.markets.get(fill.marketId)?.market?.value.assetClass ?? "";
  const volume = account.read?.value.feeTierVolume30d;
  const tier = volume === undefined ? worstFeeTier(tiers, assetClass) : feeTierFor(tiers, assetClass, volume);
  const bps = fill.liquidity === "maker" ? tier?.makerFeeBps : tier?.takerFeeBps;
  return feeOn(notional(fill.price, fill.size), bps ?? 0);
}

function settlementsDue(state: FeedState, account: AccountState): readonly Settlement[] {
  const due: Settlement[] = [];
  for (const [marketId, read] of account.positionReads) {
    const market = state.markets.get(marketId);
    const seenSec = account.collateral.settledSec.get(marketId) ?? 0;
    if (market === undefined || read.peak === 0n || market.settledSec <= seenSec) continue;
    due.push(settlementIn(state, account, market, read, seenSec));
  }
  return due;
}

function settlementIn(
  state: FeedState,
  { book, collateral }: AccountState,
  market: MarketState,
  { peak }: PositionRead,
  seenSec: number,
): Settlement {
  const { marketId, settledSec, market: read, premiumBps } = market;
  const funding = market.funding?.value;
  const at = oraclePriceIn(state, marketId) ?? entryPriceIn(book, marketId);
  const intervalSec = funding?.fundingIntervalSecs ?? read?.value.fundingIntervalSecs ?? 3600;
  const count = BigInt(seenSec === 0 ? 1 : Math.max(1, Math.round((settledSec - seenSec) / intervalSec)));
  const widestBps = premiumBps.now > premiumBps.last ? premiumBps.now : premiumBps.last;
  const ratesBps = [BigInt(funding?.maxFundingRateBps ?? FUNDING_CAP_BPS), widestBps + INTEREST_BPS];
  const capBps = ratesBps.reduce((least, rate) => (rate < least ? rate : least));
  // Room for the print having moved since the settlement: a tenth.
  const byRate = divideCeil(notionalCeil(at, peak) * capBps * count * 11n, 100_000n);
  const byIndex = indexCap(market, peak, collateral.fundingIndex.get(marketId));
  // And one unit a settlement for rounding.
  const cap = (byIndex !== null && byIndex < byRate ? byIndex : byRate) + count;
  const rate = funding?.fundingRate ?? read?.value.fundingRate ?? 0n;
  return { marketId, cap, estimate: -inventoryIn(book, marketId) * at * rate };
}

/**
 * What the index has moved since, on the largest position: taken to be of a contract in the scale of prices (S2.4 names no scale; where it
 * is another one, funding is booked as a transfer). 0 until it is read after the settlement; null where it does not move.
 */
function indexCap({ fundingIndex, settledSec }: MarketState, peak: bigint, before: bigint | undefined): bigint | null {
  if (fundingIndex === null || before === undefined) return null;
  if (fundingIndex.lastSec < settledSec) return 0n;
  const moved = fundingIndex.value - before;
  return moved === 0n ? null : divideCeil(peak * (moved < 0n ? -moved : moved), NOTIONAL_DIVISOR);
}
