// The status of the daemon as data for people. Floats for display; nothing here decides anything.

import { bestAsk, bestBid } from "../../../domain/book.ts";
import type { Latch } from "../../../domain/latch.ts";
import type { TrackedOrder } from "../../../domain/order.ts";
import { contractsOf, usdcOf, usdOf } from "../../../domain/rounding.ts";
import { type AccountId, type MarketId, type Price, type Side, usdc } from "../../../domain/units.ts";
import { absent, lastKnown } from "../../../domain/view.ts";
import { timeText } from "../../../kernel/text.ts";
import type { BotState } from "../../account/account-state.ts";
import type {
  AccountStatus,
  GateLine,
  MarketStatus,
  OrderLine,
  PnlLine,
  PremiumLine,
  ShadowLine,
  SideLine,
  SignalLine,
  TrialLine,
} from "../../dashboard/status.ts";
import type { AccountDesk } from "../../decider/desks/account-desk.ts";
import { denialText } from "../../decider/desks/denial-text.ts";
import type { MarketDesk } from "../../decider/desks/market-desk.ts";
import { eachSide, type SideStanding, standingText } from "../../decider/desks/standing.ts";
import type { Turn } from "../../decider/turns/turn.ts";
import type { Shadow, Shadows } from "../../live/shadow.ts";
import { tradingStateOf } from "../../risk/latches.ts";
import type { TradingState } from "../../risk/trading-state.ts";
import { estimatesOf } from "../../strategy/estimates.ts";
import type { HeldAlready } from "./trading-state.ts";

/** What a market shows beside its desk. */
export type Shown = {
  readonly shadows: Pick<Shadows, "of">;
  readonly trialOf: (account: AccountId, market: MarketId) => TrialLine | null;
};

export function showAccount(desk: AccountDesk, beside: Shown): AccountStatus {
  const last = [...desk.markets.values()].find((market) => market.last !== null)?.last;
  const funds = last ? lastKnown(last.view.funds) : undefined;
  const agent = last ? lastKnown(last.view.agent) : undefined;
  const margin = funds === undefined ? 0n : funds.maintenanceMargin;
  return {
    accountId: `${desk.accountId}`,
    isPaper: desk.quoted.paper !== null,
    equityUsdc: funds === undefined ? null : usdcOf(funds.equity),
    equityAtMidUsdc: funds === undefined ? null : usdcOf(usdc(funds.equity + midOverPrint(desk))),
    marginRatio: funds === undefined || margin === 0n ? null : Number(funds.equity) / Number(margin),
    agentKeyExpiresAtSec: agent?.expiresAtSec ?? null,
    state: stateOf(desk, null),
    latches: desk.latches.map(showLatch),
    markets: [...desk.markets.values()].map((market) => showMarket(desk, market, beside)),
  };
}

type Kept = { readonly desks: ReadonlyMap<AccountId, AccountDesk>; readonly state: BotState };

/** Foreign orders that the configuration lets rest: whoever acts for the daemon leaves them alone. */
export function keptOrders({ desks, state }: Kept): readonly string[] {
  return [...desks.values()].flatMap(({ accountId, quoted }) => {
    const foreign = quoted.foreignOrders === "cancel" ? [] : (state.accounts.get(accountId)?.orders.foreign() ?? []);
    return [...foreign].map(({ orderId }) => `${orderId}`);
  });
}

function showMarket(account: AccountDesk, desk: MarketDesk, beside: Shown): MarketStatus {
  const { last, marketId } = desk;
  const view = last?.view;
  const book = view && lastKnown(view.book);
  const oracle = view && lastKnown(view.oracle);
  const position = view && lastKnown(view.position);
  return {
    marketId,
    name: desk.name,
    strategy: desk.quoted.strategy.name,
    state: stateOf(account, marketId),
    position: position === undefined ? 0 : contractsOf(position.inventory),
    oraclePrice: usdOrNull(oracle?.price),
    oracleValidUntilSec: oracle?.validUntilSec || null, // 0: unknown.
    bestBid: usdOrNull(book && bestBid(book)?.price),
    bestAsk: usdOrNull(book && bestAsk(book)?.price),
    fairValue: last?.quotes.fairValueUsd ?? null,
    quotesReason: last?.quotes.reason ?? null,
    bids: showOrders(view?.orders ?? [], "buy"),
    asks: showOrders(view?.orders ?? [], "sell"),
    buy: showSide(desk.quoting.standing.buy),
    sell: showSide(desk.quoting.standing.sell),
    gates: last === null ? [] : showGates(last),
    pnl: showPnl(desk, "print"),
    pnlAtMid: showPnl(desk, "mid"),
    fillCount: desk.pnl.fillCount,
    premium: showPremium(desk),
    estimates: view === undefined ? [] : estimatesOf(desk.estimates.state, view.nowMs),
    unknownOrders: view?.orders.filter(({ state }) => state === "unknown").length ?? 0,
    signals: showSignals(desk),
    shadow: showShadow(beside.shadows.of(account.accountId, marketId)),
    trial: beside.trialOf(account.accountId, marketId),
  };
}

