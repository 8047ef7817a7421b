// The live page's detail of each market: the book with our orders in it, worst case, countdowns, facts and their ages, markouts, fills.

import { type Level, mid } from "../../../domain/book.ts";
import { worstCase } from "../../../domain/exposure.ts";
import { lanes } from "../../../domain/lane.ts";
import type { TrackedOrder } from "../../../domain/order.ts";
import { contractsOf, usdcOf, usdOf } from "../../../domain/rounding.ts";
import { SIZE_SCALE, type Side, size } from "../../../domain/units.ts";
import { type Fact, lastKnown, type View } from "../../../domain/view.ts";
import { formatDecimal } from "../../../kernel/decimal.ts";
import type { BookRow, Detail, FactLine, LimitMeanings, MarketDetail, Meanings } from "../../dashboard/detail.ts";
import type { AccountDesk } from "../../decider/desks/account-desk.ts";
import type { MarketDesk } from "../../decider/desks/market-desk.ts";
import { accountRows, type LimitRow, marketRows } from "../../risk/limits/limits.ts";
import type { BotParts } from "../lifecycle/build.ts";

/** Levels per side. */
const LEVELS_SHOWN = 10;

export function showDetail({ desks, machine }: Pick<BotParts, "desks" | "machine">): Detail {
  return {
    markets: [...desks.values()].flatMap((desk) => [...desk.markets.values()].map((of) => showMarket(desk, of))),
    accounts: [...desks.values()].map((desk) => {
      const { budget } = machine.sends(desk.accountId);
      const day = lastKnown(desk.dailyPnl());
      return {
        accountId: `${desk.accountId}`,
        unresolved: machine.acting.unanswered(desk.accountId).unresolved,
        budget: Object.fromEntries(lanes.map((lane) => [lane, budget.remaining(lane)])),
        dayPnl: day === undefined ? null : usdcOf(day.pnl),
        days: desk.dayBars(),
        limits: textsOf(desk.quoted.limits, "none"),
      };
    }),
  };
}

export function showMeanings({ desks }: Pick<BotParts, "desks">): Meanings {
  const strategies = [...desks.values()].flatMap(({ markets }) =>
    [...markets.values()].map(({ quoted }) => quoted.strategy),
  );
  return {
    limits: meaningsOf(marketRows),
    accountLimits: meaningsOf(accountRows),
    params: Object.fromEntries(strategies.map(({ name, meanings }) => [name, meanings])),
  };
}

const meaningsOf = (rows: Readonly<Record<string, LimitRow>>): LimitMeanings =>
  Object.fromEntries(
    Object.entries(rows).map(([name, { looser, schema }]) => [
      name,
      { means: schema.description ?? "", tighter: looser === "higher" ? "lower" : "higher" },
    ]),
  );

function showMarket(account: AccountDesk, desk: MarketDesk): MarketDetail {
  const view = desk.last?.view;
  const book = view && lastKnown(view.book);
  const position = view && lastKnown(view.position);
  const worst = position && worstCase(position, view?.orders ?? []);
  const funding = view && lastKnown(view.funding);
  const day = lastKnown(desk.pnl.dailyPnl());
  const middle = book && mid(book);
  const offsetMs = (view && lastKnown(view.chain)?.offsetMs) ?? 0;
  const onWall = (chainMs: number | undefined): number | null => (chainMs === undefined ? null : chainMs - offsetMs);
  const oracle = view && lastKnown(view.oracle);
  return {
    accountId: `${account.accountId}`,
    marketId: desk.marketId,
    book: book
      ? { bids: rowsOf(book.bids, "buy", view?.orders ?? []), asks: rowsOf(book.asks, "sell", view?.orders ?? []) }
      : null,
    mid: middle === undefined ? null : usdOf(middle),
    worstLong: worst === undefined ? null : contractsOf(worst.long),
    worstShort: worst === undefined ? null : contractsOf(worst.short),
    dayPnl: day === undefined ? null : usdcOf(day.pnl),
    fundingRatePpb: funding === undefined ? null : Number(funding.fundingRate),
    nextFundingAtMs: onWall(funding && (funding.lastFundingTimestampSec + funding.fundingIntervalSecs) * 1000),
    nextPrintAtMs: onWall(view?.signals.nextPrint?.atMs),
    oracleExpiresAtMs: onWall(oracle?.validUntilSec ? oracle.validUntilSec * 1000 : undefined), // 0: unknown.
    facts: view === undefined ? [] : factsOf(view),
    markouts: desk.fills.means.lines(),
    placeMarkouts: desk.fills.byPlace(),
    fills: [...desk.fills.recent.values()],
    params: textsOf(desk.quoted.strategy.params),
    limits: textsOf(desk.quoted.limits),
  };
}

function rowsOf(levels: readonly Level[], side: Side, orders: readonly TrackedOrder[]): readonly BookRow[] {
  return levels.slice(0, LEVELS_SHOWN).map((level) => {
    const ours = orders.filter(
      (order) => order.side === side && order.price === level.price && order.state !== "inFlight",
    );
    const own = ours.reduce((sum, { remainingSize }) => sum + remainingSize, 0n);
    const places = ours.flatMap(({ queueAhead }) => queueAhead ?? []);
    return {
      price: usdOf(level.price),
      size: contractsOf(level.size),
      own: contractsOf(size(own)),
      ahead: places.length === 0 ? null : Math.min(...places.map(contractsOf)),
    };
  });
}

const shownFacts = [
  "stream",
  "book",
  "oracle",
  "funding",
  "chain",
  "position",
  "funds",
  "reconciled",
  "agent",
] as const;

const factsOf = (view: View): readonly FactLine[] =>
  shownFacts.map((fact) => {
    const { state, ageMs = null }: { state: string; ageMs?: number | null } = view[fact] as Fact<unknown>;
    return { fact, state, ageMs };
  });

/** Formatted for people. Exact values of parameters and limits are in contracts and USDC, of one scale. `unset`: for a missing value. */
const textsOf = (values: unknown, unset = "default"): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(values ?? {}).map(([name, value]) => [
      name,
      typeof value === "bigint" ? formatDecimal(value, SIZE_SCALE) : String(value ?? unset),
    ]),
  );
