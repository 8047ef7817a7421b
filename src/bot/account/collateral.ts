// Compares the collateral as read with the book's. A difference is booked under its explanation; an unexplained one is a transfer of the
// account.

import { inventoryOf } from "../../domain/account.ts";
import type { ReadEvent } from "../../domain/event.ts";
import type { Order } from "../../domain/order.ts";
import { divideCeil, notionalCeil } from "../../domain/rounding.ts";
import { NOTIONAL_DIVISOR, size, type Usdc, usdc } from "../../domain/units.ts";
import { entryPriceIn, inventoryIn } from "../accounting/account-book.ts";
import { explain, type Settlement } from "../accounting/explain.ts";
import { collateralOf } from "../accounting/totals.ts";
import { noEffects } from "../market/effects.ts";
import type { MarketState } from "../market/state.ts";
import { chainTimeMs } from "../market/time.ts";
import { accountTiming } from "../timing.ts";
import type { AccountState, BotState, CollateralWitness, PositionState, Unexplained } from "./account-state.ts";
import { bookPosting, chainSecOf, magnitude, oraclePriceIn } from "./booking.ts";
import { type CollateralRead, type ExpectedState, expectedIn, statesShown } from "./collateral-states.ts";
import type { AccountEffects } from "./effects.ts";
import { spanOf } from "./evidence.ts";
import { pendingMoney } from "./pending-money.ts";

type AccountRead = Extract<ReadEvent, { kind: "accountRead" }>;

/** The public documents' cap (6.25 % of notional per settlement) until the exchange names its own. */
const FUNDING_CAP_BPS = 625;

/**
 * A read shows the account at one instant of its span. If its collateral equals that of a state expected then, nothing is missing.
 * Otherwise the missing amount is the difference to one of those states, whatever fills came meanwhile: it is booked once reads a second
 * apart leave one amount.
 */
export function judgeCollateral(state: BotState, account: AccountState, event: AccountRead): AccountEffects {
  const { book, collateral, resyncs } = account;
  const { receivedMs } = event;
  const read = collateralRead(state, account, event);
  const states = collateral.states.during(read.span, expectedIn(book));
  const isWhole = event.account.unreadable.every(({ what }) => what === "order");
  if (!isWhole || resyncs.size > 0 || states === null) return noEffects;
  // A fill whose fee is unknown leaves no exact state, so reads around it are skipped.
  if (collateral.filledMs >= read.span.fromMs && pendingMoney(state, account).length > 0) return noEffects;
  if (isExpected(states, read)) {
    collateral.unexplained = null;
    if (isExpected(statesShown(states, read), read)) agreeOnCollateral(state, account, read.span.fromMs, states);
    return noEffects;
  }
  const { sinceMs = receivedMs, waiting = [], agreeing = [] } = collateral.unexplained ?? {};
  const amount = usdc(read.collateral - collateralOf(book));
  const known = judgeWaiting(
    { amount, sinceMs, waiting: [...waiting, read], agreeing },
    account,
    state.readLagMaxMs,
    receivedMs,
  );
  collateral.unexplained = known;
  const [first] = known?.agreeing ?? [];
  const last = known?.agreeing.at(-1);
  const [agreed, ...others] = commonTo(known?.agreeing ?? []);
  if (first === undefined || last === undefined || first === last || agreed === undefined || others.length > 0)
    return noEffects;
  const postings = explained(state, account, agreed);
  const rest = postings.at(-1);
  const isTransfer = rest?.kind === "transfer" && rest.reason === "transfer";
  if (isTransfer && !isSearched(state, first.read.span.toMs, receivedMs)) return noEffects;
  const { fromMs } = last.read.span;
  const since = collateral.states.during({ fromMs, toMs: receivedMs }, expectedIn(book)) ?? states;
  return bookAll(state, account, postings, fromMs, receivedMs, since);
}

function collateralRead({ readLagMaxMs }: BotState, { orders }: AccountState, event: AccountRead): CollateralRead {
  const { positions, openOrders, collateral } = event.account;
  return {
    span: spanOf(event, readLagMaxMs),
    askedMs: event.askedMs,
    collateral,
    inventories: new Map(positions.map((position) => [position.marketId, inventoryOf(position)])),
    listed: openOrders,
    sentMs: newestSentMs(orders, openOrders),
  };
}

