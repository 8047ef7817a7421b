// Compares the collateral as read with the one that the book expects. A difference is booked as what explains it; what nothing explains is
// a transfer of the account.

import type { ReadEvent } from "../../domain/event.ts";
import { divideCeil, notionalCeil } from "../../domain/rounding.ts";
import { NOTIONAL_DIVISOR, type Usdc, usdc } from "../../domain/units.ts";
import { entryPriceIn, inventoryIn } from "../accounting/account-book.ts";
import { explain, type Settlement } from "../accounting/explain.ts";
import { collateralOf } from "../accounting/totals.ts";
import { noEffects } from "../market/effects.ts";
import type { MarketState } from "../market/state.ts";
import { chainTimeMs } from "../market/time.ts";
import { accountTiming } from "../timing.ts";
import type { AccountState, BotState, PositionState } from "./account-state.ts";
import { bookPosting, magnitude, oraclePriceIn } from "./booking.ts";
import type { AccountEffects } from "./effects.ts";
import { spanOf } from "./evidence.ts";
import { pendingMoney } from "./pending-money.ts";

type AccountRead = Extract<ReadEvent, { kind: "accountRead" }>;

/** The cap of the public documents (6.25 % of notional a settlement) where the exchange has not named its own yet. */
const FUNDING_CAP_BPS = 625;
/** Funding pays a premium of the mark over the oracle price, and interest (S2.4): an interval costs no more than both, whatever their scales. */
const INTEREST_BPS = 1n;

/**
 * A read that shows every position as we hold it, and long enough after the last fill that it has its money. Two of them a second apart that
 * show the same difference are believed.
 */
export function judgeCollateral(state: BotState, account: AccountState, event: AccountRead): AccountEffects {
  const { book, collateral, resyncs } = account;
  const span = spanOf(event, state.readLagMaxMs);
  const reported = event.account.collateral;
  const expected = collateralOf(book);
  const isWhole = event.account.unreadable.every(({ what }) => what === "order");
  if (!isWhole || resyncs.size > 0 || collateral.filledMs >= span.fromMs) return noEffects;
  if (reported === expected) {
    agreeOnCollateral(state, account, span.fromMs);
    return noEffects;
  }
  if (collateral.held.wasHeld(reported, expected, span)) return noEffects;
  const amount = usdc(reported - expected);
  const known = collateral.unexplained;
  if (known === null || known.amount !== amount) {
    collateral.unexplained = { amount, sinceMs: event.receivedMs };
    return noEffects;
  }
  if (event.askedMs - known.sinceMs < accountTiming.apartMs) return noEffects;
  const postings = explained(state, account, amount);
  const last = postings.at(-1);
  const isTransfer = last?.kind === "transfer" && last.reason === "transfer";
  if (isTransfer && !isSearched(state, known.sinceMs, event.receivedMs)) return noEffects;
  return bookAll(state, account, postings, span.fromMs, event.receivedMs);
}

/** Both witnesses agreed twice while nothing of ours changed anything: the collateral is what was read. */
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
): AccountEffects {
  const { accountId, book, collateral } = account;
  const before = collateralOf(book);
  agreeOnCollateral(state, account, untilMs);
  if (postings.length === 0) return noEffects;
  const newestSec = Math.max(...[...state.markets.values()].map(({ settledSec }) => settledSec));
  const atMs = chainTimeMs(state, nowMs) ?? newestSec * 1000;
  const booked = postings.map((posting) => bookPosting(account, posting, Math.floor(atMs / 1000)));
  collateral.held.left(before, nowMs, state.readLagMaxMs);
  return [{ kind: "collateralChange", accountId, postings: booked }];
}

/** True once trades and settlements of all markets were looked through since the difference was first seen. */
function isSearched({ markets }: BotState, sinceMs: number, nowMs: number): boolean {
  if (nowMs - sinceMs >= accountTiming.unsearchedMs) return true;
  const isRead = ({ search, funding }: MarketState): boolean =>
    (search.askedMs ?? sinceMs) > sinceMs && funding !== null && funding.askedMs > sinceMs;
  return markets.values().every(isRead);
}

/**
 * The book expects what was read: what may explain a difference is counted from here. Settlements up to `untilMs`, monotonic, are in its
 * money; later ones may not be, and stay due on the largest position since.
 */
function agreeOnCollateral(state: BotState, account: AccountState, untilMs: number): void {
  const { book, collateral, positions } = account;
  collateral.fillCount = 0;
  collateral.unexplained = null;
  const untilChainMs = chainTimeMs(state, untilMs) ?? Number.POSITIVE_INFINITY;
  for (const [marketId, position] of positions) {
    const { settledSec = 0, fundingIndex = null } = state.markets.get(marketId) ?? {};
    if (settledSec * 1000 > untilChainMs && settledSec > (collateral.settledSec.get(marketId) ?? 0)) continue;
    collateral.settledSec.set(marketId, settledSec);
    if (fundingIndex !== null) collateral.fundingIndex.set(marketId, fundingIndex.value);
    position.peak = magnitude(inventoryIn(book, marketId));
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
