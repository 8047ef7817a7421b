// Collateral as read against collateral as expected from fills. What differs is booked as what it is: funding within its cap, fills
// whose fee nobody told, a base unit of rounding a posting, an inflow. Only what nothing explains is told as a mismatch.

import type { ReadEvent } from "../../../domain/event.ts";
import { divideCeil, divideFloor, notionalCeil } from "../../../domain/rounding.ts";
import { BPS, type MarketId, type Usdc, usdc } from "../../../domain/units.ts";
import { type FeedEffect, type FoldEffects, noEffects, type Posting } from "../effects.ts";
import { chainTimeMs } from "../market/chain-clock.ts";
import type { FeedState, MarketState } from "../state.ts";
import type { AccountState, PositionState, UnpricedFill } from "./account-state.ts";
import { hasOpenQuestion, isSearched } from "./differences.ts";
import { magnitude } from "./positions.ts";

type AccountRead = Extract<ReadEvent, { kind: "accountRead" }>;

/** The cap of the public documents (6.25 % of notional a settlement) where the exchange has not named its own yet. */
const FUNDING_CAP_BPS = 625;
/** Rounds that a difference may stay unexplained before it is told; news of a settlement may come after the money has moved. */
const ROUNDS_MAX = 3;
/** The same where trades or settlements cannot be read: they may come back with the exchange, and explain it. */
const UNSEARCHED_MS = 30_000;
/** How far a fee may be from what the schedule says: 20 bps of notional covers any tier that is published. */
const FEE_SPAN_BPS = 20n;

export function reconcileMoney(state: FeedState, account: AccountState, event: AccountRead): FoldEffects {
  const { money, accountId } = account;
  if (money.collateral === null) return noEffects;
  const difference = usdc(event.account.collateral - money.collateral);
  if (difference !== 0n && isOpen(state, account, event.receivedMs)) return noEffects;
  const postings = explain(state, account, difference);
  const last = postings.at(-1);
  const open = last?.kind === "unexplained" || last?.kind === "inflow";
  if (open && !isFinal(state, account, event.receivedMs)) return noEffects;
  const effects: FeedEffect[] = [];
  if (last?.kind === "unexplained") {
    const [expected, found] = [`${money.collateral}`, `${event.account.collateral}`];
    effects.push({ kind: "mismatch", accountId, marketId: null, what: "collateral", expected, found });
  }
  if (postings.length > 0) {
    effects.push({ kind: "collateralChange", accountId, postings, fillKeys: [...money.unpriced.keys()] });
  }
  rebaseMoney(state, account, event);
  if (postings.some(({ kind }) => kind === "funding")) seeSettlements(state, account, Number.POSITIVE_INFINITY);
  return effects;
}

/** True while a fill that we have not heard of may be in the difference, whatever else explains it: fills may cancel out in position. */
function isOpen(state: FeedState, account: AccountState, nowMs: number): boolean {
  for (const marketId of state.markets.keys()) if (hasOpenQuestion(account, marketId, nowMs, nowMs)) return true;
  return false;
}

/** True in the third round of a difference that nothing explains, trades and settlements of all markets looked through since the first. */
function isFinal(state: FeedState, account: AccountState, nowMs: number): boolean {
  const { money } = account;
  const known = money.unexplained ?? { sinceMs: nowMs, searchAfterMs: nowMs, rounds: 0 };
  const rounds = known.rounds + 1;
  money.unexplained = { ...known, rounds };
  if (rounds < ROUNDS_MAX) return false;
  if (nowMs - known.sinceMs >= UNSEARCHED_MS) return true;
  for (const [marketId, { funding }] of state.markets) {
    if (!isSearched(state, marketId, known.searchAfterMs)) return false;
    if (funding === null || funding.askedMs <= known.searchAfterMs) return false;
  }
  return true;
}

/** Expected collateral starts anew from a read. */
export function rebaseMoney(state: FeedState, account: AccountState, { account: read, askedMs }: AccountRead): void {
  const { money } = account;
  money.collateral = read.collateral;
  money.unpriced.clear();
  money.postings = 0;
  money.adopted = null;
  money.unexplained = null;
  for (const position of account.positions.values()) position.peak = magnitude(position.inventory);
  seeSettlements(state, account, chainTimeMs(state, askedMs) ?? Number.POSITIVE_INFINITY);
}

/** Settlements up to a chain time are in the money as it was read. One that was told while the read was on its way may not be. */
function seeSettlements(state: FeedState, account: AccountState, untilMs: number): void {
  for (const marketId of account.positions.keys()) {
    const { settledSec = 0 } = state.markets.get(marketId) ?? {};
    if (settledSec * 1000 <= untilMs) account.money.settledSec.set(marketId, settledSec);
  }
}