const showSignals = ({ last, quoted, estimates }: MarketDesk): readonly SignalLine[] =>
  estimates.outsideWeights(quoted.signals).map(({ name, weight }) => {
    const fact = last?.view.outside[name] ?? absent;
    return fact.state === "absent"
      ? { name, value: null, ageMs: null, weight: 0 }
      : { name, value: fact.value.value, ageMs: fact.ageMs, weight };
  });

function showShadow(shadow: Shadow | null): ShadowLine | null {
  if (shadow === null) return null;
  const { strategy, phase, reason, status } = shadow;
  const {
    position = 0,
    bids = [],
    asks = [],
    fillCount = 0,
    pnl = noPnl("print"),
    pnlAtMid = noPnl("mid"),
  } = status ?? {};
  return { strategy, state: phase, reason, position, bids, asks, fillCount, pnl, pnlAtMid };
}

/** For a market, or with null for the account alone. */
export const stateOf = ({ latches, accountId }: AccountDesk, marketId: MarketId | null): TradingState =>
  tradingStateOf(latches, accountId, marketId);

export const showLatch = ({ kind, marketId, holds, reason }: Latch): string =>
  `${kind}${marketId === null ? "" : ` (market ${marketId})`}${holds === "reducing" ? ", reducing" : ""}: ${reason}`;

/** As in an answer; `since` is ISO, null where the ledger does not know. */
export type ShownHeld = { readonly holds: Latch["holds"]; readonly reason: string; readonly since: string | null };

export const showHeldAlready = ({ latch: { holds, reason }, sinceMs }: HeldAlready): ShownHeld => ({
  holds,
  reason,
  since: sinceMs === null ? null : timeText(sinceMs),
});

/** Best first. */
function showOrders(orders: readonly TrackedOrder[], side: Side): readonly OrderLine[] {
  const better = side === "buy" ? -1 : 1;
  return orders
    .filter((order) => order.side === side)
    .sort((a, b) => better * Number(a.price - b.price))
    .map(({ orderId, price, remainingSize, state, queueAhead }) => ({
      orderId: orderId === null ? null : `${orderId}`,
      price: usdOf(price),
      size: contractsOf(remainingSize),
      state,
      queueAhead: queueAhead === null ? null : contractsOf(queueAhead),
    }));
}

const showSide = (side: SideStanding): SideLine => ({
  quoting: side.rests,
  reason: side.why[0]?.reason ?? null,
  sentence: standingText(side),
});

function showGates({ readings }: Turn): readonly GateLine[] {
  return readings.map(({ gate, closed }) => ({
    gate,
    open: closed === null,
    reason: closed === null ? null : denialText(gate, closed),
  }));
}

/** The extra worth of positions at the mid. */
const midOverPrint = ({ markets }: AccountDesk): bigint =>
  [...markets.values()].reduce(
    (sum, desk) => sum + (desk.pnl.at("mid")?.total ?? 0n) - (desk.pnl.at("print")?.total ?? 0n),
    0n,
  );

function showPnl(desk: MarketDesk, valuation: PnlLine["valuation"]): PnlLine {
  const pnl = desk.pnl.at(valuation);
  if (pnl === null) return noPnl(valuation);
  return {
    valuation,
    spread: usdcOf(pnl.spread),
    inventory: usdcOf(pnl.inventory),
    jump: usdcOf(pnl.jump),
    funding: usdcOf(pnl.funding),
    fees: usdcOf(pnl.fees),
    total: usdcOf(pnl.total),
  };
}

const noPnl = (valuation: PnlLine["valuation"]): PnlLine => ({
  valuation,
  spread: 0,
  inventory: 0,
  jump: 0,
  funding: 0,
  fees: 0,
  total: 0,
});

function showPremium(desk: MarketDesk): PremiumLine | null {
  const { premium } = desk;
  if (premium === null) return null;
  const { pnl, lossLeft } = premium;
  return {
    target: premium.targetContracts,
    held: premium.heldContracts,
    pnl: usdcOf(pnl),
    spreadPnl: usdcOf(usdc((desk.pnl.at("mid")?.total ?? 0n) - pnl)),
    lossLeft: lossLeft === null ? null : usdcOf(lossLeft),
    isStopped: premium.state.stopped !== null,
    reason: premium.why,
  };
}

/**
 * Returns why the daemon cannot trade, one sentence per market, or per side where they differ; empty while it can. `unread`: reads with
 * wrong answers, which come first: the others follow from them.
 */
export function notReady(accounts: Iterable<AccountDesk>, unread: readonly string[]): readonly string[] {
  const reasons: string[] = [];
  for (const { accountId, markets } of accounts) {
    for (const { name, quoting, strategy } of markets.values()) {
      if (strategy.isDraining) continue;
      const reported = (side: Side): string | null => {
        const standing = quoting.standing[side];
        const ids = standing.why.map(({ reason }) => reason).join(", ");
        return standing.isReady ? null : `${standingText(standing)} (${ids})`;
      };
      reasons.push(...eachSide(reported).map(({ of, says }) => `account ${accountId}, ${name}, ${of}: ${says}`));
    }
  }
  return reasons.length === 0 ? [] : [...unread, ...reasons];
}

const usdOrNull = (at: Price | undefined): number | null => (at === undefined ? null : usdOf(at));
