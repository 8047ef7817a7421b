// A live period as JSON: amounts are exact decimal text in USDC, sizes in contracts; shares and basis points are numbers. Null: not
// recorded.

import { AMOUNT_SCALE, SIZE_SCALE, type Usdc } from "../../domain/units.ts";
import { HOUR_MS } from "../../kernel/clock.ts";
import { formatDecimal } from "../../kernel/decimal.ts";
import { meanInterval } from "../../report/interval.ts";
import { type Pnl, pnlComponents } from "../accounting/market-book.ts";
import { markoutHorizons } from "../analytics/markouts.ts";
import {
  annualAtMid,
  countsOf,
  daysOf,
  deepestDrawdown,
  hoursOf,
  limitsOf,
  lowestOfDay,
  markoutClusters,
  silenceOf,
  traded,
  worstHours,
} from "./figures.ts";
import { type MarketPeriod, type Period, pnlOf, type ShownHours } from "./period.ts";

const iso = (atMs: number): string => new Date(atMs).toISOString();
const hourIso = (hour: number): string => iso(hour * HOUR_MS);
const amount = (value: Usdc): string => formatDecimal(value, AMOUNT_SCALE);
const pnl = (of: Pnl) => Object.fromEntries(pnlComponents.map((component) => [component, amount(of[component])]));
const rounded = (value: number): number => Math.round(value * 1e4) / 1e4;

/** `isPaper`: by account id as text. */
export function periodJson(period: Period, hours: ShownHours, isPaper: (accountId: string) => boolean): object {
  const lines = hoursOf(period);
  const all = period.markets.flatMap((market) => market.hours);
  return {
    kind: "report",
    from: hourIso(hours.from),
    to: hourIso(hours.to),
    seconds: Math.round(hours.seconds),
    pnl: { mid: pnl(pnlOf(all, "mid")), print: pnl(pnlOf(all, "print")) },
    ...amounts(all),
    drawdown: amount(deepestDrawdown(lines)),
    annual: annualAtMid(lines, hours),
    markets: period.markets.map((market) => marketJson(market, hours, isPaper)),
    days: daysOf(period).map(({ date, accountId, marketId, name, mid, print, volume, fills }) => ({
      date,
      accountId: `${accountId}`,
      marketId,
      market: name,
      fills,
      mid: pnl(mid),
      print: pnl(print),
      volume: amount(volume),
    })),
    worstHours: worstHours(lines).map(({ hour, mid, print, fills }) => ({
      at: hourIso(hour),
      mid: pnl(mid),
      print: pnl(print),
      fills,
    })),
    denials: period.denials.map((line) => ({ ...line, accountId: `${line.accountId}` })),
    denialsSince: period.decisionsSinceMs === null ? null : iso(period.decisionsSinceMs),
    halts: period.halts.map(({ atMs, ...line }) => ({ at: iso(atMs), ...line, accountId: `${line.accountId}` })),
    changes: period.changes.map(({ atMs, ...line }) => ({ at: iso(atMs), ...line })),
    refusedCalls: period.refusedCalls,
    transfers: period.transfers.map(({ atMs, amount: of, ...line }) => ({
      at: iso(atMs),
      ...line,
      accountId: `${line.accountId}`,
      amount: amount(of),
    })),
  };
}

const amounts = (spans: MarketPeriod["hours"]) => {
  const { volume, fills } = traded(spans);
  return { volume: amount(volume), fills };
};

function marketJson(market: MarketPeriod, hours: ShownHours, isPaper: (accountId: string) => boolean): object {
  const { accountId, marketId, name, hours: spans, largestPosition } = market;
  const [counts, limits] = [countsOf(market), limitsOf(market)];
  return {
    accountId: `${accountId}`,
    marketId,
    market: name,
    paper: isPaper(`${accountId}`),
    strategy: limits?.strategy ?? null,
    config: limits?.config ?? null,
    pnl: { mid: pnl(pnlOf(spans, "mid")), print: pnl(pnlOf(spans, "print")) },
    ...amounts(spans),
    watched: counts === null ? null : rounded(counts.watchedSecs / hours.seconds),
    quoteUptime:
      counts === null || counts.watchedSecs === 0
        ? null
        : rounded(Math.min(1, counts.twoSidedSecs / counts.watchedSecs)),
    silence: counts === null ? null : silenceOf(counts),
    markoutBps: Object.fromEntries(
      markoutHorizons.map((horizon) => {
        const interval = meanInterval(markoutClusters(market, horizon));
        if (interval === null) return [horizon, null];
        const { mean, ci95 } = interval;
        return [horizon, { mean: rounded(mean), ci95: ci95 === null ? null : ci95.map(rounded) }];
      }),
    ),
    positionMax: formatDecimal(largestPosition, SIZE_SCALE),
    maxPosition: limits === null ? null : formatDecimal(limits.maxPosition, SIZE_SCALE),
    lowestOfDay: amount(lowestOfDay(market)),
    maxLoss: limits === null ? null : amount(limits.maxLoss),
  };
}