/** Postings that add up to `difference`; the last is what is left over, if anything is. */
function explain(state: FeedState, account: AccountState, difference: Usdc): readonly Posting[] {
  if (difference === 0n && account.money.unpriced.size === 0) return [];
  const { money } = account;
  const postings: Posting[] = [];
  let left: bigint = difference;
  const due = settlementsDue(state, account);
  const cap = due.reduce((sum, settlement) => sum + settlement.cap, 0n);
  if (money.unpriced.size > 0) {
    const posting = fillsPosting([...money.unpriced.values()], left);
    postings.push(posting);
    left -= posting.amount;
  }
  if (left !== 0n && due.length > 0 && abs(left) <= cap + BigInt(money.postings)) {
    postings.push(...fundingPostings(due, left));
    left = 0n;
  }
  if (left === 0n) return postings;
  const rest = usdc(left);
  if (abs(left) <= BigInt(money.postings)) return [...postings, { kind: "rounding", marketId: null, amount: rest }];
  if (money.adopted !== null) return [...postings, { kind: "adoptedPosition", marketId: money.adopted, amount: rest }];
  return [...postings, { kind: left > 0n ? "inflow" : "unexplained", marketId: null, amount: rest }];
}

/**
 * Fills without a fee take as much of the difference as they can explain: from nothing to what they should have realized (which
 * depends on the order that they came in), and a span for their fees.
 */
function fillsPosting(unpriced: readonly UnpricedFill[], difference: bigint): Posting {
  const estimate = unpriced.reduce((sum, fill) => sum + fill.estimate, 0n);
  const traded = unpriced.reduce((sum, fill) => sum + fill.notional, 0n);
  const span = divideCeil(traded * FEE_SPAN_BPS, BPS) + BigInt(unpriced.length);
  const low = (estimate < 0n ? estimate : 0n) - span;
  const high = (estimate > 0n ? estimate : 0n) + span;
  const amount = difference < low ? low : difference > high ? high : difference;
  return { kind: "fills", marketId: unpriced[0]?.marketId ?? null, amount: usdc(amount) };
}

/** A settlement that may be in the difference. `estimate` has the right sign and proportion, not the right scale. */
type Settlement = { readonly marketId: MarketId; readonly cap: bigint; readonly estimate: bigint };

function settlementsDue(state: FeedState, account: AccountState): readonly Settlement[] {
  const due: Settlement[] = [];
  for (const [marketId, position] of account.positions) {
    const market = state.markets.get(marketId);
    const seenSec = account.money.settledSec.get(marketId) ?? 0;
    if (market === undefined || position.peak === 0n || market.settledSec <= seenSec) continue;
    due.push(settlementIn(market, position, seenSec));
  }
  return due;
}

function settlementIn(market: MarketState, position: PositionState, seenSec: number): Settlement {
  const funding = market.funding?.value;
  const at = market.oracle.held?.value.price ?? market.market?.value.oraclePrice ?? position.entryPrice;
  const worst = notionalCeil(at, position.peak);
  const intervalSec = funding?.fundingIntervalSecs ?? market.market?.value.fundingIntervalSecs ?? 3600;
  const count = seenSec === 0 ? 1 : Math.max(1, Math.round((market.settledSec - seenSec) / intervalSec));
  const capBps = BigInt(funding?.maxFundingRateBps ?? FUNDING_CAP_BPS);
  // Room for the print having moved since the settlement: a tenth, and one unit a settlement for rounding.
  const cap = divideCeil(worst * capBps * BigInt(count) * 11n, 100_000n) + BigInt(count);
  const rate = funding?.fundingRate ?? market.market?.value.fundingRate ?? 0n;
  return { marketId: market.marketId, cap, estimate: -position.inventory * at * rate };
}

/** Splits an amount over the markets by what each should have paid; over their caps where the estimates cancel out. */
function fundingPostings(due: readonly Settlement[], amount: bigint): readonly Posting[] {
  const estimates = due.reduce((sum, { estimate }) => sum + estimate, 0n);
  const aligned = estimates !== 0n && due.every(({ estimate }) => estimate === 0n || estimate > 0n === estimates > 0n);
  const weights = due.map(({ estimate, cap }) => (aligned ? abs(estimate) : cap));
  const whole = weights.reduce((sum, weight) => sum + weight, 0n);
  let left = amount;
  return due.map(({ marketId }, at) => {
    const share = at === due.length - 1 || whole === 0n ? left : divideFloor(amount * (weights[at] ?? 0n), whole);
    left -= share;
    return { kind: "funding", marketId, amount: usdc(share) };
  });
}

const abs = (amount: bigint): bigint => (amount < 0n ? -amount : amount);