/** Returns when the newest of our listed orders was sent, monotonic ms; minus infinity: none is listed. */
function newestSentMs(orders: AccountState["orders"], listed: readonly Order[]): number {
  const tracked = listed.map(({ orderId }) => orders.tracked(orderId));
  return Math.max(Number.NEGATIVE_INFINITY, ...tracked.flatMap((one) => (one?.origin === "ours" ? one.sentMs : [])));
}

const isExpected = (states: readonly ExpectedState[], { collateral }: CollateralRead): boolean =>
  states.some((expected) => expected.collateral === collateral);

/** Judges the waiting reads whose fills have all arrived; null where every difference is explained. */
function judgeWaiting(
  unexplained: Unexplained,
  { book, collateral: { states, filledMs } }: AccountState,
  readLagMaxMs: number,
  nowMs: number,
): Unexplained | null {
  let { agreeing } = unexplained;
  const waiting: CollateralRead[] = [];
  for (const read of unexplained.waiting) {
    const { fromMs, toMs } = read.span;
    // Frames arrive at most `readLagMaxMs` after reads.
    const framedMs = toMs + readLagMaxMs;
    if (filledMs >= fromMs && nowMs < framedMs) {
      waiting.push(read);
      continue;
    }
    const possible = states.during({ fromMs, toMs: framedMs }, expectedIn(book)) ?? [];
    agreeing = isExpected(possible, read) ? [] : addWitness(agreeing, read, statesShown(possible, read));
  }
  if (agreeing.length === 0 && waiting.length === 0) return null;
  return { ...unexplained, waiting: waiting.slice(-READS_MAX), agreeing };
}

/** Adds a read to those that it agrees with; a read that disagrees starts a new list. */
function addWitness(
  agreeing: readonly CollateralWitness[],
  read: CollateralRead,
  possible: readonly ExpectedState[],
): readonly CollateralWitness[] {
  const amounts = [...new Set(possible.map((expected) => usdc(read.collateral - expected.collateral)))];
  if (amounts.length === 0) return agreeing;
  const next = [...agreeing, { read, amounts }];
  if (commonTo(next).length === 0) return [{ read, amounts }];
  const [first] = agreeing;
  const isSoon = first !== undefined && read.askedMs - first.read.span.toMs < accountTiming.apartMs;
  return isSoon ? agreeing : next.slice(-READS_MAX);
}

/** More reads narrow the amount down no further. */
const READS_MAX = 32;

/** Returns the amounts that fit all of them. */
const commonTo = (witnesses: readonly CollateralWitness[]): readonly Usdc[] =>
  (witnesses[0]?.amounts ?? []).filter((amount) => witnesses.every(({ amounts }) => amounts.includes(amount)));

/** Both witnesses agreed twice while nothing of ours changed anything: the read collateral is right. */
export function settleCollateral(
  state: BotState,
  account: AccountState,
  reported: Usdc,
  nowMs: number,
): AccountEffects {
  const amount = usdc(reported - collateralOf(account.book));
  const postings = amount === 0n ? [] : explained(state, account, amount);
  return bookAll(state, account, postings, nowMs - state.readLagMaxMs, nowMs);
}

const explained = (state: BotState, account: AccountState, amount: Usdc): ReturnType<typeof explain> =>
  explain(amount, {
    pending: pendingMoney(state, account),
    settlements: settlementsDue(state, account),
    fillCount: account.collateral.fillCount,
  });

function bookAll(
  state: BotState,
  account: AccountState,
  postings: ReturnType<typeof explain>,
  untilMs: number,
  nowMs: number,
  shown: readonly ExpectedState[] = [],
): AccountEffects {
  const { accountId, book, collateral } = account;
  const expected = expectedIn(book);
  agreeOnCollateral(state, account, untilMs, shown);
  if (postings.length === 0) return noEffects;
  const atSec = chainSecOf(state, nowMs);
  const booked = postings.map((posting) => bookPosting(account, posting, atSec));
  collateral.states.posted(expected, usdc(collateralOf(book) - expected.collateral), nowMs);
  return [{ kind: "collateralChange", accountId, postings: booked }];
}

/** True once trades and settlements of all markets were searched since the difference was first seen. */
function isSearched({ markets }: BotState, sinceMs: number, nowMs: number): boolean {
  if (nowMs - sinceMs >= accountTiming.unsearchedMs) return true;
  const isRead = ({ search, funding }: MarketState): boolean =>
    (search.askedMs ?? sinceMs) > sinceMs && funding !== null && funding.askedMs > sinceMs;
  return markets.values().every(isRead);
}

/**
 * The book expects what was read: possible explanations count from here, or from the oldest state that the read may have shown. Settlements
 * up to `untilMs`, monotonic, are in its money; later ones may not be, and stay due on the largest position since.
 */
function agreeOnCollateral(
  state: BotState,
  account: AccountState,
  untilMs: number,
  shown: readonly ExpectedState[],
): void {
  const { book, collateral, positions } = account;
  collateral.fillCount = Math.min(collateral.fillCount, Math.max(0, shown.length - 1));
  collateral.unexplained = null;
  const untilChainMs = chainTimeMs(state, untilMs) ?? Number.POSITIVE_INFINITY;
  for (const [marketId, position] of positions) {
    const { settledSec = 0, fundingIndex = null } = state.markets.get(marketId) ?? {};
    if (settledSec * 1000 > untilChainMs && settledSec > (collateral.settledSec.get(marketId) ?? 0)) continue;
    collateral.settledSec.set(marketId, settledSec);
    if (fundingIndex !== null) collateral.fundingIndex.set(marketId, fundingIndex.value);
    const held = [
      inventoryIn(book, marketId),
      ...shown.map(({ inventories }) => inventories.get(marketId) ?? size(0n)),
    ];
    position.peak = held.map(magnitude).reduce((most, each) => (each > most ? each : most));
  }
}

function settlementsDue(state: BotState, account: AccountState): readonly Settlement[] {
  const due: Settlement[] = [];
  for (const [marketId, position] of account.positions) {
    const market = state.markets.get(marketId);
    const seenSec = account.collateral.settledSec.get(marketId) ?? 0;
    if (market === undefined || position.peak === 0n || market.settledSec <= seenSec) continue;
    due.push(settlementIn(state, account, market, position, seenSec));
  }
  return due;
}

function settlementIn(
  state: BotState,
  { book, collateral }: AccountState,
  market: MarketState,
  { peak }: PositionState,
  seenSec: number,
): Settlement {
  const { marketId, settledSec, market: read, premiumBps } = market;
  const funding = market.funding?.value;
  const at = oraclePriceIn(state, marketId) ?? entryPriceIn(book, marketId);
  const intervalSec = funding?.fundingIntervalSecs ?? read?.value.fundingIntervalSecs ?? 3600;
  const count = BigInt(seenSec === 0 ? 1 : Math.max(1, Math.round((settledSec - seenSec) / intervalSec)));
  const widestBps = premiumBps.now > premiumBps.last ? premiumBps.now : premiumBps.last;
  const ratesBps = [
    BigInt(funding?.maxFundingRateBps ?? FUNDING_CAP_BPS),
    widestBps + interestBps(read?.value.interestRateMicroBps ?? 0, intervalSec),
  ];
  const capBps = ratesBps.reduce((least, rate) => (rate < least ? rate : least));
  // A tenth more, since the print may have moved since the settlement.
  const byRate = divideCeil(notionalCeil(at, peak) * capBps * count * 11n, 100_000n);
  const byIndex = indexCap(market, peak, collateral.fundingIndex.get(marketId));
  // And one unit per settlement for rounding.
  const cap = (byIndex !== null && byIndex < byRate ? byIndex : byRate) + count;
  const rate = funding?.fundingRate ?? read?.value.fundingRate ?? 0n;
  return { marketId, cap, estimate: -inventoryIn(book, marketId) * at * rate };
}

/**
 * Interest of an interval, whole basis points: funding charges it on top of the premium of the mark over the oracle price (S2.4). At least
 * 1, since S2.4 names no scale.
 */
const interestBps = (hourlyMicroBps: number, intervalSec: number): bigint =>
  BigInt(Math.max(1, Math.ceil((Math.abs(hourlyMicroBps) * intervalSec) / 3_600_000_000)));

/**
 * Returns the index's move since then on the largest position, assumed to be per contract in the scale of prices (S2.4 names no scale; in
 * another one, funding is booked as a transfer). 0 until it is read after the settlement; null where it does not move.
 */
function indexCap({ fundingIndex, settledSec }: MarketState, peak: bigint, before: bigint | undefined): bigint | null {
  if (fundingIndex === null || before === undefined) return null;
  if (fundingIndex.lastSec < settledSec) return 0n;
  const moved = fundingIndex.value - before;
  return moved === 0n ? null : divideCeil(peak * (moved < 0n ? -moved : moved), NOTIONAL_DIVISOR);
}
